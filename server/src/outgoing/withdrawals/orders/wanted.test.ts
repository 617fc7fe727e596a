import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Order } from '../../../signing/order-signature.ts'
import { holdJournal } from '../journals.ts'
import { errorOfOrder, type HoldLine, type OrderHold } from './wanted.ts'

const order: Order = {
  id: '0197a1f1-4444-7444-8444-000000000001',
  merchantId: '0197a1f1-1111-7111-8111-111111111111',
  asset: 'ethereum/USDT',
  contract: null,
  address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  amountMinor: 10_000_000n,
  feeMinor: 200_000n,
  invoiceId: null,
}

/** Returns the hold in the books: the journal that is posted when the order is created. */
function holdOf(one: Order): OrderHold {
  const { kind, lines } = holdJournal(one)
  return {
    isSealed: true,
    kind,
    followedBy: [],
    lines: lines.map(({ account: { name, ownerId, asset }, debitMinor, creditMinor }) => ({
      account: name,
      ownerId,
      asset,
      debitMinor,
      creditMinor,
    })),
  }
}

const lines: fc.Arbitrary<HoldLine> = fc.record({
  account: fc.constantFrom('available', 'held', 'custody'),
  ownerId: fc.constantFrom(order.merchantId, 'another', undefined),
  asset: fc.constantFrom(order.asset, 'ethereum/ETH'),
  debitMinor: fc.constantFrom(0n, 1n, order.amountMinor),
  creditMinor: fc.constantFrom(0n, 1n, order.amountMinor),
})

describe('an order', () => {
  it('is wanted whatever it is for, while it is signed and exactly its amount is held', () => {
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 30n })
    fc.assert(
      fc.property(amounts, fc.uuid(), (amountMinor, merchantId) => {
        const one = { ...order, amountMinor, merchantId }
        expect(errorOfOrder({ order: one, isSigned: true, isReleaseForged: false, hold: holdOf(one) })).toBe(
          undefined,
        )
      }),
    )
  })

  it('is not wanted while its hold is any other than the one that was posted for it', () => {
    const right = new Set(holdOf(order).lines.map(textOf))
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 4 }), (given) => {
        const isRight = given.length === 2 && [...right].every((line) => given.map(textOf).includes(line))
        const error = errorOfOrder({
          order,
          isSigned: true,
          isReleaseForged: false,
          hold: { ...holdOf(order), lines: given },
        })
        expect(error === undefined).toBe(isRight)
      }),
    )
  })

  it.each<[string, Partial<Parameters<typeof errorOfOrder>[0]>]>([
    ['signature', { isSigned: false }],
    ['the release of withdrawal', { isReleaseForged: true }],
    ['no journal holds', { hold: undefined }],
    ['not part of the sealed books', { hold: { ...holdOf(order), isSealed: false } }],
    [
      'already released: withdrawal:x:released',
      { hold: { ...holdOf(order), followedBy: ['withdrawal:x:released'] } },
    ],
    ['does not match its amount', { hold: { ...holdOf(order), kind: 'withdrawal.retaken' } }],
  ])('is not wanted, and it is said why: %s', (why, change) => {
    expect(
      errorOfOrder({ order, isSigned: true, isReleaseForged: false, hold: holdOf(order), ...change }),
    ).toContain(why)
  })
})

function textOf({ account, ownerId, asset, debitMinor, creditMinor }: HoldLine): string {
  return [account, ownerId, asset, debitMinor, creditMinor].join(' ')
}
