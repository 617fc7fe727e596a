import { Type } from 'typebox'
import { required } from '../../../core/assert.ts'
import { formatDecimal } from '../../../core/money.ts'
import { merchantName, withMerchantName, withMerchantNames } from '../../../merchants/merchant-names.ts'
import { permitOperator } from '../../../platform/http/auth.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import {
  decimalOut,
  nullable,
  oneOf,
  page,
  pageOf,
  pageQuery,
  timestamp,
  timestampOut,
  uuid,
} from '../../../platform/http/wire.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { quarantineReason, quarantineReasons, type Transaction } from '../deposit.ts'
import { type EndQuarantineParts, endQuarantine } from './end-quarantine.ts'
import { listHeld } from './store.ts'

/** For operators: payments whose sender did not pass screening. */
export function quarantineRoutes(parts: EndQuarantineParts): readonly Route[] {
  return [
    listRoute(parts),
    endRoute(parts, 'release', 'Give a payment in quarantine to its merchant, less the fee'),
    endRoute(parts, 'seize', 'Take a payment in quarantine for good'),
  ]
}

const QuarantineView = Type.Object(
  {
    transactionID: uuid,
    merchantID: uuid,
    merchantName,
    invoiceID: nullable(uuid),
    amount: decimalOut,
    currency: Type.String(),
    paymentMethodID: Type.Integer(),
    txHash: Type.String(),
    sender: nullable(Type.String()),
    listedAddress: nullable(
      Type.String({
        description: 'which of those who paid is listed; not the sender who pays through a contract',
        examples: ['0x8576acc5c05d6ce88f4e49bf65bdf0c62f91353c'],
      }),
    ),
    reason: oneOf(quarantineReasons),
    quarantine: oneOf(['held', 'released', 'seized']),
    heldSince: timestampOut,
  },
  { title: 'Quarantine' },
)

export function quarantineView(methods: PaymentMethods, transaction: Transaction) {
  const { id, paymentMethodId, amountMinor, quarantine } = transaction
  const method = required(methods.byId(paymentMethodId), 'the method of a transaction')
  return {
    transactionID: id,
    merchantID: required(transaction.merchantId, 'the merchant of a payment in quarantine'),
    invoiceID: transaction.invoiceId ?? null,
    amount: formatDecimal(amountMinor, method.decimals),
    currency: method.symbol,
    paymentMethodID: method.id,
    txHash: transaction.txHash,
    sender: transaction.sender ?? null,
    listedAddress: transaction.listedAddress ?? null,
    reason: quarantineReason(transaction),
    quarantine: required(quarantine, 'the quarantine of a payment'),
    heldSince: timestamp(required(transaction.confirmedAt, 'the time of a confirmation')),
  }
}

function listRoute({ db, methods }: EndQuarantineParts): Route {
  return route({
    method: 'GET',
    path: '/operator/quarantine',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'List payments in quarantine, the longest held first',
    query: Type.Object({ merchantID: Type.Optional(uuid), ...pageQuery }),
    replies: { 200: pageOf(QuarantineView) },
    handle: async ({ query }) => {
      const { held, total } = await listHeld(db, query.merchantID?.toLowerCase(), query)
      const views = held.map((transaction) => quarantineView(methods, transaction))
      return { status: 200, body: page(await withMerchantNames(db, views), total, query) }
    },
  })
}

function endRoute(parts: EndQuarantineParts, verb: 'release' | 'seize', summary: string): Route {
  // What is seized stays the operator's; what is released, somebody else may send away.
  const proof = verb === 'release' ? { needsProof: true as const } : {}
  return route({
    method: 'POST',
    path: `/operator/quarantine/:transactionID/${verb}`,
    auth: 'bearer',
    permit: permitOperator,
    idempotent: true,
    ...proof,
    summary,
    body: Type.Object({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })) }),
    replies: { 200: QuarantineView },
    errors: ['not-found', 'quarantine-ended'],
    handle: async ({ caller, params, body }) => {
      const ended = await endQuarantine(parts, {
        transactionId: params.transactionID,
        outcome: verb === 'release' ? 'released' : 'seized',
        accountId: caller.accountId,
        reason: body.reason,
      })
      return { status: 200, body: await withMerchantName(parts.db, quarantineView(parts.methods, ended)) }
    },
  })
}
