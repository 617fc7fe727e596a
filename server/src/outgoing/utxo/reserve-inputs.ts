import { holdCursor } from '../../chains/blocks/store.ts'
import { required } from '../../core/assert.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { NotWantedError } from '../engine/outgoing-source.ts'
import { deleteRested } from '../engine/retries/refusal-store.ts'
import type { NewOutgoingTransaction } from '../engine/store.ts'
import { trustedAt, type UtxoParts } from './utxo-parts.ts'
import { holdSpendable, insertHotWalletAddresses, isMined, reserveInputs } from './utxo-store.ts'

/**
 * Reserves the UTXOs of planned transactions, and stores their change addresses as watched, before anything
 * is signed. The UTXOs are checked again, because blocks may have been booked or undone since the UTXOs were
 * chosen.
 * @throws NotWantedError if a UTXO may not be spent any more, if a CPFP transaction is not needed any more, or if a
 * UTXO or a change address was assigned to another transaction
 */
export async function reservePlannedInputs(
  parts: UtxoParts,
  tx: Tx,
  planned: readonly NewOutgoingTransaction[],
): Promise<void> {
  if (planned.length === 0) return
  const { name: network } = parts.network
  await deleteRested(tx, network)
  const outpointsOf = (some: readonly NewOutgoingTransaction[]) =>
    some.flatMap(({ utxos }) => utxos?.inputs.map(({ outpoint }) => outpoint) ?? [])
  const outpoints = outpointsOf(planned.filter(({ intent }) => intent.kind !== 'cpfp'))
  const cursor = required(await holdCursor(tx, network), 'the cursor')
  // A CPFP transaction spends change that is not yet in a block. The parent may have been mined since it was planned.
  for (const outpoint of outpointsOf(planned.filter(({ intent }) => intent.kind === 'cpfp')))
    if (await isMined(tx, network, outpoint))
      throw new NotWantedError('the parent of a CPFP transaction was mined')
  const spendable = await holdSpendable(tx, network, trustedAt(parts, cursor), outpoints)
  if (spendable.size < outpoints.length) throw new NotWantedError('a UTXO may not be spent any more')
  const spends = planned.map(({ id, utxos }) => ({
    outgoingTransactionId: id,
    network,
    inputs: utxos?.inputs ?? [],
  }))
  if (!(await reserveInputs(tx, spends)))
    throw new NotWantedError('a UTXO was reserved for another transaction')
  const changes = planned.flatMap(({ utxos }) => utxos?.change ?? [])
  if ((await insertHotWalletAddresses(tx, network, changes)) < changes.length)
    throw new NotWantedError('a change address was reserved for another transaction')
}
