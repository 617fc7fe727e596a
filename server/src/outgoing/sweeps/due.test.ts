import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DueContext, isCheap, pickDue, shareOf } from './due.ts'
import { addressesPerSweep, type Deposited, delegatedGas, sweepPolicies } from './sweep.ts'

const now = new Date('2026-01-10T00:00:00Z')
const hour = 3_600_000

const context: DueContext = {
  policy: sweepPolicies.production,
  now,
  gas: delegatedGas,
  gasPriceMinor: 10n,
  isCheap: false,
  isNeeded: false,
  orderedAt: undefined,
  worthOf: (amountMinor) => amountMinor,
  minimumOf: () => 0n,
}

const one: Deposited = {
  addressId: 1,
  address: '0x01',
  branch: 1,
  index: 1,
  asset: 'ethereum/USDT',
  merchantId: 'm',
  amountMinor: 10n ** 9n,
  merchantMinor: 10n ** 9n,
  confirmedAt: new Date(now.getTime() - 2 * hour),
  isCollecting: false,
}

const many = fc.array(
  fc.record({
    amountMinor: fc.bigInt({ min: 1n, max: 10n ** 8n }),
    ageHours: fc.integer({ min: 0, max: 24 * 10 }),
    isCollecting: fc.boolean(),
    merchantId: fc.constantFrom(undefined, 'm', 'n'),
  }),
  { maxLength: 150 },
)
const deposits = many.map((drawn) =>
  drawn.map(
    ({ ageHours, ...rest }, index): Deposited => ({
      ...one,
      ...rest,
      addressId: index,
      merchantMinor: rest.amountMinor,
      confirmedAt: new Date(now.getTime() - ageHours * hour),
    }),
  ),
)
const contexts = fc
  .record({
    isCheap: fc.boolean(),
    isNeeded: fc.boolean(),
    gasPriceMinor: fc.bigInt({ min: 1n, max: 200n }),
    hasPrices: fc.boolean(),
    minimumMinor: fc.bigInt({ min: 0n, max: 10n ** 7n }),
    orderedHoursAgo: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
  })
  .map(
    ({ hasPrices, minimumMinor, orderedHoursAgo, ...rest }): DueContext => ({
      ...context,
      ...rest,
      worthOf: (amountMinor) => (hasPrices ? amountMinor : undefined),
      minimumOf: (merchantId) => (merchantId === undefined ? 0n : minimumMinor),
      orderedAt: orderedHoursAgo === undefined ? undefined : new Date(now.getTime() - orderedHoursAgo * hour),
    }),
  )

