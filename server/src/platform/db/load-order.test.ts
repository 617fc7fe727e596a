import { expect, it } from 'vitest'
import { loadOrder } from './load-order.ts'

it('puts every table behind those it refers to', () => {
  const references = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
    { from: 'a', to: 'd' },
  ]
  expect(loadOrder(['a', 'b', 'c', 'd'], references)).toEqual(['c', 'd', 'b', 'a'])
})

it('refuses a circle, naming the tables', () => {
  const references = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ]
  expect(() => loadOrder(['a', 'b', 'c'], references)).toThrow(/cycle: a, b/)
})
