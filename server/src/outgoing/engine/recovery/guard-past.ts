/**
 * Ensures that no transaction is planned on a network, or signed for the first time, until the network's
 * history on chain matches the books.
 */

import { recordAudit } from '../../../platform/audit/store.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { insertAttempts, type NewAttempt } from '../attempt-store.ts'
import { readActiveHalts } from '../controls/active-halts.ts'
import { haltOutgoing } from '../controls/halts.ts'
import { nodesHint } from '../controls/nodes-hint.ts'
import type { EngineMemory } from '../engine-memory.ts'
import type { EngineParts } from '../engine-parts.ts'
import { noteWaits } from '../plan.ts'
import type { Wait } from '../plan-outcome.ts'
import { type StoredOutgoingTransaction, saveSentHeight } from '../store.ts'
import { forgetOutflow } from './forget-outflow.ts'
import { type OutflowPayment, readUnbooked } from './outflow-store.ts'
import type { Recovery } from './recovery.ts'
import { deleteRecovery, readRecovery, requestRecovery } from './recovery-store.ts'

export interface Past {
  /** Whether outgoing transactions may be planned, and may be signed for the first time. */
  readonly isClear: boolean
  readonly done: number
}

const unclear: Past = { isClear: false, done: 0 }

/**
 * Compares the chain with the books, once per epoch of the lease and after each halt. If the chain is ahead
 * of the books, halts all outgoing transactions. If a recovery was requested and no halt is active, runs the
 * next step of the recovery instead of the comparison.
 * @throws NodeError if too few nodes answer; nothing is decided then
 */
export async function guardPast(
  parts: EngineParts,
  memory: EngineMemory,
  signal: AbortSignal,
): Promise<Past> {
  const { db, network, strategy } = parts
  if ((await readActiveHalts(db, memory)).length > 0) {
    memory.isCompared = false
    return unclear
  }
  const recovery = await readRecovery(db, network.name)
  if (recovery !== undefined) return recover(parts, memory, recovery, signal)
  if (memory.isCompared) return { isClear: true, done: 0 }
  const ahead = await strategy.recovery.findAhead(memory, signal)
  if (ahead !== undefined) {
    await haltAhead(parts, memory, ahead)
    return unclear
  }
  memory.isCompared = true
  return { isClear: true, done: 0 }
}

async function recover(
  parts: EngineParts,
  memory: EngineMemory,
  recovery: Recovery,
  signal: AbortSignal,
): Promise<Past> {
  const { done, waits, isOver } = await parts.strategy.recovery.recover(memory, recovery, signal)
  memory.isCompared = false
  const unbooked = await readUnbooked(parts.db, recovery.network)
  if (!isOver || unbooked.length > 0) {
    const reason = { cause: 'recovery', detail: recovery.reason }
    await noteWaits(parts, memory, [reason, ...waits, ...unbookedWaits(unbooked)])
    return { isClear: false, done }
  }
  await inTransaction(parts.db, async (tx) => {
    await assertLease(tx, memory.lease)
    await deleteRecovery(tx, recovery.network)
    const details = { reason: recovery.reason, requestedAt: recovery.requestedAt }
    await recordAudit(tx, { action: 'payouts.recovered', subject: recovery.network, details })
  })
  parts.log.warn(
    { network: recovery.network, reason: recovery.reason },
    'the wallets of a network have recovered',
  )
  return { isClear: false, done: done + 1 }
}

/**
 * Returns the wait for an operator who says to whom payments without an order belong. Until they are booked, the
 * merchant that was paid could order the same money again.
 */
function unbookedWaits(payments: readonly OutflowPayment[]): readonly Wait[] {
  const [first] = payments
  if (first === undefined) return []
  const more = payments.length > 1 ? ` and ${payments.length - 1} more` : ''
  const detail = `payment ${first.id} of transaction ${first.txHash}${more} belongs to no order: book it with "coffer payouts book"`
  return [{ cause: 'recovery-unbooked', detail }]
}

/**
 * Stores a halt and a request for a recovery in one database transaction. The recovery therefore starts when
 * the halt is lifted.
 */
async function haltAhead(
  parts: EngineParts,
  { lease }: EngineMemory,
  ahead: string,
  bytes: readonly NewAttempt[] = [],
): Promise<void> {
  const { db, log, network, strategy } = parts
  const detail = `${ahead}. Database and signer's log are older than the chain: restore the newer ones if you have them, then ${strategy.recovery.instructions}${nodesHint(network.name)}`
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await insertAttempts(tx, bytes)
    // Bytes that were taken for an outflow book their own payments from now on.
    for (const { txHash } of bytes) await forgetOutflow(tx, network.name, txHash)
    await saveSentHeight(
      tx,
      bytes.map(({ outgoingTransactionId }) => outgoingTransactionId),
      undefined,
    )
    await requestRecovery(tx, network.name, ahead)
    await haltOutgoing({ db: tx, log }, 'chain-ahead', detail)
  })
}

/**
 * Finds conflicted outgoing transactions whose payments were in fact made, by a transaction that the signer
 * signed and the database lost. Stores that transaction as an attempt, and halts all outgoing transactions.
 * Does nothing during a recovery, because the recovery handles all conflicted transactions.
 * @returns the transactions whose conflict has another cause; none during a recovery
 */
export async function keepTwins(
  parts: EngineParts,
  memory: EngineMemory,
  conflicted: readonly StoredOutgoingTransaction[],
  height: number,
  signal: AbortSignal,
): Promise<readonly StoredOutgoingTransaction[]> {
  const { db, network, strategy } = parts
  if (conflicted.length === 0) return []
  if ((await readRecovery(db, network.name)) !== undefined) return []
  const rest: StoredOutgoingTransaction[] = []
  const twins: NewAttempt[] = []
  for (const outgoingTransaction of conflicted) {
    const twin = await strategy.recovery.readTwin(memory, outgoingTransaction, height, signal)
    if (twin === undefined) rest.push(outgoingTransaction)
    else twins.push(twin)
  }
  const [first] = twins
  if (first !== undefined) {
    const ahead = `${first.txHash} carried out transaction ${first.outgoingTransactionId}, but is in neither the database nor the signer's log`
    await haltAhead(parts, memory, ahead, twins)
    memory.followed = undefined
  }
  return rest
}
