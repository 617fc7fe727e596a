/** Lifts of halts, as an operator makes them on the signer's host. */

import { resumePayouts } from '../../src/outgoing/engine/controls/halts.ts'
import { readShownHalts } from '../../src/outgoing/engine/controls/standing-halts.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { signStatement } from '../../src/signer/keys/statement-key.ts'
import { liftLine, liftStatement } from '../../src/signing/statement.ts'

export interface LiftWords {
  readonly haltId: string
  readonly reason?: string
  readonly incarnation?: string | null
}

/** The line that "coffer signer lift" prints. */
export function signedLift(
  { statementKey }: Pick<KeyTree, 'statementKey'>,
  { haltId, reason = 'a test', incarnation = null }: LiftWords,
): string {
  const statement = liftStatement({ haltId, reason, at: '2026-11-22T12:00:00.000Z', incarnation })
  return liftLine({ statement, signature: signStatement(statementKey, statement) })
}

/** Lifts the halts of a cause, or all; whether there were any. */
export async function resumeHalts(
  db: Db,
  keys: Pick<KeyTree, 'statementKey'>,
  cause?: string,
  reason = 'a test',
): Promise<boolean> {
  const standing = (await readShownHalts(db)).filter((halt) => cause === undefined || halt.cause === cause)
  for (const { id } of standing) {
    const line = signedLift(keys, { haltId: id, reason })
    await inTransaction(db, (tx) => resumePayouts(tx, line, { reason }))
  }
  return standing.length > 0
}
