import fc from 'fast-check'
import { expect, it } from 'vitest'
import { locateTransfers } from './compare-accounts.ts'
import { mergeMissed, rotationSeconds, sampleHeights, surplusesIn } from './missed-payment.ts'

it('reports more than is booked, to the unit, and nothing else', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 30n })
  fc.assert(
    fc.property(amount, amount, (heldMinor, bookedMinor) => {
      const holding = { address: 'a', asset: 'x', heldMinor, bookedMinor }
      const expected = heldMinor > bookedMinor ? [{ ...holding, surplusMinor: heldMinor - bookedMinor }] : []
      expect(surplusesIn([holding])).toEqual(expected)
    }),
  )
})

it('finds each block in which something came that is not booked, whatever lay there before or was taken', async () => {
  const transfer = fc.record({
    height: fc.integer({ min: 11, max: 400 }),
    minor: fc.integer({ min: 1, max: 9 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(transfer, { maxLength: 8 }),
      fc.integer({ min: 0, max: 9 }),
      fc.option(fc.integer({ min: 11, max: 400 })),
      async (transfers, beforeMinor, emptiedAt) => {
        const left = transfers.filter(({ height }) => height > (emptiedAt ?? 0))
        const lay = emptiedAt === null ? beforeMinor : 0
        const taken = (height: number) => emptiedAt !== null && height < emptiedAt
        const surplusAt = async (height: number) => {
          // At heights before the sweep, the address still holds the deposits that the sweep took. These
          // deposits are not in the list of unswept deposits, so they look like a surplus.
          const some = taken(height) ? transfers : left
          const came = some
            .filter((one) => one.height <= height)
            .reduce((total, { minor }) => total + minor, 0)
          return BigInt(came + (taken(height) ? beforeMinor : lay))
        }
        const emptied = emptiedAt === null ? [10] : [emptiedAt, 10]
        const found = await locateTransfers(surplusAt, emptied, 400)
        const expected = new Map<number, bigint>()
        for (const { height, minor } of left)
          expected.set(height, (expected.get(height) ?? 0n) + BigInt(minor))
        const sorted = [...expected].sort(([a], [b]) => a - b)
        expect(found).toEqual(sorted.map(([height, amountMinor]) => ({ height, amountMinor })))
      },
    ),
  )
})

it('samples final blocks alone, half of them among the most recent, and never more than were asked for', () => {
  const random = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }))
  fc.assert(
    fc.property(fc.nat(50_000), fc.nat(50_000), fc.nat(20), random, (from, more, count, numbers) => {
      const to = from + more
      const heights = sampleHeights({ from, to, count }, () => numbers.next().value)
      expect(new Set(heights).size).toBe(heights.length)
      expect(heights.length).toBeLessThanOrEqual(count)
      for (const height of heights) expect(height >= from && height <= to).toBe(true)
    }),
  )
  expect(sampleHeights({ from: 0, to: 1_000_000, count: 2 }, () => 0)).toEqual([990_001, 0])
  expect(sampleHeights({ from: 5, to: 4, count: 2 }, () => 0)).toEqual([])
})

it('counts whole scans until all addresses were compared', () => {
  expect(rotationSeconds({ addresses: 4_000_000, scannedAddresses: 600, scanSeconds: 60 })).toBe(400_020)
  expect(rotationSeconds({ addresses: 1, scannedAddresses: 600, scanSeconds: 60 })).toBe(60)
  expect(rotationSeconds({ addresses: 0, scannedAddresses: 0, scanSeconds: 60 })).toBe(0)
  expect(rotationSeconds({ addresses: 5, scannedAddresses: 0, scanSeconds: 60 })).toBeUndefined()
})

it('makes one finding of what one block brought to one address', () => {
  const one = {
    network: 'n',
    address: 'a',
    asset: 'x',
    height: 7,
    isLocated: true,
    foundBy: 'block',
  } as const
  const reported = mergeMissed([
    { ...one, amountMinor: 1n, txHash: 'first' },
    { ...one, amountMinor: 2n, txHash: 'second' },
    { ...one, height: 8, amountMinor: 4n, txHash: 'third' },
  ])
  expect(reported).toEqual([
    { ...one, amountMinor: 3n, txHash: undefined },
    { ...one, height: 8, amountMinor: 4n, txHash: 'third' },
  ])
})
