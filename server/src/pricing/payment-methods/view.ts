import { Type } from 'typebox'
import { networkOf, networkTitle } from '../../chains/networks.ts'
import { formatDecimal } from '../../core/money.ts'
import { decimalOut, nullable, oneOf } from '../../platform/http/wire.ts'
import type { PaymentMethod } from './payment-method.ts'

export const PaymentMethodView = Type.Object(
  {
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    name: Type.String(),
    network: Type.String(),
    networkName: Type.String({
      description: 'the title of the network, for people',
      examples: ['BNB Smart Chain'],
    }),
    decimals: Type.Integer(),
    confirmations: Type.Integer({ description: 'required confirmations of a small payment' }),
    contract: nullable(Type.String()),
    minimum: decimalOut,
    explorerURL: nullable(
      Type.String({
        description:
          'the block explorer of the network, where `/tx/{hash}` shows a transaction; null if none is known, as on development chains',
        examples: ['https://basescan.org'],
      }),
    ),
    internalTransfers: oneOf(['immediate', 'late'], {
      title: 'InternalTransfers',
      description:
        'when payments that contracts send are seen: `immediate` with their block; `late` when their block is final, because no node of the network reports the calls of contracts. Always `immediate` for tokens',
    }),
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

interface ViewOptions {
  /** Whether the networks are main chains, which explorers show. */
  readonly isMain: boolean
  /** Whether the coin that contracts send on the method's network is seen late. */
  readonly isLate?: boolean
  /** Formats a contract address for people to read. */
  displayAddress(canonical: string): string
}

export function paymentMethodView(
  method: PaymentMethod,
  { isMain, isLate = false, displayAddress }: ViewOptions,
) {
  return {
    paymentMethodID: method.id,
    symbol: method.symbol,
    name: method.name,
    network: method.network,
    networkName: networkTitle(method.network),
    decimals: method.decimals,
    confirmations: method.confirmationTiers[0]?.confirmations ?? 0,
    contract: method.contract === undefined ? null : displayAddress(method.contract),
    minimum: formatDecimal(method.minimumMinor, method.decimals),
    explorerURL: isMain ? explorerUrlOf(method.network) : null,
    internalTransfers: isLate && method.contract === undefined ? ('late' as const) : ('immediate' as const),
  }
}

function explorerUrlOf(name: string): string | null {
  const row = networkOf(name)
  return row?.family === 'evm' ? row.explorer.url : null
}
