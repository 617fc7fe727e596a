import { xpubFingerprint } from '../../../core/xpub-fingerprint.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { Attestation } from '../../../signing/signer-port.ts'
import type { HaltCause } from '../controls/halt-store.ts'
import { readLogMark } from '../log-mark-store.ts'
import { haltUnderLease, type MachineParts } from '../machine.ts'
import type { MachineMemory } from '../machine-memory.ts'
import { followIncarnation, isRewindAccepted } from '../recovery/log-life.ts'
import { saveAttestedXpub, saveStatementKey } from './attest-store.ts'

/** Why a signer is not ours, or is not to be told to sign. */
export interface SignerFault {
  readonly cause: HaltCause
  readonly detail: string
}

/** What the signer shows, held against what a kind of chains knows of it. */
export interface AttestBy {
  findFault(attested: Attestation): Promise<SignerFault | undefined>
  /** Keeps what is new of a signer that is ours. */
  keep(tx: Tx, attested: Attestation): Promise<unknown>
}

/**
 * Has the signer show its keys and its log. Where they are not the ones that we know, payouts are halted. Whose keys it has
 * is noted whatever else is wrong: no address of another account is given away from then on.
 * @returns what it showed; undefined where it is not ours
 * @throws SignerAwayError
 */
export async function attestSigner(
  parts: Pick<MachineParts, 'db' | 'log' | 'signer'>,
  memory: MachineMemory,
  { findFault, keep }: AttestBy,
): Promise<Attestation | undefined> {
  const { db, signer } = parts
  const attested = await signer.attest()
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    const { family, depositXpub: xpub, accounts } = attested
    for (const account of [{ family, xpub }, ...accounts])
      await saveAttestedXpub(tx, account.family, xpubFingerprint(account.xpub))
  })
  const fault = (await findFault(attested)) ?? (await findLifeFault(parts, memory, attested))
  if (fault !== undefined) {
    await haltUnderLease(parts, memory, fault.cause, fault.detail)
    return undefined
  }
  // The signer is ours: its lifts count, among them that of the halt by which its log is found to have gone back.
  memory.statementKey = attested.statementKey
  if (!(await isLogWhole(parts, memory, attested))) return undefined
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await keep(tx, attested)
    if (attested.statementKey !== undefined) await saveStatementKey(tx, attested.statementKey)
  })
  for (const { id, cause } of attested.halts ?? []) {
    memory.toldHalts.set(id, cause)
    memory.liftedHalts.delete(id)
  }
  memory.isAttested = true
  memory.attestedAtMs = performance.now()
  memory.limits = attested.limits
  return attested
}

async function findLifeFault(
  { db }: Pick<MachineParts, 'db'>,
  { lease }: MachineMemory,
  attested: Attestation,
): Promise<SignerFault | undefined> {
  const detail = await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    return followIncarnation(tx, attested)
  })
  return detail === undefined ? undefined : { cause: 'log-unknown', detail }
}

/** Whether the log has as many entries as we know of, or an operator said that those are lost. */
async function isLogWhole(
  parts: Pick<MachineParts, 'db' | 'log'>,
  memory: MachineMemory,
  { logEntries }: Attestation,
): Promise<boolean> {
  const mark = await readLogMark(parts.db)
  if (logEntries >= mark) return true
  memory.isRewound = true
  const detail = `the signer's log has ${logEntries} entries, of which we know ${mark}: put its log back`
  return isRewindAccepted(parts, memory, mark, detail)
}

export function coldAddressFault(address: string): SignerFault {
  const detail = `the cold address ${address} is one of our own: set another, here and at the signer`
  return { cause: 'cold-address', detail }
}
