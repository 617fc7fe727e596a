import { holdCursor, readCursor } from '../../chains/blocks/store.ts'
import type { TransactionReceipt } from '../../chains/port.ts'
import { limits } from '../../core/limits.ts'
import type { Journal } from '../../ledger/journal.ts'
import { post } from '../../ledger/post.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { readHashes } from './attempt-store.ts'
import { provenSteps, type Step, stepsBy } from './follow.ts'
import { coinOf, type PayoutParts, settledHeight } from './machine.ts'
import type { MachineMemory } from './machine-memory.ts'
import { correctionJournal, feeJournal } from './network-fees.ts'
import { findBooked, readBooked } from './network-fees-store.ts'
import { type PayoutMove, tellPurposes } from './purpose.ts'
import {
  findOurBlocks,
  readOpen,
  readUnsettled,
  type StoredPayout,
  saveInclusions,
  saveSentHeight,
  saveState,
} from './store.ts'
import { proveTransfers } from './unmoved/prove-transfers.ts'

interface Followed {
  readonly payout: StoredPayout
  readonly steps: readonly Step[]
}

/**
 * Reads the receipts of all that is under way whenever our blocks moved, and books what is final.
 * @returns how many payouts moved
 */
export async function followPayouts(
  parts: PayoutParts,
  memory: MachineMemory,
  signal: AbortSignal,
): Promise<number> {
  const { db, network } = parts
  const cursor = await readCursor(db, network.name)
  if (cursor === undefined || isSame(cursor, memory.followed)) return 0
  const payouts = [
    ...(await readOpen(db, network.name)).filter(({ state }) => state !== 'planned'),
    ...(parts.mayUndoFinal ? await readUnsettled(db, network.name, unsettledFrom(parts, cursor)) : []),
  ]
  const receipts = await readReceipts(parts, payouts, signal)
  const blocks = await findOurBlocks(db, network.name, [
    ...[...receipts.values()].flat(),
    ...payouts.flatMap(({ inclusion }) => inclusion ?? []),
  ])
  const isOurs = ({ height, blockHash }: { height: number; blockHash: string }) =>
    blocks.has(`${height} ${blockHash}`)
  const seen = payouts.map((payout): Followed => {
    const steps = stepsBy(payout, {
      receipt: receipts.get(payout.id)?.find(isOurs),
      keepsBlock: payout.inclusion !== undefined && isOurs(payout.inclusion),
      finalHeight: settledHeight(parts, cursor),
    })
    return { payout, steps }
  })
  const { proofs, isComplete } = await proveTransfers(parts, memory, endsOf(seen), signal)
  const followed = seen.flatMap(({ payout, steps }): readonly Followed[] => {
    const proven = provenSteps(steps, proofs.get(payout.id) ?? 'moved')
    return proven.length === 0 ? [] : [{ payout, steps: proven }]
  })
  if (followed.length > 0 && !(await save(parts, memory, cursor, followed))) return 1
  // A block that could not be read is asked for again, though ours do not move.
  memory.followed = isComplete ? cursor : undefined
  return followed.length
}

/** Those that would be final with success. */
function endsOf(seen: readonly Followed[]) {
  return seen.flatMap(({ payout, steps }) => {
    const last = steps.at(-1)
    return last?.to === 'final' && last.inclusion.isSuccess ? [{ payout, inclusion: last.inclusion }] : []
  })
}

/** A chain that takes blocks back that it called final is a dev chain, where few are kept; else no more are than are undone. */
function unsettledFrom({ finalDepth }: PayoutParts, { height }: At): number {
  return finalDepth === undefined ? 0 : height - limits.rollbackBlocks
}

type At = NonNullable<MachineMemory['followed']>

function isSame(a: At, b: At | undefined): boolean {
  return a.height === b?.height && a.hash === b.hash && a.finalHeight === b.finalHeight
}

