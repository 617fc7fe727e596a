import { readCursor } from '../../chains/blocks/store.ts'
import { type BroadcastAnswer, NodeError } from '../../chains/port.ts'
import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { readSendable, type Sendable, saveBroadcast } from './attempt-store.ts'
import { type PayoutParts, raiseAlert } from './machine.ts'
import type { MachineMemory } from './machine-memory.ts'
import { type PayoutMove, tellPurposes } from './purpose.ts'
import { readPayouts, type StoredPayout, saveSentHeight, saveState } from './store.ts'

type Outcome = BroadcastAnswer | { readonly type: 'unanswered'; readonly error: NodeError }

/**
 * Hands stored bytes to nodes: new ones, and the same again of payouts that nobody knows of.
 * @returns how many
 */
export async function sendPayouts(
  parts: PayoutParts,
  memory: MachineMemory,
  signal: AbortSignal,
): Promise<number> {
  const { db, network } = parts
  const height = (await readCursor(db, network.name))?.height ?? 0
  const due = await readSendable(db, network.name, height, limits.payoutsSentAtOnce)
  if (due.length === 0) return 0
  const outcomes = await Promise.all(due.map((attempt) => handOver(parts, attempt, signal)))
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
      sent.map(({ payoutId }) => payoutId),
      height,
    )
    const payouts = new Map(
      (
        await readPayouts(
          tx,
          sent.map(({ payoutId }) => payoutId),
        )
      ).map((one) => [one.id, one]),
    )
    const moves = sent.flatMap((one) => moveBy(one, payouts.get(one.payoutId)))
    await saveMoved(tx, moves)
    await tellPurposes(parts.purposes, tx, moves)
  })
  memory.followed = undefined
  for (const { payoutId, txHash, outcome } of sent) alertOf(parts, memory, payoutId, txHash, outcome)
  return due.length
}

async function saveMoved(tx: Parameters<typeof saveState>[0], moves: readonly PayoutMove[]): Promise<void> {
  for (const state of ['broadcast', 'in_doubt'] as const) {
    const ids = moves.flatMap((move) => (move.to === state && 'payout' in move ? [move.payout.id] : []))
    if (ids.length > 0) await saveState(tx, ids, state)
  }
}

async function handOver({ sender }: PayoutParts, { raw }: Sendable, signal: AbortSignal): Promise<Outcome> {
  try {
    return await sender.broadcast(raw, signal)
  } catch (error) {
    if (!(error instanceof NodeError) || signal.aborted) throw error
    return { type: 'unanswered', error }
  }
}

/** What was taken is broadcast. What was not may be known elsewhere all the same: it is in doubt, and sent again. */
function moveBy(
  { txHash, outcome }: Sendable & { readonly outcome: Outcome },
  payout: StoredPayout | undefined,
): readonly PayoutMove[] {
  if (payout === undefined || payout.state === 'included' || payout.state === 'final') return []
  if (outcome.type === 'taken')
    return [{ payout: { ...payout, state: 'broadcast' }, to: 'broadcast', txHash }]
  return payout.state === 'signed' ? [{ payout: { ...payout, state: 'in_doubt' }, to: 'in_doubt' }] : []
}

function alertOf(
  parts: PayoutParts,
  memory: MachineMemory,
  payoutId: string,
  txHash: string,
  outcome: Outcome,
): void {
  if (outcome.type === 'taken') return
  const why = outcome.type === 'refused' ? outcome.why : outcome.type
  const detail = outcome.type === 'refused' ? outcome.detail : outcome.error.message
  const fields = { subject: payoutId, txHash, why, detail }
  if (why === 'nonce-used') {
    // Most often another attempt was mined a moment ago; whether a foreign one was is found out by its block.
    parts.log.info({ network: parts.network.name, ...fields }, 'the place of a payout is taken in the order')
    return
  }
  raiseAlert(parts, memory, 'payout-not-taken', fields, 'no node took a payout; it is sent again')
}
