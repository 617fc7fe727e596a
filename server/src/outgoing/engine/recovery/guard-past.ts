/** Nothing is planned or signed on a network before its past is known: what the chain shows is what the books say. */
import { recordAudit } from '../../../platform/audit/store.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { insertAttempts, type NewAttempt } from '../attempt-store.ts'
import { haltPayouts } from '../controls/halts.ts'
import { readStanding } from '../controls/standing-halts.ts'
import type { PayoutParts } from '../machine.ts'
import type { MachineMemory } from '../machine-memory.ts'
import { noteWaits } from '../plan-payouts.ts'
import { type StoredPayout, saveSentHeight } from '../store.ts'
import type { Recovery } from './recovery.ts'
import { deleteRecovery, readRecovery, requestRecovery } from './recovery-store.ts'

export interface Past {
  /** Whether payouts may be planned, and signed for the first time. */
  readonly isClear: boolean
  readonly done: number
}

const unclear: Past = { isClear: false, done: 0 }

/**
 * Compares the chain with the books, once in each epoch of the lease and after each halt; halts payouts where the chain is
 * ahead. Where a recovery was asked for, and no halt stands any more, does the next of it.
 * @throws NodeError where too few nodes answer: then nothing is decided either
 */
export async function guardPast(
  parts: PayoutParts,
  memory: MachineMemory,
  signal: AbortSignal,
): Promise<Past> {
  const { db, network, way } = parts
  if ((await readStanding(db, memory)).length > 0) {
    memory.isCompared = false
    return unclear
  }
  const recovery = await readRecovery(db, network.name)
  if (recovery !== undefined) return recover(parts, memory, recovery, signal)
  if (memory.isCompared) return { isClear: true, done: 0 }
  const ahead = await way.recovery.findAhead(memory, signal)
  if (ahead !== undefined) {
    await haltAhead(parts, memory, ahead)
    return unclear
  }
  memory.isCompared = true
  return { isClear: true, done: 0 }
}

async function recover(
  parts: PayoutParts,
  memory: MachineMemory,
  recovery: Recovery,
  signal: AbortSignal,
): Promise<Past> {
  const { done, waits, isOver } = await parts.way.recovery.recover(memory, recovery, signal)
  memory.isCompared = false
  if (!isOver) {
    await noteWaits(parts, memory, [{ cause: 'recovery', detail: recovery.reason }, ...waits])
    return { isClear: false, done }
  }
  await inTransaction(parts.db, async (tx) => {
    await assertLease(tx, memory.lease)
    await deleteRecovery(tx, recovery.network)
    const details = { reason: recovery.reason, requestedAt: recovery.requestedAt }
    await recordAudit(tx, { action: 'payouts.recovered', subject: recovery.network, details })
  })
  parts.log.warn({ network: recovery.network, reason: recovery.reason }, 'the wallets of a network recovered')
  return { isClear: false, done: done + 1 }
}

/** Halt and recovery in one transaction: whoever lifts the halt finds the recovery waiting. */
async function haltAhead(
  parts: PayoutParts,
  { lease }: MachineMemory,
  ahead: string,
  bytes: readonly NewAttempt[] = [],
): Promise<void> {
  const { db, log, network, way } = parts
  const detail = `${ahead}. Database and signer's log are older than the chain: put back the newer ones if you have them, then ${way.recovery.wayOut}`
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await insertAttempts(tx, bytes)
    await saveSentHeight(
      tx,
      bytes.map(({ payoutId }) => payoutId),
      undefined,
    )
    await requestRecovery(tx, network.name, ahead)
    await haltPayouts({ db: tx, log }, 'chain-ahead', detail)
  })
}

/**
 * Of payouts whose place a final transaction took: those that it paid all the same, by bytes that were signed for them and
 * forgotten, get these bytes as their own. A recovery that is under way looks after all of them by itself.
 * @returns those that something else displaced
 */
export async function keepTwins(
  parts: PayoutParts,
  memory: MachineMemory,
  displaced: readonly StoredPayout[],
  height: number,
  signal: AbortSignal,
): Promise<readonly StoredPayout[]> {
  const { db, network, way } = parts
  if (displaced.length === 0) return []
  if ((await readRecovery(db, network.name)) !== undefined) return []
  const rest: StoredPayout[] = []
  const twins: NewAttempt[] = []
  for (const payout of displaced) {
    const twin = await way.recovery.readTwin(memory, payout, height, signal)
    if (twin === undefined) rest.push(payout)
    else twins.push(twin)
  }
  const [first] = twins
  if (first !== undefined) {
    const ahead = `${first.txHash} paid payout ${first.payoutId} and is in neither the database nor the signer's log`
    await haltAhead(parts, memory, ahead, twins)
    memory.followed = undefined
  }
  return rest
}
