import { Type } from 'typebox'
import { formatDecimal } from '../../core/money.ts'
import { decimalOut, nullable } from '../../platform/http/wire.ts'
import type { PaymentMethod } from './payment-method.ts'

export const PaymentMethodView = Type.Object(
  {
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    name: Type.String(),
    network: Type.String(),
    decimals: Type.Integer(),
    confirmations: Type.Integer({ description: 'blocks to wait for, for a small payment' }),
    contract: nullable(Type.String()),
    minimum: decimalOut,
    unavailable: Type.Optional(
      Type.String({
        description: 'why nothing can be paid by it here; absent where it can',
        examples: [
          'Its operator follows no dogecoin chain. To the operator: set UTXO_RPC_DOGECOIN to its nodes.',
        ],
      }),
    ),
  },
  { title: 'PaymentMethod' },
)

/** @param displayAddress spells a contract as people read it */
export function paymentMethodView(method: PaymentMethod, displayAddress: (canonical: string) => string) {
  return {
    paymentMethodID: method.id,
    symbol: method.symbol,
    name: method.name,
    network: method.network,
    decimals: method.decimals,
    confirmations: method.confirmationTiers[0]?.confirmations ?? 0,
    contract: method.contract === undefined ? null : displayAddress(method.contract),
    minimum: formatDecimal(method.minimumMinor, method.decimals),
  }
}
