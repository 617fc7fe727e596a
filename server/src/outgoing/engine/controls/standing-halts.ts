/**
 * Which halts stand. The database is not believed: a halt is over by a statement of the signer's host alone, and the signer is
 * told of each halt, so that it signs nothing while one stands, whatever the database says.
 */
import { assertLease } from '../../../platform/db/lease.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { isSigned, readLiftLine } from '../../../signing/statement.ts'
import { type PayoutParts, raiseAlert } from '../machine.ts'
import type { MachineMemory } from '../machine-memory.ts'
import { readStatementKey } from '../signer-client/attest-store.ts'
import { type Halt, insertLostHalt, type LiftedHalt, readHalts, readHaltsBut } from './halt-store.ts'

/** The halts that no signed statement lifted. Without a signer that is ours all stand. */
export async function readStanding(
  on: Queryable,
  { statementKey, liftedHalts }: Pick<MachineMemory, 'statementKey' | 'liftedHalts'>,
): Promise<readonly Halt[]> {
  const halts = await readHaltsBut(on, [...liftedHalts])
  return halts
    .filter((halt) => liftOf(halt, statementKey) === undefined)
    .map(({ id, cause, detail, since }) => ({ id, cause, detail, since }))
}

/** The same for people, by the key that was attested last; by rows alone where none was yet. */
export async function readShownHalts(on: Queryable): Promise<readonly Halt[]> {
  const statementKey = await readStatementKey(on)
  return statementKey === undefined
    ? readHalts(on)
    : readStanding(on, { statementKey, liftedHalts: new Set() })
}

/** The line by which a halt was lifted; undefined where it stands. */
function liftOf({ id, lines }: LiftedHalt, statementKey: string | undefined): string | undefined {
  if (statementKey === undefined) return undefined
  return lines.find((line) => {
    const signed = readLiftLine(line)
    return signed?.lift.haltId === id && isSigned(statementKey, signed.statement, signed.signature)
  })
}

/**
 * Tells the signer of each halt that is new and of each that was lifted; a halt that only the signer knows comes back into the
 * database.
 * @throws SignerAwayError
 */
export async function tellHalts(parts: PayoutParts, memory: MachineMemory): Promise<void> {
  const { db, signer } = parts
  const halts = await readHaltsBut(db, [...memory.liftedHalts])
  for (const halt of halts) {
    const line = liftOf(halt, memory.statementKey)
    if (line === undefined) {
      if (halt.lines.length > 0) alertForged(parts, memory, halt)
      if (memory.toldHalts.has(halt.id)) continue
      await signer.control.halt({ id: halt.id, cause: halt.cause })
      memory.toldHalts.set(halt.id, halt.cause)
    } else {
      await signer.control.lift(line)
      memory.toldHalts.delete(halt.id)
      memory.liftedHalts.add(halt.id)
    }
  }
  const found = new Set(halts.map(({ id }) => id))
  const lost = [...memory.toldHalts].filter(([id]) => !found.has(id))
  if (lost.length === 0) return
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    for (const [id, cause] of lost) await insertLostHalt(tx, id, cause)
  })
}

function alertForged(parts: PayoutParts, memory: MachineMemory, { id, cause }: Halt): void {
  const message = 'a halt has a lift that the signer did not sign: who can write to the database?'
  raiseAlert(parts, memory, 'lift-forged', { subject: id, cause }, message)
}
