import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orderPublicKey } from '../../signing/order-signature.ts'
import { mainPaymentMethods } from '../payment-methods/catalogue.ts'
import { paymentMethods } from '../payment-methods/payment-method.ts'
import { conflictsOf } from './conflicts.ts'
import { writingParts } from './operator-key.ts'
import { disabledIds, ownMethods } from './own-methods.ts'
import { evmNetworkOf, type OwnNetwork, readOwnNetwork } from './own-network.ts'
import { hasLost, lossIn, nextText, readOwnRows } from './own-rows.ts'
import { type OwnToken, readOwnToken } from './own-token.ts'
import { noOwnRows, type OwnChange, type OwnRows, type StoredEntry } from './signed-rows.ts'

const network: OwnNetwork = {
  methodId: 1000,
  name: 'scroll',
  title: 'Scroll',
  chainId: 534_352,
  coin: {
    symbol: 'ETH',
    name: 'Ether',
    decimals: 18,
    minimum: '0.001',
    depositMax: '1000000',
    isStable: false,
  },
  blockTimeMs: 3_000,
  confirmations: [10, 60, 240],
  feeModel: 'eip1559',
  canDelegate: false,
  priceBounds: {
    maxFeePerGasMax: '100000000000',
    maxPriorityFeePerGasMin: '0',
    maxPriorityFeePerGasMax: '1000000000',
  },
  coinMirrors: [`0x${'11'.repeat(20)}`],
  explorer: { name: 'Scrollscan', url: 'https://scrollscan.com' },
  walletRpcUrl: null,
  typicalFeeUsd: '0.01',
  isCreditable: false,
  coldAddress: null,
  gasBudget: '0.1',
  nodesHash: 'ab'.repeat(32),
}

const token: OwnToken = {
  methodId: 1001,
  network: 'scroll',
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  contract: '0x06efdbff2a14a7c8e15944d1f4a48f9f95f663a4',
  minimum: '1',
  depositMax: '1000000',
  isStable: true,
  isCreditable: false,
}

const baseUsdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const seed = randomBytes(32)
const keys = writingParts(seed, [orderPublicKey(seed)], 'here')
const off: OwnChange = { type: 'state', kind: 'token', name: 'scroll/USDC', isEnabled: false }
const on: OwnChange = { type: 'state', kind: 'token', name: 'scroll/USDC', isEnabled: true }
const added: readonly OwnChange[] = [
  { type: 'network', row: network },
  { type: 'token', row: token },
]

function signedAfter(rows: OwnRows, change: OwnChange, id: number, by = keys): StoredEntry {
  const text = nextText(rows, by.installation, change)
  return { id, text, signature: by.sign(text) }
}

function signedText(text: string): StoredEntry {
  return { id: 9, text, signature: keys.sign(text) }
}

function entriesOf(changes: readonly OwnChange[]): readonly StoredEntry[] {
  const entries: StoredEntry[] = []
  for (const change of changes)
    entries.push(signedAfter(readOwnRows(entries, keys), change, entries.length + 1))
  return entries
}

