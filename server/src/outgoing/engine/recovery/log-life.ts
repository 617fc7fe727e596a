/** The log that the signer shows, where it is not the one that the database followed last. */
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { Attestation } from '../../../signing/signer-port.ts'
import { haltPayouts } from '../controls/halts.ts'
import { readStanding } from '../controls/standing-halts.ts'
import type { MachineParts } from '../machine.ts'
import type { MachineMemory } from '../machine-memory.ts'
import {
  lockLogLife,
  requestRecoveries,
  resetLogMark,
  saveIncarnation,
  saveRewoundMark,
} from './recovery-store.ts'

type LogParts = Pick<MachineParts, 'db' | 'log'>

/**
 * Halts where the log does not hold what was followed up to `mark`. An operator who lifts that halt while the log is still
 * such a one says that the right log is lost: the log is followed from its start then, and every network recovers first.
 * @returns whether the operator said so
 */
export function isRewindAccepted(
  { db, log }: LogParts,
  memory: MachineMemory,
  mark: number,
  detail: string,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    const { rewoundMark } = await lockLogLife(tx)
    const isHalted = (await readStanding(tx, memory)).some(({ cause }) => cause === 'log-unknown')
    if (rewoundMark === mark && !isHalted) {
      await followAnew(tx, `the signer's log went back: ${detail}`)
      log.warn({ mark }, "the signer's log is followed from its start, since an operator let payouts go on")
      return true
    }
    await saveRewoundMark(tx, mark)
    await haltPayouts({ db: tx, log }, 'log-unknown', detail)
    return false
  })
}

/** The log is the right one: a halt of before says nothing of the next time. */
export async function forgetRewind({ db }: Pick<MachineParts, 'db'>): Promise<void> {
  await saveRewoundMark(db, undefined)
}

/**
 * Notes in which incarnation the log is, which its signer's host opens where it had to go on with an older one. A higher one
 * has every network recover.
 * @returns why it is not to be used; undefined where it may be
 */
export async function followIncarnation(
  tx: Tx,
  { logIncarnation }: Attestation,
): Promise<string | undefined> {
  if (logIncarnation === undefined) return undefined
  const { incarnation } = await lockLogLife(tx)
  if (incarnation === logIncarnation) return undefined
  if (incarnation !== undefined && incarnation > logIncarnation)
    return `the signer's log is of incarnation ${logIncarnation}, and ${incarnation} was seen: put back the log that the signer wrote last`
  await saveIncarnation(tx, logIncarnation)
  if (incarnation !== undefined)
    await followAnew(tx, `the signer's log began incarnation ${logIncarnation} after ${incarnation}`)
  return undefined
}

async function followAnew(tx: Tx, reason: string): Promise<void> {
  await resetLogMark(tx)
  await saveRewoundMark(tx, undefined)
  await requestRecoveries(tx, reason)
}
