/** Verifies, before anything is signed, that the signer that answers has our keys and our log. */
import { monotonicMs } from '../../../core/clock.ts'
import { xpubFingerprint } from '../../../core/xpub-fingerprint.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { Attestation } from '../../../signing/signer-port.ts'
import type { HaltCause } from '../controls/halt-store.ts'
import type { EngineMemory } from '../engine-memory.ts'
import { haltUnderLease, type StrategyParts } from '../engine-parts.ts'
import { readLogPosition } from '../log-position-store.ts'
import { followLogGeneration, isRewindAccepted } from '../recovery/log-generation.ts'
import { saveAttestedXpub, saveStatementKey } from './attest-store.ts'

/** The reason why a signer is not ours, or must not be asked to sign. */
export interface SignerError {
  readonly cause: HaltCause
  readonly detail: string
}

/** The part of an attestation that depends on the chain family. */
export interface AttestBy {
  findError(attested: Attestation): Promise<SignerError | undefined>
  /** Stores the part of the attestation that is not stored yet. Called only if the signer is ours. */
  keep(tx: Tx, attested: Attestation): Promise<unknown>
}

/**
 * Asks the signer which keys and which log it has. If the keys or the log are not those that this service
 * knows, halts all outgoing transactions. Stores the signer's xpubs in any case. From then on, only addresses
 * of these xpubs are assigned.
 * @returns the attestation; undefined if the signer's keys or log are not ours
 * @throws SignerAwayError if the signer does not answer
 */
export async function attestSigner(
  parts: Pick<StrategyParts, 'db' | 'log' | 'signer'>,
  memory: EngineMemory,
  { findError, keep }: AttestBy,
): Promise<Attestation | undefined> {
  const { db, signer } = parts
  const positionBefore = await readLogPosition(db)
  const attested = await signer.attest()
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    const { family, depositXpub: xpub, accounts } = attested
    for (const account of [{ family, xpub }, ...accounts])
      await saveAttestedXpub(tx, account.family, xpubFingerprint(account.xpub))
  })
  const error = await findError(attested)
  if (error !== undefined) {
    await haltUnderLease(parts, memory, error.cause, error.detail)
    return undefined
  }
  // The keys are ours, so statements that the signer signed are valid from here on. The next checks halt all
  // outgoing transactions if the log has lost entries. Such a statement may lift that halt.
  memory.statementKey = attested.statementKey
  if (!(await followLogGeneration(parts, memory, attested))) return undefined
  if (!(await isLogWhole(parts, memory, attested, positionBefore))) return undefined
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await keep(tx, attested)
    if (attested.statementKey !== undefined) await saveStatementKey(tx, attested.statementKey)
  })
  for (const { id, cause } of attested.halts ?? []) {
    memory.reportedHalts.set(id, cause)
    memory.liftedHalts.delete(id)
  }
  memory.isAttested = true
  memory.attestedAtMs = monotonicMs()
  memory.limits = attested.limits
  return attested
}

/**
 * Returns true if the signer's log has at least as many entries as the database has adopted. Also returns true
 * if an operator accepted the loss of entries.
 * @param positionBefore is the log position before the signer was asked. The engines of all networks share one
 * log, and another engine may have an entry signed and adopted after the answer. The position is lower now only if
 * the log is read anew.
 */
async function isLogWhole(
  parts: Pick<StrategyParts, 'db' | 'log'>,
  memory: EngineMemory,
  { logEntries }: Attestation,
  positionBefore: number,
): Promise<boolean> {
  const position = Math.min(positionBefore, await readLogPosition(parts.db))
  if (logEntries >= position) return true
  memory.isRewound = true
  const detail = `the signer's log has ${logEntries} entries, but ${position} were adopted: restore its latest log`
  return isRewindAccepted(parts, memory, position, detail)
}

export function coldAddressError(address: string): SignerError {
  const detail = `the cold address ${address} is one of our own: set another one, here and at the signer`
  return { cause: 'cold-address', detail }
}
