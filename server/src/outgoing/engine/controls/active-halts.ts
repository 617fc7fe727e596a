/**
 * Determines which halts are active. A halt ends only by a statement that was signed on the signer's host; a
 * row in the database is not enough. Every halt is also reported to the signer. The signer then signs only
 * nonce-gap transactions, even if the database has lost the halt.
 */
import { assertLease } from '../../../platform/db/lease.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { isSigned, readLiftLine } from '../../../signing/statement.ts'
import type { EngineMemory } from '../engine-memory.ts'
import { type EngineParts, raiseAlert } from '../engine-parts.ts'
import { readStatementKey } from '../signer-client/attest-store.ts'
import { type Halt, insertLostHalt, type LiftedHalt, readHalts, readHaltsBut } from './halt-store.ts'

/**
 * Returns the halts that no validly signed statement has lifted. All halts count as active until the signer
 * has attested the key of its statements.
 */
export async function readActiveHalts(
  on: Queryable,
  { statementKey, liftedHalts }: Pick<EngineMemory, 'statementKey' | 'liftedHalts'>,
): Promise<readonly Halt[]> {
  const halts = await readHaltsBut(on, [...liftedHalts])
  return halts
    .filter((halt) => liftOf(halt, statementKey) === undefined)
    .map(({ id, cause, detail, since }) => ({ id, cause, detail, since }))
}

/**
 * Returns the active halts for display. The statements that lift halts are verified with the key that the
 * signer attested last. If no key was attested yet, the statements count without verification.
 */
export async function readShownHalts(on: Queryable): Promise<readonly Halt[]> {
  const statementKey = await readStatementKey(on)
  return statementKey === undefined
    ? readHalts(on)
    : readActiveHalts(on, { statementKey, liftedHalts: new Set() })
}

/** Returns the signed statement that lifted a halt, as text; undefined if the halt is still active. */
function liftOf({ id, lines }: LiftedHalt, statementKey: string | undefined): string | undefined {
  if (statementKey === undefined) return undefined
  return lines.find((line) => {
    const signed = readLiftLine(line)
    return signed?.lift.haltId === id && isSigned(statementKey, signed.statement, signed.signature)
  })
}

/**
 * Reports each new halt and each lifted halt to the signer. A halt that the signer knows but that the
 * database has lost is stored in the database again.
 * @throws SignerAwayError if the signer does not answer
 */
export async function reportHalts(parts: EngineParts, memory: EngineMemory): Promise<void> {
  const { db, signer } = parts
  const halts = await readHaltsBut(db, [...memory.liftedHalts])
  for (const halt of halts) {
    const line = liftOf(halt, memory.statementKey)
    if (line === undefined) {
      if (halt.lines.length > 0) alertForged(parts, memory, halt)
      if (memory.reportedHalts.has(halt.id)) continue
      await signer.control.halt({ id: halt.id, cause: halt.cause })
      memory.reportedHalts.set(halt.id, halt.cause)
    } else {
      await signer.control.lift(line)
      memory.reportedHalts.delete(halt.id)
      memory.liftedHalts.add(halt.id)
    }
  }
  const found = new Set(halts.map(({ id }) => id))
  const lost = [...memory.reportedHalts].filter(([id]) => !found.has(id))
  if (lost.length === 0) return
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    for (const [id, cause] of lost) await insertLostHalt(tx, id, cause)
  })
}

function alertForged(parts: EngineParts, memory: EngineMemory, { id, cause }: Halt): void {
  const message = 'a halt has a lift that the signer did not sign: check who can write to the database'
  raiseAlert(parts, memory, 'lift-forged', { subject: id, cause }, message)
}
