import { noteHalted, readNewTamperings } from '../../../platform/audit/tampering-store.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { EngineMemory } from '../engine-memory.ts'
import type { EngineParts } from '../engine-parts.ts'
import { haltOutgoing } from './halts.ts'

/** The maximum number of tamperings in the text of a halt; the table `tampering` contains all of them. */
const namedMax = 3

/**
 * Halts all outgoing transactions if the watcher, the sealer or the API reported rows that no process of ours
 * can have written.
 */
export async function haltTamperings(
  { db, log }: Pick<EngineParts, 'db' | 'log'>,
  { lease }: EngineMemory,
): Promise<void> {
  const found = await readNewTamperings(db)
  if (found.length === 0) return
  for (const { subject, detail } of found) log.error({ alert: 'tampering', subject }, detail)
  const named = found.slice(0, namedMax).map(({ detail }) => detail)
  const detail = found.length > namedMax ? `${named.join('; ')}; and others` : named.join('; ')
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await haltOutgoing({ db: tx, log }, 'tampering', detail)
    await noteHalted(
      tx,
      found.map(({ id }) => id),
    )
  })
}
