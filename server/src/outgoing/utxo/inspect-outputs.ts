import { readCursor } from '../../chains/blocks/store.ts'
import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { haltOutgoing } from '../engine/controls/halts.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { raiseAlert } from '../engine/engine-parts.ts'
import { readRecovery, requestRecovery } from '../engine/recovery/recovery-store.ts'
import { markMissed, readMissed } from './spent-store.ts'
import type { UtxoParts } from './utxo-parts.ts'

/**
 * Halts all outgoing transactions if a transaction that is not ours spends a UTXO of ours in a block. Either
 * the key of the UTXO is compromised, or the database and the signer's log are older than the chain. Once an
 * operator lifts the halt, a recovery handles the spend. During a recovery, this function does nothing.
 */
export async function inspectOutputs(parts: UtxoParts, memory: EngineMemory): Promise<void> {
  const { db, log, network } = parts
  const cursor = await readCursor(db, network.name)
  if (cursor === undefined || cursor.height <= memory.inspectedHeight) return
  if ((await readRecovery(db, network.name)) !== undefined) return
  const missed = await readMissed(db, network.name, memory.inspectedHeight - limits.rollbackBlocks)
  const [first] = missed
  if (first === undefined) {
    memory.inspectedHeight = cursor.height
    return
  }
  const outpoints = missed.map(({ outpoint }) => outpoint)
  const fields = { subject: first.outpoint, spentBy: first.spentBy, utxos: outpoints.length }
  raiseAlert(parts, memory, 'utxo-stolen', fields, 'a UTXO of ours was spent by an unknown transaction')
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await markMissed(tx, network.name, outpoints)
    const detail = `${first.spentBy} spent ${first.outpoint} of ${network.name} and is neither ours nor in the signer's log: its key may be compromised, or database and log are older than the chain`
    await requestRecovery(tx, network.name, detail)
    await haltOutgoing({ db: tx, log }, 'log-unknown', detail)
  })
}