/** Of each payout, those that the node has of its attempts. */
async function readReceipts(
  { db, way }: PayoutParts,
  payouts: readonly StoredPayout[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly TransactionReceipt[]>> {
  const hashes = await readHashes(
    db,
    payouts.map(({ id }) => id),
  )
  const asked = [...hashes].flatMap(([id, own]) => own.map((txHash) => ({ id, txHash })))
  const receipts = new Map<string, TransactionReceipt[]>()
  for (let start = 0; start < asked.length; start += limits.receiptsAtOnce) {
    const some = asked.slice(start, start + limits.receiptsAtOnce)
    const answers = await way.readReceipts(
      some.map(({ txHash }) => txHash),
      signal,
    )
    for (const [index, { id }] of some.entries()) {
      const receipt = answers[index]
      if (receipt !== undefined) receipts.set(id, [...(receipts.get(id) ?? []), receipt])
    }
  }
  return receipts
}

/** @returns false where our blocks moved meanwhile: then nothing was written, and all is looked at anew. */
function save(
  parts: PayoutParts,
  memory: MachineMemory,
  cursor: At,
  followed: readonly Followed[],
): Promise<boolean> {
  return inTransaction(parts.db, async (tx) => {
    await assertLease(tx, memory.lease)
    const now = await holdCursor(tx, parts.network.name)
    if (now === undefined || !isSame(now, cursor)) return false
    const moves = followed.flatMap(movesOf)
    await saveSteps(tx, moves)
    await bookFees(parts, tx, moves)
    await tellPurposes(parts.purposes, tx, moves)
    return true
  })
}

function movesOf({ payout, steps }: Followed): readonly PayoutMove[] {
  let at = payout
  return steps.map((step): PayoutMove => {
    if (step.to === 'broadcast') {
      const txHash = at.inclusion?.txHash ?? lastHash(steps)
      at = { ...at, state: 'broadcast', inclusion: undefined }
      return { payout: at, to: 'broadcast', txHash }
    }
    at = { ...at, state: step.to, inclusion: step.inclusion }
    return { payout: at, to: step.to, inclusion: step.inclusion }
  })
}

/** A step back comes from an inclusion, one on the way there leads to one. */
function lastHash(steps: readonly Step[]): string {
  return steps.flatMap((step) => (step.to === 'broadcast' ? [] : [step.inclusion.txHash])).at(-1) ?? ''
}

/** Each payout's last step is where it stands; one that is in no block any more is handed to the nodes again. */
async function saveSteps(tx: Tx, moves: readonly PayoutMove[]): Promise<void> {
  const last = new Map(
    moves.flatMap((move) => (move.to === 'refused' ? [] : [[move.payout.id, move] as const])),
  )
  const back = [...last.values()].filter(({ to }) => to === 'broadcast').map(({ payout }) => payout.id)
  if (back.length > 0) {
    await saveState(tx, back, 'broadcast')
    await saveSentHeight(tx, back, undefined)
  }
  for (const state of ['included', 'final'] as const) {
    const inclusions = [...last.values()].flatMap((move) =>
      move.to === state ? [{ id: move.payout.id, inclusion: move.inclusion }] : [],
    )
    if (inclusions.length > 0) await saveInclusions(tx, state, inclusions)
  }
}

/**
 * Books the network fee of each transaction that became final, whether it succeeded or failed, because the chain charges
 * both. For one that was final before, it books only the difference to the fee that is already booked.
 */
async function bookFees(parts: PayoutParts, tx: Tx, moves: readonly PayoutMove[]): Promise<void> {
  const coin = coinOf(parts)
  const finals = moves.flatMap((move) =>
    move.to === 'final' ? [{ id: move.payout.id, inclusion: move.inclusion }] : [],
  )
  const hashes = await readHashes(
    tx,
    finals.map(({ id }) => id),
  )
  const booked = await findBooked(tx, [...hashes.values()].flat())
  const journals: Journal[] = []
  for (const { id, inclusion } of finals) {
    const own = hashes.get(id) ?? []
    if (own.some((txHash) => booked.has(txHash))) {
      const correction = correctionJournal(coin, inclusion, await readBooked(tx, own))
      if (correction !== undefined) journals.push(correction)
    } else if (inclusion.feeMinor > 0n) {
      journals.push(feeJournal(coin, inclusion))
    }
  }
  await post(tx, journals)
}