describe("the operator's signed entries", () => {
  it('state networks and tokens, and whether they are enabled', () => {
    const rows = readOwnRows(entriesOf([...added, off]), keys)
    expect(rows.networks).toEqual([{ row: network, isEnabled: true, serial: 1 }])
    expect(rows.tokens).toEqual([{ row: token, isEnabled: false, serial: 3 }])
    expect(rows.refused).toEqual([])
    expect([...disabledIds(rows)]).toEqual([1001])
    expect(ownMethods(rows, [], undefined).methods.map(({ id, asset }) => [id, asset])).toEqual([
      [1000, 'scroll/ETH'],
      [1001, 'scroll/USDC'],
    ])
  })

  it('are refused without a signature, with a changed text, and for another installation', () => {
    const [first] = entriesOf(added)
    const text = first?.text ?? ''
    const signature = first?.signature ?? ''
    const elsewhere = { ...keys, installation: 'elsewhere' }
    for (const entry of [
      { id: 1, text, signature: '' },
      { id: 1, text: text.replace('534352', '534353'), signature },
      { id: 1, text, signature: writingParts(randomBytes(32), [], 'here').sign(text) },
      signedAfter(noOwnRows, { type: 'network', row: network }, 1, elsewhere),
    ]) {
      const rows = readOwnRows([entry], keys)
      expect([rows.networks, rows.refused.length]).toEqual([[], 1])
    }
  })

  it('are not used again: an older entry put after a newer one, or a copy of it, changes nothing', () => {
    const entries = entriesOf([...added, off, on, off])
    const replayed = [...entries, { ...(entries[3] as StoredEntry), id: 9 }]
    expect(readOwnRows(replayed, keys).tokens[0]?.isEnabled).toBe(false)
  })

  it('end where one is missing', () => {
    const entries = entriesOf([...added, off, on])
    const rows = readOwnRows(
      entries.filter(({ id }) => id !== 3),
      keys,
    )
    expect([rows.hashes.length, rows.refused.map(({ id }) => id)]).toEqual([2, [4]])
  })

  it('end before two different ones with one number', () => {
    const entries = entriesOf(added)
    const known = readOwnRows(entries, keys)
    const rows = readOwnRows([...entries, signedAfter(known, off, 3), signedAfter(known, on, 4)], keys)
    expect([rows.hashes.length, rows.refused.map(({ id }) => id)]).toEqual([2, [3, 4]])
  })

  it.each<[string, readonly OwnChange[], number]>([
    ['the first', [{ type: 'network', row: { ...network, name: 'other', title: 'Other' } }], 1],
    ['one in the middle', [on], 3],
    [
      'one in the middle, thrice',
      [on, { type: 'token', row: { ...token, methodId: 1002, symbol: 'DAI' } }],
      3,
    ],
    ['one that is no change', [{ type: 'other' } as never], 3],
  ])('pass over a rival of %s, which the next one does not name', (_, rivals, serial) => {
    const entries = entriesOf([...added, off, on])
    const known = readOwnRows(entries.slice(0, serial - 1), keys)
    const late = rivals.map((change, index) => signedAfter(known, change, 10 + index))
    const rows = readOwnRows([...late, ...entries], keys)
    expect(rows.hashes).toEqual(readOwnRows(entries, keys).hashes)
    expect(rows.refused.map(({ isLost }) => isLost)).toEqual(late.map(() => false))
    expect(rows.refused[0]?.reason).toContain(`the signed entry ${serial + 1} follows another entry`)
    expect(lossIn(rows, 4)).toBeUndefined()
  })

  it('end before two that both have a signed entry after them', () => {
    const entries = entriesOf([...added, off])
    const first = readOwnRows(entries.slice(0, 2), keys)
    const other = signedAfter(first, on, 11)
    const after = [entries[2] as StoredEntry, other].map((one, index) =>
      signedAfter(readOwnRows([...entries.slice(0, 2), one], keys), on, 20 + index),
    )
    const rows = readOwnRows([...entries, other, ...after], keys)
    expect([rows.hashes.length, lossIn(rows, 0)]).toEqual([2, expect.stringContaining('ids 3, 11, 20, 21')])
  })

  it('are the same with all signatures that were made and not stored, except for the last number', () => {
    const flips = fc.record({ isOn: fc.boolean(), rivals: fc.nat(2) })
    fc.assert(
      fc.property(fc.array(flips, { minLength: 1, maxLength: 6 }), fc.array(fc.nat()), (steps, order) => {
        const entries = [...entriesOf(added)]
        const kept: StoredEntry[] = []
        for (const { isOn, rivals } of steps) {
          const known = readOwnRows(entries, keys)
          // Each has another name, so that no two texts are the same.
          for (let count = 0; count < rivals; count += 1)
            kept.push(
              signedAfter(known, { ...off, name: `scroll/X${count}` } as OwnChange, 100 + kept.length),
            )
          entries.push(signedAfter(known, isOn ? on : off, entries.length + 1))
        }
        const shuffled = [...entries, ...kept]
          .map((entry, index) => ({ entry, key: order[index] ?? index }))
          .toSorted((one, other) => one.key - other.key)
          .map(({ entry }) => entry)
        const sure = (steps.at(-1)?.rivals ?? 0) === 0 ? entries : entries.slice(0, -1)
        const rows = readOwnRows(shuffled, keys)
        const expected = readOwnRows(sure, keys)
        expect([rows.hashes, rows.networks, rows.tokens]).toEqual([
          expected.hashes,
          expected.networks,
          expected.tokens,
        ])
        expect(lossIn(rows, 0) === undefined).toBe(sure.length === entries.length)
      }),
      { numRuns: 50 },
    )
  })

  it('show that their end was cut off to a process that knows it', () => {
    const entries = entriesOf([...added, off])
    const known = readOwnRows(entries, keys)
    expect(hasLost(known, readOwnRows(entries.slice(0, 2), keys))).toBe(true)
    expect(hasLost(known, known)).toBe(false)
    expect(hasLost(readOwnRows(entries.slice(0, 2), keys), known)).toBe(false)
  })

  it('are refused if they are signed but malformed, or repeat what exists', () => {
    for (const change of [
      { type: 'network', row: { ...network, title: 'Other' } },
      { type: 'network', row: { ...network, name: 'other', gasBudget: '-1' } },
      { type: 'state', kind: 'token', name: 'scroll/DAI', isEnabled: false },
      { type: 'other' },
    ] as OwnChange[]) {
      const entries = entriesOf(added)
      const rows = readOwnRows([...entries, signedAfter(readOwnRows(entries, keys), change, 3)], keys)
      expect([rows.hashes.length, rows.refused.length]).toEqual([2, 1])
    }
  })

  it.each<[string, OwnChange]>([
    ['chain', { type: 'network', row: { ...network, chainId: 1 } }],
    ['name', { type: 'network', row: { ...network, name: 'base' } }],
    ['title', { type: 'network', row: { ...network, title: 'Polygon' } }],
    ['contract', { type: 'token', row: { ...token, network: 'base', contract: baseUsdc, symbol: 'X' } }],
    ['symbol', { type: 'token', row: { ...token, network: 'base' } }],
  ])('go on after one whose %s a later version of Coffer ships, and it is not used', (_, change) => {
    expect(conflictsOf(change, noOwnRows)).not.toEqual([])
    const first = signedAfter(noOwnRows, change, 1)
    const after = { ...network, name: 'later', title: 'Later', chainId: 77, methodId: 1002 }
    const second = signedAfter(readOwnRows([first], keys), { type: 'network', row: after }, 2)
    const rows = readOwnRows([first, second], keys)
    expect([rows.hashes.length, rows.refused.map(({ id, isLost }) => [id, isLost])]).toEqual([
      2,
      [[1, false]],
    ])
    expect(lossIn(rows, 2)).toBeUndefined()
    const shipped = mainPaymentMethods()
    const { methods, unusable } = ownMethods(rows, shipped, undefined)
    const all = [...shipped, ...methods]
    const now = paymentMethods(all, new Set(all.map((one) => one.network)), new Set(), unusable)
    const id = 'row' in change ? change.row.methodId : 0
    expect([now.byId(id)?.id, now.followedById(id), now.enabledById(1002)?.id]).toEqual([id, undefined, 1002])
    for (const one of shipped) expect(now.byAsset(one.asset)).toBe(one)
  })

  it.each<[string, (entries: readonly StoredEntry[]) => readonly StoredEntry[], number, RegExp | undefined]>([
    ['all entries', (entries) => entries, 3, undefined],
    ['the end cut off', (entries) => entries.slice(0, 2), 3, /OPERATOR_ENTRY_MIN is 3/],
    ['the middle missing', (entries) => [entries[0], entries[2]] as StoredEntry[], 0, /ids 3 are refused/],
    ['garbage beside', (entries) => [...entries, { id: 9, text: '{}', signature: '' }], 3, undefined],
    ['a text of the future', (entries) => [...entries, signedText('{"format":"2"}')], 3, /ids 9 are refused/],
  ])('with %s are whole or not', (_, change, entryMin, loss) => {
    const found = lossIn(readOwnRows(change(entriesOf([...added, off])), keys), entryMin)
    if (loss === undefined) expect(found).toBeUndefined()
    else expect(found).toMatch(loss)
  })
})

