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
import { foundByField } from '../../invoices/view.ts'
import { type Deposit, quarantineReason, quarantineReasons } from '../deposit.ts'
import { foundByOf, knownTxHash } from '../recording/found-by-balance.ts'
import { type EndQuarantineParts, endQuarantine } from './end-quarantine.ts'
import { listHeld } from './store.ts'

/** Returns the routes with which operators list, release and seize payments in quarantine. */
export function quarantineRoutes(parts: EndQuarantineParts): readonly Route[] {
  return [
    listRoute(parts),
    endRoute(parts, 'release', 'Release a payment from quarantine: credit it to its merchant, less the fee'),
    endRoute(parts, 'seize', 'Seize a payment in quarantine permanently'),
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
    txHash: nullable(Type.String()),
    foundBy: foundByField,
    sender: nullable(Type.String()),
    listedAddress: nullable(
      Type.String({
        description:
          'the payer that is on the sanctions list; differs from the sender if the payment went through a contract',
        examples: ['0x8576acc5c05d6ce88f4e49bf65bdf0c62f91353c'],
      }),
    ),
    reason: oneOf(quarantineReasons),
    quarantine: oneOf(['held', 'released', 'seized']),
    heldSince: timestampOut,
  },
  { title: 'Quarantine' },
)

export function quarantineView(methods: PaymentMethods, deposit: Deposit) {
  const { id, paymentMethodId, amountMinor, quarantine } = deposit
  const method = required(methods.byId(paymentMethodId), 'the method of a transaction')
  return {
    transactionID: id,
    merchantID: required(deposit.merchantId, 'the merchant of a payment in quarantine'),
    invoiceID: deposit.invoiceId ?? null,
    amount: formatDecimal(amountMinor, method.decimals),
    currency: method.symbol,
    paymentMethodID: method.id,
    txHash: knownTxHash(deposit),
    foundBy: foundByOf(deposit),
    sender: deposit.sender ?? null,
    listedAddress: deposit.listedAddress ?? null,
    reason: quarantineReason(deposit),
    quarantine: required(quarantine, 'the quarantine of a payment'),
    heldSince: timestamp(required(deposit.confirmedAt, 'the time of a confirmation')),
  }
}

function listRoute({ db, methods }: EndQuarantineParts): Route {
  return route({
    method: 'GET',
    path: '/operator/quarantine',
    auth: 'bearer',
    permit: permitOperator,
    summary: 'List payments in quarantine, oldest first',
    query: Type.Object({ merchantID: Type.Optional(uuid), ...pageQuery }),
    replies: { 200: pageOf(QuarantineView) },
    handle: async ({ query }) => {
      const { held, total } = await listHeld(db, query.merchantID?.toLowerCase(), query)
      const views = held.map((deposit) => quarantineView(methods, deposit))
      return { status: 200, body: page(await withMerchantNames(db, views), total, query) }
    },
  })
}

function endRoute(parts: EndQuarantineParts, verb: 'release' | 'seize', summary: string): Route {
  // A release needs a session proof, because the merchant can then withdraw the money. A seizure needs none,
  // because the money stays with the operator.
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
        depositId: params.transactionID,
        outcome: verb === 'release' ? 'released' : 'seized',
        accountId: caller.accountId,
        reason: body.reason,
      })
      return { status: 200, body: await withMerchantName(parts.db, quarantineView(parts.methods, ended)) }
    },
  })
}
