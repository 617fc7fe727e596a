import { expect, it } from 'vitest'
import { type DeliveryFacts, type PaymentFacts, type TimelineFacts, timelineOf } from './timeline.ts'

const at = (second: number, ms: number) => new Date(Date.UTC(2026, 10, 22, 4, 56, second, ms))

const payment: PaymentFacts = {
  id: 'a payment',
  txHash: '0x1',
  isHash: true,
  paymentMethodId: 3,
  amountMinor: 5n,
  state: 'pending',
  inclusion: 1,
  failures: 0,
  firstSeenAt: null,
  blockHeight: 54,
  confirmedAt: null,
  quarantine: null,
  netMinor: null,
  feeMinor: null,
  createdAt: at(7, 700),
  includedAt: at(7, 0),
}

function entries(facts: Partial<TimelineFacts>) {
  const invoice = { type: 'onetime', state: 'paid', paidPeriods: 1, expiresAt: null } as const
  return timelineOf({
    invoice: { ...invoice, createdAt: at(7, 100), paidAt: at(7, 700), acceptedAt: null, closedAt: null },
    quotes: [{ paymentMethodId: 3, fullMinor: 5n, quotedAt: at(7, 200), expiresAt: at(59, 0) }],
    payments: [],
    events: [],
    deliveries: [],
    ...facts,
  })
}

function steps(payments: readonly PaymentFacts[]): readonly string[] {
  return entries({ payments }).map(({ step }) => step)
}

it('puts a block of the same second after what it pays, though blocks know no part of a second', () => {
  expect(steps([payment])).toEqual(['invoice.created', 'quote.given', 'payment.included', 'invoice.paid'])
})

it('puts a block whose clock is ahead of ours before what followed from it', () => {
  const ahead = { ...payment, state: 'confirmed', includedAt: at(30, 0), confirmedAt: at(9, 0) } as const
  const inOrder = ['payment.included', 'invoice.paid', 'payment.confirmed']
  expect(steps([ahead]).slice(2)).toEqual(inOrder)
  const again = { ...ahead, inclusion: 2 }
  expect(steps([again]).slice(2)).toEqual(['invoice.paid', 'payment.included', 'payment.confirmed'])
})

it('puts a payment that came into a later block where that block is', () => {
  const again = { ...payment, inclusion: 2, includedAt: at(9, 0) }
  expect(steps([again]).at(-1)).toBe('payment.included')
})

it('puts a failure where it was reported, though deliveries are forgotten, else where the payment was written down', () => {
  const failed = { ...payment, state: 'failed', includedAt: null, failures: 1 } as const
  const reported = {
    type: 'transaction.failed',
    subject: 'transaction.failed:a payment:1:1',
    createdAt: at(40, 0),
  }
  const failureAt = (facts: Partial<TimelineFacts>) =>
    entries({ payments: [failed], ...facts }).find(({ step }) => step === 'payment.failed')?.at
  expect(failureAt({ events: [reported] })).toEqual(at(40, 0))
  expect(failureAt({ events: [{ ...reported, subject: 'transaction.failed:another:1:1' }] })).toEqual(
    at(7, 700),
  )
})

it.each(['held', 'seized'])('holds a %s payment for screening, and credits a released one', (quarantine) => {
  const confirmed = { ...payment, state: 'confirmed', confirmedAt: at(8, 0) } as const
  expect(steps([{ ...confirmed, quarantine }])).toContain('payment.quarantined')
  expect(steps([{ ...confirmed, quarantine }])).not.toContain('payment.confirmed')
  expect(steps([{ ...confirmed, quarantine: 'released' }])).toContain('payment.confirmed')
})

const sent = { id: 'a delivery', eventType: 'invoice.paid', createdAt: at(8, 0), endedAt: at(20, 0) }
const open = { ...sent, endedAt: null }
const tellings: readonly [DeliveryFacts, string, Date][] = [
  [{ ...open, state: 'pending', attempts: 0 }, 'webhook.waiting', at(8, 0)],
  [{ ...open, state: 'pending', attempts: 3 }, 'webhook.failing', at(8, 0)],
  [{ ...sent, state: 'delivered', attempts: 1 }, 'webhook.delivered', at(20, 0)],
  [{ ...sent, state: 'exhausted', attempts: 10 }, 'webhook.given-up', at(20, 0)],
  [{ ...sent, state: 'cancelled', attempts: 2 }, 'webhook.given-up', at(20, 0)],
  [{ ...sent, state: 'cancelled', attempts: 0 }, 'webhook.not-sent', at(20, 0)],
]
it.each(tellings)('reports the delivery %j as %s', (delivery, step, when) => {
  const { state: _, id, createdAt: __, endedAt: ___, ...about } = delivery
  const reported = entries({ deliveries: [delivery] }).find((one) => one.step.startsWith('webhook.'))
  expect(reported).toEqual({ at: when, step, deliveryId: id, ...about })
})
