/**
 * Step 3 of each round of the engine (`run.ts`): reads the receipts of sent transactions, and books the fees
 * of transactions that are final.
 */
import { holdCursor, readCursor } from '../../chains/blocks/store.ts'
import type { TransactionReceipt } from '../../chains/port.ts'
import { limits } from '../../core/limits.ts'
import type { Journal } from '../../ledger/journal.ts'
import { post } from '../../ledger/post.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { readHashes } from './attempt-store.ts'
import type { EngineMemory } from './engine-memory.ts'
import { coinOf, type EngineParts, settledHeight } from './engine-parts.ts'
import { correctionJournal, feeJournal } from './network-fees.ts'
import { findBooked, readBooked } from './network-fees-store.ts'
import { notifySources, type OutgoingMove } from './outgoing-source.ts'
import { provenSteps, type Step, stepsBy } from './receipt-steps.ts'
import {
  findOurBlocks,
  readOpen,
  readUnsettled,
  type StoredOutgoingTransaction,
  saveInclusions,
  saveSentHeight,
  saveState,
} from './store.ts'
import { proveTransfers } from './unmoved/prove-transfers.ts'

interface Followed {
  readonly outgoingTransaction: StoredOutgoingTransaction
  readonly steps: readonly Step[]
}

/**
 * Reads the receipts of all open outgoing transactions, stores their new states, and books the fees of those
 * that became final. Does nothing if our list of blocks has not changed since the last time.
 * @returns how many outgoing transactions changed their state; 1 if our list of blocks changed meanwhile,
 * because then nothing is stored and the next round reads again
 */
export async function followOutgoing(
  parts: EngineParts,
  memory: EngineMemory,
  signal: AbortSignal,
): Promise<number> {
  const { db, network } = parts
  const cursor = await readCursor(db, network.name)
  if (cursor === undefined || isSame(cursor, memory.followed)) return 0
  const outgoingTransactions = [
    ...(await readOpen(db, network.name)).filter(({ state }) => state !== 'planned'),
    ...(parts.mayUndoFinal ? await readUnsettled(db, network.name, unsettledFrom(parts, cursor)) : []),
  ]
  const receipts = await readReceipts(parts, outgoingTransactions, signal)
  const blocks = await findOurBlocks(db, network.name, [
    ...[...receipts.values()].flat(),
    ...outgoingTransactions.flatMap(({ inclusion }) => inclusion ?? []),
  ])
  const isOwnBlock = ({ height, blockHash }: { height: number; blockHash: string }) =>
    blocks.has(`${height} ${blockHash}`)
  const seen = outgoingTransactions.map((outgoingTransaction): Followed => {
    const steps = stepsBy(outgoingTransaction, {
      receipt: receipts.get(outgoingTransaction.id)?.find(isOwnBlock),
      isBlockCanonical:
        outgoingTransaction.inclusion !== undefined && isOwnBlock(outgoingTransaction.inclusion),
      finalHeight: settledHeight(parts, cursor),
    })
    return { outgoingTransaction, steps }
  })
  const { proofs, isComplete } = await proveTransfers(parts, memory, endsOf(seen), signal)
  const followed = seen.flatMap(({ outgoingTransaction, steps }): readonly Followed[] => {
    const proven = provenSteps(steps, proofs.get(outgoingTransaction.id) ?? 'moved')
    return proven.length === 0 ? [] : [{ outgoingTransaction, steps: proven }]
  })
  if (followed.length > 0 && !(await save(parts, memory, cursor, followed))) return 1
  // If a block could not be read, it is read again in the next round, even if our list of blocks stays the
  // same.
  memory.followed = isComplete ? cursor : undefined
  return followed.length
}

/** Returns the outgoing transactions that would now become final with success. */
function endsOf(seen: readonly Followed[]) {
  return seen.flatMap(({ outgoingTransaction, steps }) => {
    const last = steps.at(-1)
    return last?.to === 'final' && last.inclusion.isSuccess
      ? [{ outgoingTransaction, inclusion: last.inclusion }]
      : []
  })
}

