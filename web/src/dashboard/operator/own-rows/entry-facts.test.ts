import { expect, it } from 'vitest'
import { factsOf, isStateOf } from './entry-facts.ts'

it('shows every field of the row that is signed', () => {
  const row = { name: 'scroll', coin: { symbol: 'ETH' }, confirmations: [1, 2, 3], coldAddress: null }
  expect(factsOf(JSON.stringify({ serial: 1, change: { type: 'network', row } }))).toEqual([
    { name: 'name', value: 'scroll' },
    { name: 'coin.symbol', value: 'ETH' },
    { name: 'confirmations', value: '1, 2, 3' },
    { name: 'coldAddress', value: 'none' },
  ])
})

it('recognises an entry that does something else than what was meant', () => {
  const meant = { kind: 'token', name: 'base/PYUSD', isEnabled: false }
  const textOf = (change: object) => JSON.stringify({ change })
  expect(isStateOf(textOf({ type: 'state', ...meant }), meant)).toBe(true)
  for (const over of [{ isEnabled: true }, { name: 'base/USDC2' }, { kind: 'network' }, { type: 'token' }])
    expect(isStateOf(textOf({ type: 'state', ...meant, ...over }), meant)).toBe(false)
})
