import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import { type CoinParts, xpubsOf } from './coin-parts.ts'
import { readNextChange, readWatchedEnd, watchChange } from './coin-store.ts'

/**
 * Keeps change addresses watched before they are given: a database restored from a backup may read the blocks since then
 * before it has taken over from the signer's log where change went, and a coin that nobody looks for is in no list.
 */
export async function watchAhead(parts: CoinParts, memory: MachineMemory): Promise<void> {
  const { db, network } = parts
  const end = await readWatchedEnd(db, network.name)
  const wanted = (await readNextChange(db, network.name)) + limits.changeAhead - end
  // By the dozen, not one for each payout.
  if (wanted * 10 < limits.changeAhead) return
  const count = Math.min(wanted, limits.changePerStep)
  const addresses = parts.addresses.derive(xpubsOf(parts, memory)[1], 1, end, count)
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await watchChange(tx, network.name, end, addresses)
  })
}
