/** Handles a signer's log that is not the log that the database followed before. */
import type { Log } from '../../../core/log.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { Attestation } from '../../../signing/signer-port.ts'
import { readActiveHalts } from '../controls/active-halts.ts'
import { haltSeparately } from '../controls/halts.ts'
import type { EngineMemory } from '../engine-memory.ts'
import type { StrategyParts } from '../engine-parts.ts'
import { readLogPosition } from '../log-position-store.ts'
import {
  lockLogGeneration,
  requestRecoveries,
  resetLogPosition,
  saveLogGeneration,
  saveRewoundPosition,
} from './recovery-store.ts'

type LogParts = Pick<StrategyParts, 'db' | 'log'>

/**
 * Decides whether the signer's log may be used although it lacks entries that were adopted up to `position`.
 * At first, all outgoing transactions are halted. If an operator lifts this halt and the log is still the
 * same, the missing entries count as lost. The log is then read again from its start, and every network must
 * recover first.
 * @returns whether the operator has lifted the halt
 */
export function isRewindAccepted(
  { db, log }: LogParts,
  memory: EngineMemory,
  position: number,
  detail: string,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    return acceptRewind({ db: tx, log }, memory, position, detail)
  })
}

async function acceptRewind(
  { db: tx, log }: { readonly db: Tx; readonly log: Log },
  memory: EngineMemory,
  position: number,
  detail: string,
): Promise<boolean> {
  const { rewoundPosition } = await lockLogGeneration(tx)
  if (rewoundPosition !== position) {
    await saveRewoundPosition(tx, position)
    // This halt needs its own lift. An operator who lifts another halt of this cause may not know of this one.
    await haltSeparately({ db: tx, log }, 'log-unknown', detail)
    return false
  }
  if ((await readActiveHalts(tx, memory)).some(({ cause }) => cause === 'log-unknown')) return false
  await followAnew(tx, `the signer's log went back: ${detail}`)
  log.warn({ position }, "the signer's log is read from its start, because an operator resumed payouts")
  return true
}

/**
 * Forgets that the signer's log lacked entries or had a lower generation, because the log is complete again.
 * If that happens again later, an operator must lift a new halt.
 */
export async function forgetRewind({ db }: Pick<StrategyParts, 'db'>): Promise<void> {
  await saveRewoundPosition(db, undefined)
}

/**
 * Decides whether the signer's log may be used in the generation that the signer attests, and stores the
 * generation. An operator starts a new generation on the signer's host when the signer must continue an older
 * log. A higher generation starts a recovery of every network. A lower one belongs to a copy of the log from
 * before such a loss, so it is treated like a log that lacks adopted entries (`isRewindAccepted`).
 * @returns false if the generation is lower and no operator has lifted the halt
 */
export function followLogGeneration(
  { db, log }: LogParts,
  memory: EngineMemory,
  { logGeneration }: Attestation,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    if (logGeneration === undefined) return true
    const { generation } = await lockLogGeneration(tx)
    if (generation === logGeneration) return true
    if (generation !== undefined && generation > logGeneration) {
      memory.isRewound = true
      const detail = `the signer's log has generation ${logGeneration}, but generation ${generation} was seen: restore the latest log of the signer`
      if (!(await acceptRewind({ db: tx, log }, memory, await readLogPosition(tx), detail))) return false
    } else if (generation !== undefined) {
      await followAnew(tx, `the signer's log started generation ${logGeneration} after ${generation}`)
    }
    await saveLogGeneration(tx, logGeneration)
    return true
  })
}

async function followAnew(tx: Tx, reason: string): Promise<void> {
  await resetLogPosition(tx)
  await saveRewoundPosition(tx, undefined)
  await requestRecoveries(tx, reason)
}
