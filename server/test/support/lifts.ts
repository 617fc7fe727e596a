/** Lifts halts as an operator does on the signer's host. */

import { readShownHalts } from '../../src/outgoing/engine/controls/active-halts.ts'
import { resumeOutgoing } from '../../src/outgoing/engine/controls/halts.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { signStatement } from '../../src/signer/keys/statement-key.ts'
import { liftLine, liftStatement } from '../../src/signing/statement.ts'

export interface LiftWords {
  readonly haltId: string
  readonly reason?: string
  readonly databaseId?: string | null
}

/** Returns the line that `coffer signer lift` prints. */
export function signedLift(
  { statementKey }: Pick<KeyTree, 'statementKey'>,
  { haltId, reason = 'a test', databaseId = null }: LiftWords,
): string {
  const statement = liftStatement({ haltId, reason, at: '2026-11-22T12:00:00.000Z', databaseId })
  return liftLine({ statement, signature: signStatement(statementKey, statement) })
}

/** Lifts the halts of a cause, or all halts, and returns whether there were any. */
export async function resumeHalts(
  db: Db,
  keys: Pick<KeyTree, 'statementKey'>,
  cause?: string,
  reason = 'a test',
): Promise<boolean> {
  const active = (await readShownHalts(db)).filter((halt) => cause === undefined || halt.cause === cause)
  for (const { id } of active) {
    const line = signedLift(keys, { haltId: id, reason })
    await inTransaction(db, (tx) => resumeOutgoing(tx, line, { reason }))
  }
  return active.length > 0
}
