import { readCursor } from '../../chains/blocks/store.ts'
import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { haltPayouts } from '../engine/controls/halts.ts'
import { raiseAlert } from '../engine/machine.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import { readRecovery, requestRecovery } from '../engine/recovery/recovery-store.ts'
import type { CoinParts } from './coin-parts.ts'
import { markMissed, readMissed } from './spent-store.ts'

/**
 * Halts payouts where a block spends a coin of ours and none of our transactions did: its key is in other hands, or database
 * and log went back in time. What to do with it is the recovery's, which begins once an operator lets payouts go on; while one
 * is under way it looks after all such coins by itself.
 */
export async function inspectCoins(parts: CoinParts, memory: MachineMemory): Promise<void> {
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
  const fields = { subject: first.outpoint, spentBy: first.spentBy, coins: outpoints.length }
  raiseAlert(parts, memory, 'coin-stolen', fields, 'a coin of ours was spent by nobody of us')
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await markMissed(tx, network.name, outpoints)
    const detail = `${first.spentBy} spent ${first.outpoint} of ${network.name} and is neither ours nor in the signer's log: its key may be in other hands, or database and log are older than the chain`
    await requestRecovery(tx, network.name, detail)
    await haltPayouts({ db: tx, log }, 'log-unknown', detail)
  })
}
