/** What the operator does after a host went back in time, as docs/signer.md and docs/production.md describe. */
import { newId } from '../../src/core/ids.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { resumeOutgoing } from '../../src/outgoing/engine/controls/halts.ts'
import { askRecovery } from '../../src/outgoing/engine/recovery/ask-recovery.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { signStatement } from '../../src/signer/keys/statement-key.ts'
import { liftLine, liftStatement } from '../../src/signing/statement.ts'
import { fixed } from './fixed.ts'

const reason = 'a snapshot was restored'

/** The causes of halts that a restore explains. The operator lifts no others. */
const explained: readonly string[] = ['log-unknown', 'chain-ahead', 'history']

/** Asks for a recovery of every network, as `coffer payouts recover` does. */
export async function recover(db: Db): Promise<void> {
  await inTransaction(db, (tx) => askRecovery(tx, { reason }))
}

/** Lifts the halts that a restore explains, with statements of the signer's host. */
export async function liftHalts(db: Db, at: Date): Promise<void> {
  for (const { id: haltId, cause } of await readShownHalts(db)) {
    if (!explained.includes(cause)) continue
    const databaseId = cause === 'history' ? newId() : null
    const statement = liftStatement({ haltId, reason, at: at.toISOString(), databaseId })
    const line = liftLine({ statement, signature: signStatement(fixed.keys.statementKey, statement) })
    await inTransaction(db, (tx) => resumeOutgoing(tx, line, { reason }))
  }
}
