import { required } from '../../core/assert.ts'
import { max } from '../../core/money.ts'
import { bumpedMinor, type UtxoFees } from '../engine/outgoing-transaction.ts'
import type { UtxoOutgoingTransaction } from '../engine/store.ts'
import { wantedBlocks } from './plan-utxo-transactions.ts'
import { type OutgoingTransactionInput, shapeOf } from './shape.ts'
import type { UtxoParts } from './utxo-parts.ts'
import { readInputs } from './utxo-store.ts'

/**
 * Returns higher fees for each outgoing transaction (BIP 125). The UTXOs stay the same; the difference is
 * taken from the change. Returns undefined for a transaction if its change or the maximum rate does not allow
 * higher fees. Returns undefined for all of them if the chain's nodes accept no replacements.
 * @throws NodeError if a node does not answer
 */
export async function bumpFees(
  { db, network, sender }: UtxoParts,
  outgoingTransactions: readonly UtxoOutgoingTransaction[],
  signal: AbortSignal,
): Promise<readonly (UtxoFees | undefined)[]> {
  const { chain } = network
  if (!chain.canReplace) return outgoingTransactions.map(() => undefined)
  const { rateMinor } = await sender.readFeeRate(wantedBlocks, signal)
  const inputs = await readInputs(
    db,
    outgoingTransactions.map(({ id }) => id),
  )
  return outgoingTransactions.map((outgoingTransaction) =>
    bumpedFeesOf(outgoingTransaction, required(inputs.get(outgoingTransaction.id), 'its UTXOs'), {
      rate: (rateMinor + 999n) / 1_000n,
      most: chain.feeRateMax / 1_000n,
      dustMinor: chain.dustMinor,
    }),
  )
}

/**
 * Returns higher fees for one transaction; undefined if its change or the maximum rate does not allow them.
 * Rates are per virtual byte. If the remaining change would be below the dust limit, all of the change goes
 * to the fee.
 */
export function bumpedFeesOf(
  outgoingTransaction: Pick<UtxoOutgoingTransaction, 'intent' | 'slot' | 'fees'>,
  inputs: readonly OutgoingTransactionInput[],
  { rate, most, dustMinor }: { readonly rate: bigint; readonly most: bigint; readonly dustMinor: bigint },
): UtxoFees | undefined {
  const { vbytes, feeRate, fee } = outgoingTransaction.fees
  const wanted = max(bumpedMinor(feeRate), rate)
  const backMinor = shapeOf(outgoingTransaction, inputs).change?.amountMinor ?? 0n
  const moreMinor = wanted * vbytes - fee
  if (wanted > most || moreMinor > backMinor) return undefined
  if (backMinor - moreMinor >= dustMinor) return { vbytes, feeRate: wanted, fee: wanted * vbytes }
  const whole = fee + backMinor
  return { vbytes, feeRate: (whole + vbytes - 1n) / vbytes, fee: whole }
}