/** What a network without base fees has in place of the fields of `network`. */
const withoutBaseFees = {
  feeModel: 'legacy',
  canDelegate: false,
  priceBounds: { ...network.priceBounds, maxPriorityFeePerGasMax: network.priceBounds.maxFeePerGasMax },
}

describe('a network', () => {
  it('may have no base fees', () => {
    const row = readOwnNetwork({ ...network, ...withoutBaseFees })
    if ('problems' in row) throw new Error(JSON.stringify(row.problems))
    expect(evmNetworkOf(row)).toMatchObject({ feeModel: 'legacy', canDelegate: false })
  })

  it.each<[string, object, string, RegExp]>([
    ['a name with capitals', { name: 'Scroll' }, 'name', /small letters/],
    ['a shipped name', { name: 'base' }, 'name', /comes with Coffer/],
    ['a title of another network', { title: 'polygon' }, 'title', /another network/],
    ['a title with a bidirectional mark', { title: 'Scroll\u202e' }, 'title', /letters, digits/],
    ['a chain id as text', { chainId: '534352' }, 'chainId', /whole number/],
    ['a shipped chain id', { chainId: 8453 }, 'chainId', /chain of base/],
    ['a fractional block time', { blockTimeMs: 0.25 }, 'blockTimeMs', /from 50/],
    ['falling confirmations', { confirmations: [60, 10, 240] }, 'confirmations', /none below/],
    ['an unknown fee model', { feeModel: 'free' }, 'feeModel', /op-stack/],
    [
      'delegations but no base fees',
      { ...withoutBaseFees, canDelegate: true },
      'canDelegate',
      /must be false with feeModel legacy/,
    ],
    [
      'a tip but no base fees',
      { ...withoutBaseFees, priceBounds: network.priceBounds },
      'priceBounds.maxPriorityFeePerGasMax',
      /must equal maxFeePerGasMax/,
    ],
    ['a word for a flag', { canDelegate: 'yes' }, 'canDelegate', /true or false/],
    ['a mistyped address', { coinMirrors: ['0x12'] }, 'coinMirrors[0]', /address/],
    [
      'an explorer without TLS',
      { explorer: { name: 'S', url: 'http://s.example' } },
      'explorer.url',
      /https/,
    ],
    ['a wallet node with a key', { walletRpcUrl: 'https://s.example/?key=1' }, 'walletRpcUrl', /query/],
    ['a fee of nine decimals', { typicalFeeUsd: '0.000000001' }, 'typicalFeeUsd', /8 decimals/],
    ['the zero address as cold', { coldAddress: `0x${'00'.repeat(20)}` }, 'coldAddress', /zero address/],
    ['a negative budget', { gasBudget: '-1' }, 'gasBudget', /amount/],
    ['an unknown field', { chainID: 5 }, 'chainID', /is not a field/],
    ['coins of 6 decimals', { coin: { ...network.coin, decimals: 6 } }, 'coin.decimals', /must be 18/],
    ['a coin without a symbol', { coin: { ...network.coin, symbol: '' } }, 'coin.symbol', /capital/],
    ['no minimum', { coin: { ...network.coin, minimum: '0' } }, 'coin.minimum', /above 0/],
    [
      'a maximum below the minimum',
      { coin: { ...network.coin, depositMax: '0.0001' } },
      'coin.depositMax',
      /above/,
    ],
    [
      'a tip above the price',
      { priceBounds: { ...network.priceBounds, maxFeePerGasMax: '5' } },
      'priceBounds.maxPriorityFeePerGasMax',
      /must not be above/,
    ],
  ])('with %s is refused by its field', (_, change, field, detail) => {
    const read = readOwnNetwork({ ...network, ...change })
    const problems =
      'problems' in read ? read.problems : conflictsOf({ type: 'network', row: read }, noOwnRows)
    expect(problems.map((problem) => problem.field)).toContain(field)
    expect(problems.find((problem) => problem.field === field)?.detail).toMatch(detail)
  })
})

