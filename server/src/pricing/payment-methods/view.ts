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
    confirmations: Type.Integer({ description: 'required confirmations of a small payment' }),
    contract: nullable(Type.String()),
    minimum: decimalOut,
    unavailable: Type.Optional(
      Type.String({
        description: 'why the method is unavailable on this server; absent if it is available',
        examples: [
          'This server does not follow the dogecoin chain. For the operator: set UTXO_RPC_DOGECOIN to its nodes.',
        ],
      }),
    ),
  },
  { title: 'PaymentMethod' },
)

/** @param displayAddress Formats a contract address for people to read. */
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
