/** Tests what the simulation concludes about the access of merchants from the answers to their requests. */
import { expect, it } from 'vitest'
import { Uncertain } from '../../simulation/access/uncertain.ts'
import { Life } from '../../simulation/scheduler/life.ts'

const isNew = (value: string) => value === 'new'

it('a change is certain once it was answered, and possible before', () => {
  const fact = new Uncertain('old')
  const change = fact.begin('new', new Life('api', 1))
  expect([fact.mayBe(isNew), fact.mustBe(isNew)]).toEqual([true, false])
  fact.end(change)
  expect(fact.mustBe(isNew)).toBe(true)
})

it('the order of two changes at the same time is not known, whichever was answered last', () => {
  const fact = new Uncertain('old')
  const life = new Life('api', 1)
  const first = fact.begin('new', life)
  const second = fact.begin('newer', life)
  fact.end(first)
  fact.end(second)
  expect([fact.mayBe(isNew), fact.mustBe(isNew)]).toEqual([true, false])
})

it('a change of a killed process may have happened, and happens no later than the next', () => {
  const fact = new Uncertain('old')
  const killed = new Life('api', 1)
  fact.begin('new', killed)
  killed.isAlive = false
  expect(fact.mayBe(isNew)).toBe(true)
  fact.end(fact.begin('newer', new Life('api', 2)))
  expect(fact.mayBe(isNew)).toBe(false)
})

it('a rejected change leaves open what the fact is, and after a restore it may be anything', () => {
  const fact = new Uncertain('old')
  fact.abandon(fact.begin('new', new Life('api', 1)))
  expect(fact.mustBe((value) => value === 'old')).toBe(false)
  fact.forget()
  expect(fact.mayBe((value) => value === 'never seen')).toBe(true)
})