/**
 * Returns the lowest height at which final transactions are checked again, because their block may have been
 * undone. Final blocks of a chain that reports finality are undone only on dev chains. Dev chains are short,
 * so all their blocks are checked. On any other chain, a rollback undoes at most `limits.rollbackBlocks`
 * blocks.
 */
function unsettledFrom({ finalDepth }: EngineParts, { height }: At): number {
  return finalDepth === undefined ? 0 : height - limits.rollbackBlocks
}

type At = NonNullable<EngineMemory['followed']>

function isSame(a: At, b: At | undefined): boolean {
  return a.height === b?.height && a.hash === b.hash && a.finalHeight === b.finalHeight
}

/** Returns the receipts of all attempts of each outgoing transaction. */
async function readReceipts(
  { db, strategy }: EngineParts,
  outgoingTransactions: readonly StoredOutgoingTransaction[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly TransactionReceipt[]>> {
  const hashes = await readHashes(
    db,
    outgoingTransactions.map(({ id }) => id),
  )
  const asked = [...hashes].flatMap(([id, own]) => own.map((txHash) => ({ id, txHash })))
  const receipts = new Map<string, TransactionReceipt[]>()
  for (let start = 0; start < asked.length; start += limits.receiptsAtOnce) {
    const some = asked.slice(start, start + limits.receiptsAtOnce)
    const answers = await strategy.readReceipts(
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

/**
 * Stores the new states, books the fees and notifies the outgoing sources.
 * @returns false if our list of blocks changed since the receipts were read; nothing is stored then, and the
 * next round reads everything again
 */
function save(
  parts: EngineParts,
  memory: EngineMemory,
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
    await notifySources(parts.outgoingSources, tx, moves)
    return true
  })
}

function movesOf({ outgoingTransaction, steps }: Followed): readonly OutgoingMove[] {
  let at = outgoingTransaction
  return steps.map((step): OutgoingMove => {
    if (step.to === 'broadcast') {
      const txHash = at.inclusion?.txHash ?? lastHash(steps)
      at = { ...at, state: 'broadcast', inclusion: undefined }
      return { outgoingTransaction: at, to: 'broadcast', txHash }
    }
    at = { ...at, state: step.to, inclusion: step.inclusion }
    return { outgoingTransaction: at, to: step.to, inclusion: step.inclusion }
  })
}

/**
 * Returns the transaction hash to report when an outgoing transaction changes to `broadcast` and no inclusion
 * is stored for it. This is the hash of the last inclusion among `steps`, or an empty text if there is none.
 */
function lastHash(steps: readonly Step[]): string {
  return steps.flatMap((step) => (step.to === 'broadcast' ? [] : [step.inclusion.txHash])).at(-1) ?? ''
}

/**
 * Stores the last new state of each outgoing transaction. A transaction that is no longer in a block is sent
 * to the nodes again.
 */
async function saveSteps(tx: Tx, moves: readonly OutgoingMove[]): Promise<void> {
  const last = new Map(
    moves.flatMap((move) => (move.to === 'refused' ? [] : [[move.outgoingTransaction.id, move] as const])),
  )
  const back = [...last.values()]
    .filter(({ to }) => to === 'broadcast')
    .map(({ outgoingTransaction }) => outgoingTransaction.id)
  if (back.length > 0) {
    await saveState(tx, back, 'broadcast')
    await saveSentHeight(tx, back, undefined)
  }
  for (const state of ['included', 'final'] as const) {
    const inclusions = [...last.values()].flatMap((move) =>
      move.to === state ? [{ id: move.outgoingTransaction.id, inclusion: move.inclusion }] : [],
    )
    if (inclusions.length > 0) await saveInclusions(tx, state, inclusions)
  }
}

/**
 * Books the network fee of each transaction that became final. The chain charges the fee even if the
 * transaction failed. If a fee was booked before the transaction's block was undone, only the difference is
 * booked now.
 */
async function bookFees(parts: EngineParts, tx: Tx, moves: readonly OutgoingMove[]): Promise<void> {
  const coin = coinOf(parts)
  const finals = moves.flatMap((move) =>
    move.to === 'final' ? [{ id: move.outgoingTransaction.id, inclusion: move.inclusion }] : [],
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