describe('a token', () => {
  it.each<[string, object, string, RegExp]>([
    [
      'a wrong checksum',
      { contract: '0x06eFdBFf2a14a7c8E15944D1F4A48F9F95F663a4'.replace('eF', 'Ef') },
      'contract',
      /checksum/,
    ],
    ['no contract', { contract: undefined }, 'contract', /address/],
    ['the contract that mirrors the coin', { contract: `0x${'11'.repeat(20)}` }, 'contract', /count twice/],
    ['an unknown network', { network: 'nowhere' }, 'network', /networks add/],
    ['a network of another family', { network: 'bitcoin' }, 'network', /no EVM network/],
    ['the symbol of the coin', { symbol: 'eth' }, 'symbol', /already used/],
    ['a symbol with a space', { symbol: 'US D' }, 'symbol', /letters, digits and dots/],
    ['37 decimals', { decimals: 37 }, 'decimals', /from 0 to 36/],
    ['more decimals in the minimum', { minimum: '0.0000001' }, 'minimum', /6 decimals/],
    ['a number as the maximum', { depositMax: 1000 }, 'depositMax', /as text/],
    ['a taken id', { methodId: 1000 }, 'methodId', /in use/],
    ['a shipped id', { methodId: 1 }, 'methodId', /from 1000/],
    ['an empty name', { name: '' }, 'name', /1 to 40/],
  ])('with %s is refused by its field', (_, change, field, detail) => {
    const known = readOwnRows(entriesOf(added.slice(0, 1)), keys)
    const read = readOwnToken({ ...token, ...change })
    const problems = 'problems' in read ? read.problems : conflictsOf({ type: 'token', row: read }, known)
    expect(problems.find((problem) => problem.field === field)?.detail).toMatch(detail)
  })

  it('is refused at a contract or symbol that its network has', () => {
    const usdc = { ...token, network: 'base', contract: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' }
    const fields = conflictsOf({ type: 'token', row: usdc }, noOwnRows).map(({ field }) => field)
    expect(fields).toEqual(['contract', 'symbol'])
  })
})