describe('what is brought in', () => {
  it('is never worth less than its share of the fee, and five times as much where nothing presses', () => {
    fc.assert(
      fc.property(deposits, contexts, (lying, drawn) => {
        const due = pickDue(lying, drawn)
        const shareMinor = due.length === 0 ? 0n : shareOf(drawn, due.length)
        for (const { deposited, reason, shareMinor: expected } of due) {
          expect(expected).toBe(shareMinor)
          const worthMinor = drawn.worthOf(deposited.amountMinor)
          if (worthMinor === undefined) expect(reason).not.toBe('worth it')
          else expect(worthMinor >= shareMinor * (reason === 'worth it' ? 5n : 1n)).toBe(true)
        }
      }),
    )
  })

  it('leaves nothing behind that would have been worth its share beside it, as far as there is room', () => {
    fc.assert(
      fc.property(deposits, contexts, (lying, drawn) => {
        const due = pickDue(lying, { ...drawn, isNeeded: true })
        if (due.length === addressesPerSweep) return
        const picked = new Set(due.map(({ deposited }) => deposited.addressId))
        const left = lying.filter(({ addressId }) => !picked.has(addressId))
        const nextShareMinor = shareOf(drawn, due.length + 1)
        for (const { amountMinor } of left) {
          const worthMinor = drawn.worthOf(amountMinor)
          expect(worthMinor !== undefined && worthMinor < nextShareMinor).toBe(true)
        }
      }),
    )
  })

  it('is no address twice, and at most as many as one transaction takes', () => {
    fc.assert(
      fc.property(deposits, contexts, (lying, drawn) => {
        const due = pickDue(lying, drawn)
        expect(new Set(due.map(({ deposited }) => deposited.addressId)).size).toBe(due.length)
        expect(due.length).toBeLessThanOrEqual(addressesPerSweep)
      }),
    )
  })

  it('respects what a merchant collects at least and what still collects, unless a withdrawal waits', () => {
    fc.assert(
      fc.property(deposits, contexts, (lying, drawn) => {
        for (const { deposited } of pickDue(lying, { ...drawn, isNeeded: false })) {
          expect(deposited.isCollecting).toBe(false)
          expect(deposited.merchantMinor >= drawn.minimumOf(deposited.merchantId)).toBe(true)
        }
      }),
    )
    const small = { ...one, merchantMinor: 1n, isCollecting: true }
    const strict = { ...context, minimumOf: () => 2n }
    expect(pickDue([small], strict)).toEqual([])
    expect(pickDue([small], { ...strict, isNeeded: true })).toMatchObject([{ reason: 'needed' }])
  })

  it('waits for others to share the fee, unless the network is cheap or it waited long enough', () => {
    const fresh = { ...one, confirmedAt: now }
    expect(pickDue([fresh], context)).toEqual([])
    expect(pickDue([fresh], { ...context, isCheap: true })).toHaveLength(1)
    expect(pickDue([{ ...fresh, confirmedAt: new Date(now.getTime() - hour) }, fresh], context)).toHaveLength(
      2,
    )
    expect(pickDue([fresh], { ...context, orderedAt: now })).toMatchObject([{ reason: 'ordered' }])
  })

  it('is brought in for its share alone once it is old', () => {
    const share = shareOf(context, 1)
    const dust = { ...one, amountMinor: share }
    expect(pickDue([dust], context)).toEqual([])
    const old = { ...dust, confirmedAt: new Date(now.getTime() - 7 * 24 * hour) }
    expect(pickDue([old], context)).toMatchObject([{ reason: 'aged', shareMinor: share }])
    expect(pickDue([{ ...old, amountMinor: share - 1n }], context)).toEqual([])
  })

  it('is cheap by what the last days were like, once enough of them are known', () => {
    expect(isCheap(1n, [5n, 6n])).toBe(false)
    const past = Array.from({ length: 24 }, (_, at) => BigInt(at))
    expect(isCheap(12n, past)).toBe(true)
    expect(isCheap(13n, past)).toBe(false)
  })
})

describe('the data fee of a sweep', () => {
  const dataCost = { baseMinor: 1_000n, addressMinor: 500n }

  it('is part of the share of each deposit', () => {
    const gas = { baseGas: 0n, addressGas: 10n }
    expect(shareOf({ gas, gasPriceMinor: 1n }, 4)).toBe(10n)
    expect(shareOf({ gas, gasPriceMinor: 1n, dataCost }, 4)).toBe(10n + 250n + 500n)
    expect(shareOf({ gas, gasPriceMinor: 1n, dataCost }, 3)).toBe(10n + 334n + 500n)
  })

  it('raises the smallest deposit that is swept', () => {
    const plain = { ...context, isNeeded: true }
    const worthOfGas = { ...one, amountMinor: shareOf(plain, 1) }
    expect(pickDue([worthOfGas], plain)).toHaveLength(1)
    expect(pickDue([worthOfGas], { ...plain, dataCost })).toEqual([])
    const worthOfBoth = { ...one, amountMinor: shareOf({ ...plain, dataCost }, 1) }
    expect(pickDue([worthOfBoth], { ...plain, dataCost })).toHaveLength(1)
  })
})
