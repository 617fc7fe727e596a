import { expect, it } from 'vitest'
import { type PaymentFacts, type TimelineFacts, timelineOf } from './timeline.ts'

const at = (second: number, ms: number) => new Date(Date.UTC(2026, 10, 22, 4, 56, second, ms))

const payment: PaymentFacts = {
  ...{ id: 'a payment', txHash: '0x1', paymentMethodId: 3, amountMinor: 5n, state: 'pending', inclusion: 1 },
  ...{ failures: 0, firstSeenAt: null, blockHeight: 54, confirmedAt: null, quarantine: null },
  ...{ netMinor: null, feeMinor: null, createdAt: at(7, 700), includedAt: at(7, 0) },
}

function steps(payments: readonly PaymentFacts[]): readonly string[] {
  const invoice = { type: 'onetime', state: 'paid', paidPeriods: 1, expiresAt: null } as const
  const facts: TimelineFacts = {
    invoice: { ...invoice, createdAt: at(7, 100), paidAt: at(7, 700), acceptedAt: null, closedAt: null },
    quotes: [{ paymentMethodId: 3, fullMinor: 5n, quotedAt: at(7, 200), expiresAt: at(59, 0) }],
    payments,
    deliveries: [],
  }
  return timelineOf(facts).map(({ step }) => step)
}

it('puts a block of the same second after what it pays, though blocks know no part of a second', () => {
  expect(steps([payment])).toEqual(['invoice.created', 'quote.given', 'payment.included', 'invoice.paid'])
})

it('puts a payment that came into a later block where that block is', () => {
  const again = { ...payment, inclusion: 2, includedAt: at(9, 0) }
  expect(steps([again]).at(-1)).toBe('payment.included')
})
