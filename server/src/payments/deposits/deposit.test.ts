import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bookDeposits, confirmationsAt, type Deposit, pendingWorthUsd, seenIn, worthUsd } from './deposit.ts'
import { depositJournal, depositReversals, raiseJournal } from './journals.ts'

function deposit(amountMinor: bigint, over: Partial<Deposit> = {}): Deposit {
  return {
    id: 'd',
    network: 'ethereum',
    transferKey: 'k',
    txHash: '0x1',
    asset: 'ethereum/USDT',
    paymentMethodId: 1,
    merchantId: 'm',
    offeredMethodIds: [1],
    invoiceId: 'i',
    sender: undefined,
    recipient: '0xr',
    amountMinor,
    state: 'pending',
    inclusion: 1,
    blockHeight: 1,
    includedAt: new Date(0),
    inTimeAt: new Date(0),
    fullMinor: undefined,
    priceUsd: 10n ** 12n,
    feePercentBasisPoints: 100,
    feeFlatMinor: 100_000n,
    feeMinor: undefined,
    netMinor: undefined,
    belowMinimum: false,
    mac: '',
    verdict: undefined,
    listedAddress: undefined,
    quarantine: undefined,
    createdAt: new Date(0),
    confirmedAt: undefined,
    firstSeenAt: undefined,
    unseenSince: undefined,
    replacedBy: undefined,
    replacedHeight: undefined,
    failures: 0,
    maturesAfter: 1,
    ...over,
  }
}

describe('booking confirmed deposits', () => {
  const minimum = 500_000n

  it('credits what reaches the minimum, alone or with what was credited before', () => {
    expect(bookDeposits([deposit(500_000n)], [], 0n, minimum).booked).toMatchObject([{ booking: 'credit' }])
    expect(bookDeposits([deposit(1n)], [], minimum, minimum).booked).toMatchObject([{ booking: 'credit' }])
  })

  it('keeps small ones apart, and raises them once together they reach it', () => {
    const kept = [deposit(200_000n)]
    expect(bookDeposits([deposit(299_999n)], kept, 0n, minimum)).toMatchObject({
      booked: [{ booking: 'keep' }],
      raised: [],
    })
    expect(bookDeposits([deposit(300_000n)], kept, 0n, minimum)).toMatchObject({
      booked: [{ booking: 'credit' }],
      raised: kept,
    })
  })

  it('credits nobody for an address nobody was given', () => {
    const unattributed = deposit(10n ** 9n, { merchantId: undefined, invoiceId: undefined })
    expect(bookDeposits([unattributed], [], 0n, minimum).booked).toMatchObject([{ booking: 'unattributed' }])
  })
})

describe('the journal of a deposit', () => {
  it('balances with gross = net + fee for every amount and every fee', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 30n),
        fc.integer({ min: 0, max: 10_000 }),
        fc.bigInt(0n, 10n ** 20n),
        fc.constantFrom(0, 2, 6, 8, 18),
        (amount, percent, flat, decimals) => {
          const own = deposit(amount, { feePercentBasisPoints: percent, feeFlatMinor: flat })
          const { split } = depositJournal({ deposit: own, booking: 'credit' }, decimals)
          expect((split?.feeMinor ?? 0n) + (split?.netMinor ?? 0n)).toBe(amount)
          expect(raiseJournal(own, decimals).split).toEqual(split)
        },
      ),
    )
  })

  it('is taken back under the inclusion it was booked under', () => {
    const subjects = (own: Deposit) => depositReversals(own).map(({ subject }) => subject)
    expect(subjects(deposit(1n, { inclusion: 2 }))).toEqual(['deposit:d:2'])
    expect(subjects(deposit(1n, { belowMinimum: true }))).toEqual(['below:d:1'])
    expect(subjects(deposit(1n, { belowMinimum: true, netMinor: 1n }))).toEqual(['raised:d:1', 'below:d:1'])
  })
})

describe('what is at stake', () => {
  it('is the worth of all deposits together, and unknown as soon as one is', () => {
    expect(worthUsd(deposit(1_500_000n), 6)).toBe(150_000_000n)
    expect(pendingWorthUsd([1n, 2n])).toBe(3n)
    expect(pendingWorthUsd([1n, worthUsd(deposit(1n, { priceUsd: undefined }), 6)])).toBeUndefined()
  })

  it('counts the including block as the first confirmation', () => {
    expect(confirmationsAt(10, 10)).toBe(1)
    expect(confirmationsAt(11, 10)).toBe(2)
  })
})

it('a payment is in its block, else in a mempool as long as one holds it', () => {
  const unseenSince = new Date(0)
  expect(seenIn(deposit(1n))).toBe('block')
  expect(seenIn(deposit(1n, { blockHeight: undefined }))).toBe('mempool')
  expect(seenIn(deposit(1n, { blockHeight: undefined, unseenSince }))).toBe('nowhere')
})
