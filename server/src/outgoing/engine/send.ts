/** Step 8 of each round of the engine (`run.ts`): sends signed bytes to the nodes. */
import { readCursor } from '../../chains/blocks/store.ts'
import { type BroadcastAnswer, NodeError } from '../../chains/port.ts'
import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { readSendable, type Sendable, saveBroadcast } from './attempt-store.ts'
import type { EngineMemory } from './engine-memory.ts'
import { type EngineParts, raiseAlert } from './engine-parts.ts'
import { notifySources, type OutgoingMove } from './outgoing-source.ts'
import {
  readOutgoingTransactions,
  type StoredOutgoingTransaction,
  saveSentHeight,
  saveState,
} from './store.ts'

type Outcome = BroadcastAnswer | { readonly type: 'unanswered'; readonly error: NodeError }

/**
 * Sends stored bytes to the nodes: bytes that were never sent, and bytes of outgoing transactions that no
 * node knows any more.
 * @returns how many attempts were sent
 */
export async function sendOutgoing(
  parts: EngineParts,
  memory: EngineMemory,
  signal: AbortSignal,
): Promise<number> {
  const { db, network } = parts
  const height = (await readCursor(db, network.name))?.height ?? 0
  const due = await readSendable(db, network.name, height, limits.outgoingSentAtOnce)
  if (due.length === 0) return 0
  const outcomes = await Promise.all(due.map((attempt) => broadcast(parts, attempt, signal)))
  const sent = due.map((attempt, index) => ({ ...attempt, outcome: outcomes[index] as Outcome }))
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    const taken = sent.filter(({ outcome }) => outcome.type === 'taken')
    await saveBroadcast(
      tx,
      network.name,
      taken.map(({ txHash }) => txHash),
    )
    await saveSentHeight(
      tx,
      sent.map(({ outgoingTransactionId }) => outgoingTransactionId),
      height,
    )
    const outgoingTransactions = new Map(
      (
        await readOutgoingTransactions(
          tx,
          sent.map(({ outgoingTransactionId }) => outgoingTransactionId),
        )
      ).map((one) => [one.id, one]),
    )
    const moves = sent.flatMap((one) => moveBy(one, outgoingTransactions.get(one.outgoingTransactionId)))
    await saveMoved(tx, moves)
    await notifySources(parts.outgoingSources, tx, moves)
  })
  memory.followed = undefined
  for (const { outgoingTransactionId, txHash, outcome } of sent)
    alertOf(parts, memory, outgoingTransactionId, txHash, outcome)
  return due.length
}

async function saveMoved(tx: Parameters<typeof saveState>[0], moves: readonly OutgoingMove[]): Promise<void> {
  for (const state of ['broadcast', 'needs_recheck'] as const) {
    const ids = moves.flatMap((move) =>
      move.to === state && 'outgoingTransaction' in move ? [move.outgoingTransaction.id] : [],
    )
    if (ids.length > 0) await saveState(tx, ids, state)
  }
}

async function broadcast({ sender }: EngineParts, { raw }: Sendable, signal: AbortSignal): Promise<Outcome> {
  try {
    return await sender.broadcast(raw, signal)
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    return { type: 'unanswered', error }
  }
}

/**
 * Returns the state change that follows from the answer of the nodes. Bytes that a node accepted are
 * `broadcast`. Rejected bytes may still be known to other nodes, so the transaction is rechecked and its
 * bytes are sent again.
 */
function moveBy(
  { txHash, outcome }: Sendable & { readonly outcome: Outcome },
  outgoingTransaction: StoredOutgoingTransaction | undefined,
): readonly OutgoingMove[] {
  if (
    outgoingTransaction === undefined ||
    outgoingTransaction.state === 'included' ||
    outgoingTransaction.state === 'final'
  )
    return []
  if (outcome.type === 'taken')
    return [{ outgoingTransaction: { ...outgoingTransaction, state: 'broadcast' }, to: 'broadcast', txHash }]
  return outgoingTransaction.state === 'signed'
    ? [{ outgoingTransaction: { ...outgoingTransaction, state: 'needs_recheck' }, to: 'needs_recheck' }]
    : []
}

function alertOf(
  parts: EngineParts,
  memory: EngineMemory,
  outgoingTransactionId: string,
  txHash: string,
  outcome: Outcome,
): void {
  if (outcome.type === 'taken') return
  const why = outcome.type === 'refused' ? outcome.why : outcome.type
  const detail = outcome.type === 'refused' ? outcome.detail : outcome.error.message
  const fields = { subject: outgoingTransactionId, txHash, why, detail }
  if (why === 'nonce-used') {
    // Usually another attempt of the same outgoing transaction was just mined. If somebody else's transaction
    // used the nonce or outputs, a later recheck finds that transaction in its block.
    parts.log.info(
      { network: parts.network.name, ...fields },
      'the nonce or outputs of an outgoing transaction are already used',
    )
    return
  }
  raiseAlert(
    parts,
    memory,
    'outgoing-not-taken',
    fields,
    'no node accepted an outgoing transaction; it will be sent again',
  )
}
