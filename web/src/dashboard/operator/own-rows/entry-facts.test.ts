import { expect, it } from 'vitest'
import { factsOf, isNetworkOf, isStateOf, isTokenOf, numberOf } from './entry-facts.ts'

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

it('recognises an entry that adds another network or token than what was entered', () => {
  const cold = `0x${'aB'.repeat(20)}`
  const network = { name: 'scroll', chainId: 534_352, coldAddress: undefined }
  const networkText = (over: object, type = 'network') =>
    JSON.stringify({ serial: 3, change: { type, row: { ...network, coldAddress: null, ...over } } })
  expect(isNetworkOf(networkText({}), network)).toBe(true)
  const meant = { ...network, coldAddress: cold }
  expect(isNetworkOf(networkText({ coldAddress: cold.toLowerCase() }), meant)).toBe(true)
  expect(isNetworkOf(networkText({}), meant)).toBe(false)
  for (const over of [{ name: 'scrolls' }, { chainId: 1 }, { chainId: '534352' }, { coldAddress: cold }])
    expect(isNetworkOf(networkText(over), network)).toBe(false)
  expect(isNetworkOf(networkText({}, 'token'), network)).toBe(false)
  expect(isNetworkOf(JSON.stringify({ change: { type: 'nodes' } }), network)).toBe(false)

  const token = { network: 'base', contract: cold, decimals: 6 }
  const tokenText = (over: object, type = 'token') =>
    JSON.stringify({ serial: 3, change: { type, row: { ...token, ...over } } })
  expect(isTokenOf(tokenText({ contract: cold.toLowerCase() }), token)).toBe(true)
  for (const over of [{ network: 'polygon' }, { contract: `0x${'ab'.repeat(19)}ac` }, { decimals: 18 }])
    expect(isTokenOf(tokenText(over), token)).toBe(false)
  expect(isTokenOf(tokenText({}, 'network'), token)).toBe(false)
  expect([numberOf(tokenText({})), numberOf('{}')]).toEqual([3, undefined])
})
