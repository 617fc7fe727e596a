import { Type } from 'typebox'
import { required } from '../../../core/assert.ts'
import { formatDecimal } from '../../../core/money.ts'
import { type Route, route } from '../../../platform/http/route.ts'
import { decimalOut, nullable, timestamp, timestampOut, uuid } from '../../../platform/http/wire.ts'
import type { WithdrawalParts } from '../create-withdrawal.ts'
import { WithdrawalStateView } from '../view.ts'
import { netMinor, type Withdrawal } from '../withdrawal.ts'
import { claimPayoutRoute } from './claim-payout-route.ts'
import { claimPullPayment } from './claim-pull-payment.ts'

/** A payee's view of the withdrawal, which does not show the merchant's costs. */
const ClaimView = Type.Object(
  {
    id: uuid,
    address: Type.String(),
    amount: decimalOut,
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    state: WithdrawalStateView,
    createdAt: timestampOut,
    txHash: nullable(Type.String()),
  },
  { title: 'Claim' },
)

export function claimRoutes(parts: WithdrawalParts): readonly Route[] {
  return [
    claimPayoutRoute(parts),
    route({
      method: 'POST',
      path: '/public/invoices/:invoiceID/claim',
      auth: 'open',
      idempotent: true,
      summary: 'Claim a withdraw invoice: have it paid out to an address',
      body: Type.Object({
        token: Type.String({ minLength: 1, maxLength: 200 }),
        address: Type.String({ minLength: 1, maxLength: 200 }),
        confirmNetwork: Type.Optional(
          Type.Boolean({
            description:
              'true: the payee controls the address on this network, although it is a contract on another network only',
          }),
        ),
      }),
      replies: { 201: ClaimView },
      errors: [
        'not-found',
        'invoice-not-payable',
        'invalid-address',
        'below-minimum',
        'fee-exceeds-amount',
        'listed-address',
        'contract-elsewhere',
        'insufficient-balance',
        'rate-unavailable',
      ],
      handle: async ({ params, body, newId }) => {
        const { token, address, confirmNetwork } = body
        const request = {
          id: newId,
          invoiceId: params.invoiceID,
          token,
          address,
          confirmsNetwork: confirmNetwork,
        }
        return { status: 201, body: claimView(parts, await claimPullPayment(parts, request)) }
      },
    }),
  ]
}

function claimView({ methods, codecOf }: WithdrawalParts, withdrawal: Withdrawal) {
  const { id, address, paymentMethodId, status, createdAt, txHash = null } = withdrawal
  const method = required(methods.byId(paymentMethodId), 'the method of a claim')
  return {
    id,
    address: codecOf(method.network).display(address),
    amount: formatDecimal(netMinor(withdrawal), method.decimals),
    paymentMethodID: method.id,
    symbol: method.symbol,
    state: status.state,
    createdAt: timestamp(createdAt),
    txHash,
  }
}
