import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { halved, priceWithin, splitToCost } from './split-sweeps.ts'

const gwei = 10n ** 9n

function sweepOf(count: number, mayBeSplit = true): Proposal {
  const deposits = Array.from({ length: count }, (_, index) => ({
    type: 'deposit' as const,
    branch: 1,
    index,
    delegationNonce: 0,
  }))
  const assets = [{ asset: 'ethereum/USDT', contract: `0x${'d1'.repeat(20)}` }]
  const proposal = { id: 'sweep', network: 'ethereum', spends: undefined, mayBeSplit }
  return { ...proposal, intent: { kind: 'sweep', deposits, assets } }
}

function indexesOf(parts: readonly Proposal[]): readonly number[] {
  return parts.flatMap(({ intent }) =>
    intent.kind === 'sweep' ? intent.deposits.map(({ index }) => index) : [],
  )
}

const price = fc.record({
  wantedMinor: fc.bigInt(gwei, 900n * gwei),
  leastMinor: fc.bigInt(gwei, 900n * gwei),
})
const most = fc.bigInt(10n ** 14n, 10n ** 18n)

describe('a sweep that may cost no more than so much', () => {
  it('has every address in one of its parts, the first of which keeps its name', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), price, most, (count, range, mostMinor) => {
        const parts = splitToCost(sweepOf(count), range, mostMinor)
        expect(indexesOf(parts)).toEqual(Array.from({ length: count }, (_, index) => index))
        expect(new Set(parts.map(({ id }) => id)).size).toBe(parts.length)
        expect(required(parts[0], 'a part').id).toBe('sweep')
      }),
    )
  })

  it('is not parted where it is cheap, or where somebody was notified of it as a whole', () => {
    const cheap = { wantedMinor: gwei, leastMinor: gwei }
    expect(splitToCost(sweepOf(60), cheap, 10n ** 17n)).toHaveLength(1)
    const reported = sweepOf(60, false)
    expect(splitToCost(reported, { wantedMinor: 500n * gwei, leastMinor: 400n * gwei }, 10n ** 16n)).toEqual([
      reported,
    ])
    expect(halved(reported)).toEqual([reported])
  })

  it('is halved until it is one address', () => {
    let parts: readonly Proposal[] = [sweepOf(60)]
    for (let round = 0; round < 6; round += 1) parts = parts.flatMap((part) => halved(part))
    expect(parts).toHaveLength(60)
    expect(indexesOf(parts).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, index) => index),
    )
    expect(parts.flatMap((part) => halved(part))).toHaveLength(60)
  })
})

describe('a price', () => {
  it('never comes to more than is allowed, nor below what sends it, nor above what is wanted', () => {
    fc.assert(
      fc.property(fc.bigInt(21_000n, 15_000_000n), price, most, (gas, range, mostMinor) => {
        const found = priceWithin(gas, range, mostMinor)
        if (found === undefined) return
        expect(found * gas).toBeLessThanOrEqual(mostMinor)
        expect(found).toBeLessThanOrEqual(range.wantedMinor)
        const floor = range.leastMinor < range.wantedMinor ? range.leastMinor : range.wantedMinor
        expect(found).toBeGreaterThanOrEqual(floor)
      }),
    )
  })
})

it('a sweep is split further where the signer counts its bytes', () => {
  const range = { wantedMinor: gwei, leastMinor: gwei }
  const mostMinor = 10n ** 16n
  expect(splitToCost(sweepOf(60), range, mostMinor)).toHaveLength(1)
  // 134 bytes for each address, and 382 for the rest.
  const perByteMinor = 2n * 10n ** 12n
  const parts = splitToCost(sweepOf(60), range, mostMinor, perByteMinor)
  expect(parts.length).toBeGreaterThan(1)
  for (const { intent } of parts) {
    const count = intent.kind === 'sweep' ? BigInt(intent.deposits.length) : 0n
    expect(perByteMinor * (382n + 134n * count)).toBeLessThan(mostMinor)
  }
})
