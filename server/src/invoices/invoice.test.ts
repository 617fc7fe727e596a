import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changesBetween,
  deriveStanding,
  dueMinor,
  isPayable,
  type Payment,
  type PaymentRules,
} from './invoice.ts'

const strict: PaymentRules = { paidWhen: 'included', toleranceBasisPoints: 0 }
const expiresAt = new Date('2026-01-01T01:00:00Z')
const open = { state: 'pending', expiresAt } as const

function payment(amountMinor: bigint, over: Partial<Payment> = {}): Payment {
  return {
    transactionId: 'a',
    txHash: '0xa',
    paymentMethodId: 1,
    amountMinor,
    fullMinor: 1_000_000n,
    stepMinor: 1n,
    inTimeAt: new Date('2026-01-01T00:30:00Z'),
    included: true,
    includedAt: new Date('2026-01-01T00:30:00Z'),
    confirmed: false,
    ...over,
  }
}

describe('the standing of an invoice', () => {
  it('is paid by exactly the quoted amount and not by one unit less', () => {
    expect(deriveStanding(open, [payment(1_000_000n)], strict)).toMatchObject({
      state: 'paid',
      exceptions: [],
    })
    expect(deriveStanding(open, [payment(999_999n)], strict)).toMatchObject({
      state: 'pending',
      exceptions: ['underpaid'],
    })
  })

  it('adds partial payments up, across assets, and names the one that completed it', () => {
    const inEther = payment(6n * 10n ** 17n, {
      paymentMethodId: 3,
      fullMinor: 10n ** 18n,
      stepMinor: 10n ** 12n,
    })
    const standing = deriveStanding(open, [payment(400_000n), inEther], strict)
    expect(standing).toMatchObject({ state: 'paid', exceptions: [] })
    expect(standing.completedBy).toBe(inEther)
  })

  it('marks more than was asked, but not the step that rounding a remainder up adds', () => {
    expect(deriveStanding(open, [payment(1_000_001n)], strict).exceptions).toEqual(['overpaid'])
    const thirds = [
      payment(1n, { fullMinor: 3n, stepMinor: 1n }),
      payment(2n, { fullMinor: 3n, stepMinor: 1n }),
    ]
    expect(deriveStanding(open, thirds, strict)).toMatchObject({ state: 'paid', exceptions: [] })
  })

  it('does not count late money, and marks it', () => {
    const late = payment(1_000_000n, { inTimeAt: expiresAt })
    expect(deriveStanding({ state: 'expired', expiresAt }, [late], strict)).toMatchObject({
      state: 'expired',
      exceptions: ['underpaid', 'late'],
    })
  })

  it('counts money in time even when it is only seen after the invoice expired', () => {
    expect(deriveStanding({ state: 'expired', expiresAt }, [payment(1_000_000n)], strict).state).toBe('paid')
  })

  it('waits for confirmation where the merchant says so', () => {
    const rules: PaymentRules = { paidWhen: 'confirmed', toleranceBasisPoints: 0 }
    expect(deriveStanding(open, [payment(1_000_000n)], rules).state).toBe('pending')
    expect(deriveStanding(open, [payment(1_000_000n, { confirmed: true })], rules).state).toBe('paid')
  })

  it('does not ask again for what is in a block while it waits for confirmation, nor call it short', () => {
    const rules: PaymentRules = { paidWhen: 'confirmed', toleranceBasisPoints: 0 }
    const included = [payment(1_000_000n)]
    expect(dueMinor(1_000_000n, 1n, open, included)).toBe(0n)
    expect(deriveStanding(open, included, rules)).toMatchObject({ state: 'pending', exceptions: [] })
  })

  it('takes no longer than a block for the payments of a whole day, at whatever prices', () => {
    const many = Array.from({ length: 30_000 }, (_, place) =>
      payment(1n, { fullMinor: place % 2 === 0 ? 10n ** 18n : 10n ** 18n + 1n }),
    )
    const startedAt = performance.now()
    const standing = deriveStanding(open, [...many, payment(10n ** 18n, { fullMinor: 10n ** 18n })], strict)
    expect(standing.completedBy?.amountMinor).toBe(10n ** 18n)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })

  it('accepts what is missing within the merchant’s tolerance and nothing beyond', () => {
    const rules: PaymentRules = { paidWhen: 'included', toleranceBasisPoints: 100 }
    expect(deriveStanding(open, [payment(990_000n)], rules).state).toBe('paid')
    expect(deriveStanding(open, [payment(989_999n)], rules).state).toBe('pending')
  })

  it('forgets everything about a payment that a reorganisation took back', () => {
    const gone = payment(1_000_000n, { included: false, includedAt: undefined })
    expect(deriveStanding({ state: 'paid', expiresAt }, [gone], strict)).toMatchObject({
      state: 'pending',
      exceptions: [],
    })
  })

  it('pays exactly when what was due is sent, whatever was sent before and at whatever price', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.bigInt(1n, 10n ** 20n), fc.bigInt(1n, 10n ** 20n)), { maxLength: 4 }),
        fc.bigInt(1n, 10n ** 20n),
        fc.constantFrom(1n, 10n ** 12n),
        (earlier, fullMinor, stepMinor) => {
          const before = earlier.map(([amount, full]) => payment(amount, { fullMinor: full }))
          const due = dueMinor(fullMinor, stepMinor, open, before)
          const paidBefore = deriveStanding(open, before, strict).state === 'paid'
          expect(due === 0n).toBe(paidBefore)
          if (paidBefore) return
          expect(due % stepMinor).toBe(0n)
          const last = payment(due, { fullMinor, stepMinor })
          expect(deriveStanding(open, [...before, last], strict).state).toBe('paid')
          expect(deriveStanding(open, [...before, last], strict).exceptions).toEqual([])
        },
      ),
    )
  })

  it('does not depend on how often it is derived', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(1n, 2_000_000n), { maxLength: 5 }), (amounts) => {
        const payments = amounts.map((amount) => payment(amount))
        const once = deriveStanding(open, payments, strict)
        expect(deriveStanding({ state: once.state, expiresAt }, payments, strict)).toEqual(once)
      }),
    )
  })
})

