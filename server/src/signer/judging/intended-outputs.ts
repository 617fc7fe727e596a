/** What an intent pays to others where money lies in coins: as a payment's MAC or the signer's own settings say. */
import type { KeyObject } from 'node:crypto'
import type { UtxoNetwork } from '../../chains/networks.ts'
import type { CoinCodec, SpendOutput } from '../../chains/utxo/coin-port.ts'
import { type Intent, type IntentAsset, type Payment, paymentsMax } from '../../signing/intent.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import { requireApproved } from './approved.ts'
import { coldAddressOf } from './cold-address.ts'
import { Refusal } from './refusal.ts'

type IntendedOutput = Pick<SpendOutput, 'script' | 'amountMinor'>

export interface OutputParts {
  readonly intentKey: KeyObject
  readonly orders: OrderVerifier
  /** The operator's own addresses by network, in canonical spelling. */
  readonly coldAddresses: ReadonlyMap<string, string>
}

/** Nothing where all goes back to ourselves. @throws Refusal where it is not approved, or no such thing is ever done */
export function intendedOutputs(
  parts: OutputParts,
  row: UtxoNetwork,
  codec: CoinCodec,
  intent: Intent,
): readonly IntendedOutput[] {
  switch (intent.kind) {
    case 'withdrawal':
      return withdrawalOutputs(parts, row, codec, intent.payments)
    case 'take_out':
      requireCoin(row, intent)
      return [
        {
          script: codec.scriptOf(coldAddressOf(parts.coldAddresses, row.name)),
          amountMinor: intent.amountMinor,
        },
      ]
    case 'lift':
    case 'reclaim':
    case 'consolidate':
      return []
    default:
      throw new Refusal('not-allowed', `No transaction of coins is a ${intent.kind}`)
  }
}

function withdrawalOutputs(
  parts: OutputParts,
  row: UtxoNetwork,
  codec: CoinCodec,
  payments: readonly Payment[],
): readonly IntendedOutput[] {
  if (payments.length > paymentsMax)
    throw new Refusal('not-allowed', `A transaction carries at most ${paymentsMax} payments`)
  if (new Set(payments.map(({ withdrawalId }) => withdrawalId)).size < payments.length)
    throw new Refusal('not-allowed', 'A transaction carries no payment twice')
  return payments.map((payment) => {
    const { withdrawalId, address, netMinor } = payment
    requireApproved(parts, row.name, payment)
    requireCoin(row, payment)
    if (codec.canonical(address) !== address)
      throw new Refusal('not-allowed', `Withdrawal ${withdrawalId} goes to no address of ${row.name}`)
    return { script: codec.scriptOf(address), amountMinor: netMinor }
  })
}

/** There is one asset, under one name: limits are stated by name. */
function requireCoin({ name, coin }: UtxoNetwork, { asset, contract }: IntentAsset): void {
  if (contract === null && asset === `${name}/${coin.symbol}`) return
  throw new Refusal('not-as-intended', `${asset} is not what the coin of ${name} is called`)
}
