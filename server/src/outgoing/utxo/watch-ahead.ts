import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { type UtxoParts, xpubsOf } from './utxo-parts.ts'
import { readNextChange, readWatchedEnd, watchChange } from './utxo-store.ts'

/**
 * Stores change addresses as watched before they are assigned. After a restore from a backup, Coffer may read
 * newer blocks before it has adopted the change addresses from the signer's log. Outputs to addresses that
 * are not watched would not be stored.
 */
export async function watchAhead(parts: UtxoParts, memory: EngineMemory): Promise<void> {
  const { db, network } = parts
  const end = await readWatchedEnd(db, network.name)
  const wanted = (await readNextChange(db, network.name)) + limits.changeAhead - end
  // Addresses are added in groups, so that not every outgoing transaction adds one.
  if (wanted * 10 < limits.changeAhead) return
  const count = Math.min(wanted, limits.changePerStep)
  const addresses = parts.addresses.derive(xpubsOf(parts, memory)[1], 1, end, count)
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await watchChange(tx, network.name, end, addresses)
  })
}