describe('what is told', () => {
  const standing = (state: 'pending' | 'paid' | 'expired', exceptions: 'underpaid'[] = []) =>
    ({ state, exceptions, completedBy: undefined }) as const

  it('is one event per change of state, and nothing when there is none', () => {
    expect(changesBetween('pending', standing('pending', ['underpaid']))).toEqual([])
    expect(changesBetween('pending', standing('paid'))).toEqual(['invoice.paid'])
    expect(changesBetween('expired', standing('paid'))).toEqual(['invoice.paid'])
    expect(changesBetween('paid', standing('pending'))).toEqual(['invoice.reverted'])
    expect(changesBetween('pending', standing('expired'))).toEqual(['invoice.expired'])
    expect(changesBetween('pending', standing('expired', ['underpaid']))).toEqual([
      'invoice.expired',
      'invoice.underpaid',
    ])
  })
})

describe('an invoice', () => {
  it('can be paid while it is pending and its time is not over', () => {
    const before = new Date(expiresAt.getTime() - 1)
    expect(isPayable({ state: 'pending', type: 'onetime', expiresAt }, before)).toBe(true)
    expect(isPayable({ state: 'pending', type: 'onetime', expiresAt }, expiresAt)).toBe(false)
    expect(isPayable({ state: 'paid', type: 'onetime', expiresAt }, before)).toBe(false)
    expect(isPayable({ state: 'paid', type: 'reusable', expiresAt: undefined }, before)).toBe(true)
    expect(isPayable({ state: 'pending', type: 'withdraw', expiresAt }, before)).toBe(false)
  })
})
