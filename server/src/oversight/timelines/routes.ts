import { Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'
import { boundedText, decimalOf, idOf, oneOf, timestamp, timestampOut } from '../../platform/http/wire.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readTimeline } from './read-timeline.ts'
import { type TimelineEntry, timelineSteps } from './timeline.ts'

export interface TimelineRouteParts {
  readonly db: Queryable
  readonly methods: PaymentMethods
}

const EntryView = Type.Object(
  {
    at: timestampOut,
    step: oneOf(timelineSteps, {
      description: 'New steps may be added: a reader must ignore steps that it does not know.',
    }),
    paymentMethodID: Type.Optional(Type.Integer()),
    currency: Type.Optional(boundedText('the symbol of the asset')),
    amount: Type.Optional(decimalOf('the amount of the quote or of the payment')),
    net: Type.Optional(decimalOf('the amount credited')),
    fee: Type.Optional(decimalOf('the fee', '0.22')),
    until: Type.Optional(Type.String({ ...timestampOut, description: 'when the quote expires' })),
    transactionID: Type.Optional(idOf('a payment')),
    txHash: Type.Optional(boundedText('its transaction hash on chain')),
    blockHeight: Type.Optional(Type.Integer()),
    eventType: Type.Optional(boundedText('the type of the event that was sent to the webhook', 64)),
    deliveryID: Type.Optional(idOf('a delivery')),
    attempts: Type.Optional(Type.Integer({ description: 'the number of delivery attempts so far' })),
  },
  { title: 'TimelineEntry' },
)

export function timelineRoutes({ db, methods }: TimelineRouteParts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/merchants/:merchantID/invoices/:invoiceID/timeline',
      operationId: 'getInvoiceTimeline',
      auth: 'any',
      summary: 'Read the timeline of an invoice: quotes, payments, credits and webhook deliveries',
      replies: { 200: Type.Object({ data: Type.Array(EntryView) }) },
      errors: ['not-found'],
      async handle({ merchant, params }) {
        const entries = await readTimeline(db, merchant.id, params.invoiceID)
        return { status: 200, body: { data: entries.map((entry) => entryView(methods, entry)) } }
      },
    }),
  ]
}

function entryView(methods: PaymentMethods, entry: TimelineEntry) {
  const { at, depositId, deliveryId, paymentMethodId, amountMinor, netMinor, feeMinor, until, ...same } =
    entry
  return {
    ...same,
    at: timestamp(at),
    ...(paymentMethodId === undefined ? {} : moneyOf(methods, { ...entry, paymentMethodId })),
    ...(until === undefined ? {} : { until: timestamp(until) }),
    ...(depositId === undefined ? {} : { transactionID: depositId }),
    ...(deliveryId === undefined ? {} : { deliveryID: deliveryId }),
  }
}

function moneyOf(
  methods: PaymentMethods,
  { paymentMethodId, amountMinor, netMinor, feeMinor }: TimelineEntry & { readonly paymentMethodId: number },
) {
  const { symbol, decimals } = required(methods.byId(paymentMethodId), 'the method of a payment')
  const text = (minor: bigint) => formatDecimal(minor, decimals)
  return {
    paymentMethodID: paymentMethodId,
    currency: symbol,
    ...(amountMinor === undefined ? {} : { amount: text(amountMinor) }),
    ...(netMinor === undefined ? {} : { net: text(netMinor) }),
    ...(feeMinor === undefined ? {} : { fee: text(feeMinor) }),
  }
}
