/**
 * Determines the outputs that an intent requires in a transaction on a UTXO chain, except outputs to
 * ourselves. The MAC of a payment authenticates its recipient; other recipients come from the signer's own
 * settings.
 */
import type { KeyObject } from 'node:crypto'
import type { UtxoNetwork } from '../../chains/networks.ts'
import type { SpendOutput, UtxoCodec } from '../../chains/utxo/utxo-port.ts'
import { type Intent, type IntentAsset, type Payment, paymentsMax } from '../../signing/intent.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import { requireApproved } from './approved.ts'
import { coldAddressOf } from './cold-address.ts'
import { Refusal } from './refusal.ts'

type IntendedOutput = Pick<SpendOutput, 'script' | 'amountMinor'>

export interface OutputParts {
  readonly intentKey: KeyObject
  readonly orders: OrderVerifier
  /** The operator's cold addresses by network, in canonical form. */
  readonly coldAddresses: ReadonlyMap<string, string>
}

/**
 * Returns the outputs that pay others. The list is empty if all outputs go back to our own wallets.
 * @throws Refusal if a payment is not approved or the kind of intent is never allowed.
 */
export function intendedOutputs(
  parts: OutputParts,
  row: UtxoNetwork,
  codec: UtxoCodec,
  intent: Intent,
): readonly IntendedOutput[] {
  switch (intent.kind) {
    case 'withdrawal':
      return withdrawalOutputs(parts, row, codec, intent.payments)
    case 'treasury_withdrawal':
      requireCoin(row, intent)
      return [
        {
          script: codec.scriptOf(coldAddressOf(parts.coldAddresses, row.name)),
          amountMinor: intent.amountMinor,
        },
      ]
    case 'cpfp':
    case 'reclaim':
    case 'consolidate':
      return []
    default:
      throw new Refusal('not-allowed', `A transaction of UTXOs cannot be a ${intent.kind}`)
  }
}

function withdrawalOutputs(
  parts: OutputParts,
  row: UtxoNetwork,
  codec: UtxoCodec,
  payments: readonly Payment[],
): readonly IntendedOutput[] {
  if (payments.length > paymentsMax)
    throw new Refusal('not-allowed', `A transaction has at most ${paymentsMax} payments`)
  if (new Set(payments.map(({ withdrawalId }) => withdrawalId)).size < payments.length)
    throw new Refusal('not-allowed', 'A transaction has a payment twice')
  return payments.map((payment) => {
    const { withdrawalId, address, netMinor } = payment
    requireApproved(parts, row.name, payment)
    requireCoin(row, payment)
    if (codec.canonical(address) !== address)
      throw new Refusal(
        'not-allowed',
        `The destination of withdrawal ${withdrawalId} is not an address of ${row.name}`,
      )
    return { script: codec.scriptOf(address), amountMinor: netMinor }
  })
}

/**
 * Checks that the asset is the network's coin and has the name `<network>/<symbol>`. Limits are stated by
 * this name.
 */
function requireCoin({ name, coin }: UtxoNetwork, { asset, contract }: IntentAsset): void {
  if (contract === null && asset === `${name}/${coin.symbol}`) return
  throw new Refusal('not-as-intended', `${asset} is not the coin of ${name}`)
}
