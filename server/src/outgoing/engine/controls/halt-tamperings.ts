import { noteHalted, readNewTamperings } from '../../../platform/audit/tampering-store.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { PayoutParts } from '../machine.ts'
import type { MachineMemory } from '../machine-memory.ts'
import { haltPayouts } from './halts.ts'

/** As many are named in a halt; the table `tampering` has them all. */
const namedMax = 3

/** Halts payouts by what watcher, sealer or API found in the database that no process of ours can have written. */
export async function haltTamperings(
  { db, log }: Pick<PayoutParts, 'db' | 'log'>,
  { lease }: MachineMemory,
): Promise<void> {
  const found = await readNewTamperings(db)
  if (found.length === 0) return
  for (const { subject, detail } of found) log.error({ alert: 'tampering', subject }, detail)
  const named = found.slice(0, namedMax).map(({ detail }) => detail)
  const detail = found.length > namedMax ? `${named.join('; ')}; and others` : named.join('; ')
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await haltPayouts({ db: tx, log }, 'tampering', detail)
    await noteHalted(
      tx,
      found.map(({ id }) => id),
    )
  })
}
