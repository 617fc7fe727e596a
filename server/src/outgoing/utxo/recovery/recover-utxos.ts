/**
 * The recovery of UTXO chains. The database may have lost signed transactions. The recovery adopts those that
 * spent our UTXOs on chain, and makes all others invalid.
 */
import type { Cursor } from '../../../chains/blocks/block.ts'
import { readCursor } from '../../../chains/blocks/store.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { returnPlanned } from '../../engine/adopt-signer-log.ts'
import { findKnown } from '../../engine/attempt-store.ts'
import type { EngineMemory } from '../../engine/engine-memory.ts'
import { settledHeight } from '../../engine/engine-parts.ts'
import { notifySources } from '../../engine/outgoing-source.ts'
import type { Recovery, RecoveryStep } from '../../engine/recovery/recovery.ts'
import { saveTargets } from '../../engine/recovery/recovery-store.ts'
import type { RecoveryStrategy } from '../../engine/recovery/recovery-strategy.ts'
import { readOpen, type StoredOutgoingTransaction, saveState } from '../../engine/store.ts'
import { findTaken } from '../find-taken.ts'
import type { UtxoParts } from '../utxo-parts.ts'
import { adoptSpenders, readUtxoTwin } from './adopt-spenders.ts'
import { deleteRespends, findAccounted, findRespends } from './exposed-utxo-store.ts'
import { type HeldUtxo, readHeldUtxos } from './held-utxo-store.ts'
import { respendUtxos } from './respend-utxos.ts'

/**
 * Returns the recovery strategy of UTXO chains. The recovery searches blocks and mempools for transactions
 * that the database has lost, by the UTXOs that they spend.
 */
export function recoverUtxos(parts: UtxoParts): RecoveryStrategy {
  return {
    instructions: `resume payouts: before ${parts.network.name} sends anything else, it adopts the transactions on its chain, and spends to itself each UTXO that may be spent by signed transactions that the database may have lost`,
    findAhead: (_, signal) => findAhead(parts, signal),
    recover: (memory, recovery, signal) => recover(parts, memory, recovery, signal),
    findOwn: (outgoingTransactionIds) => findRespends(parts.db, outgoingTransactionIds),
    readTwin: (_, outgoingTransaction, height, signal) =>
      readUtxoTwin(parts, outgoingTransaction, height, signal),
  }
}

/**
 * Runs one step of a recovery. The first step chooses a target height. Signed transactions that the database
 * may have lost can spend only UTXOs in blocks up to the target height. Each step adopts the transactions in
 * final blocks that spend our UTXOs. If some of our own transactions can then never be mined, it marks them
 * as conflicted. It also finds the UTXOs in blocks up to the target height that are still unspent, and spends
 * them to ourselves. The recovery is over when nothing is left to adopt or to spend, and no outgoing
 * transaction is open.
 */
async function recover(
  parts: UtxoParts,
  memory: EngineMemory,
  recovery: Recovery,
  signal: AbortSignal,
): Promise<RecoveryStep> {
  const { db, network } = parts
  const cursor = await readCursor(db, network.name)
  if (cursor === undefined) return { done: 0, waits: [], isOver: false }
  const fixed = recovery.targets?.[untilKey]
  // Until the booked blocks reach the target height, each step chooses it again from the heights that the
  // nodes report. If a node once claimed a height that is too great, it delays the recovery only as long as
  // it repeats the claim.
  const isReached = fixed !== undefined && cursor.height >= fixed
  const until = isReached ? fixed : await fixUntil(parts, memory, cursor, signal)
  if (cursor.height < until) return { done: 0, waits: [behind(cursor, until)], isOver: false }
  const settled = settledHeight(parts, cursor)
  const adoption = await adoptSpenders(parts, memory, recovery, settled, signal)
  if (adoption.isHalted) return { done: adoption.done, waits: [], isOver: false }
  const conflicted = await giveUpConflicted(parts, memory, settled, signal)
  const respending = await respendUtxos(parts, memory, { until, cursor }, signal)
  const open = await readOpen(db, network.name)
  const isOver = adoption.left + open.length + respending.left === 0
  const done = adoption.done + conflicted + respending.done
  if (isOver) return { done, waits: [], isOver }
  return { done, waits: [...respending.waits, progressOf(open, adoption.left, respending.left)], isOver }
}

/**
 * The key of the target height in `Recovery.targets`. Signed transactions that the database may have lost can
 * spend only UTXOs in blocks up to the target height.
 */
const untilKey = 'until'

/**
 * Chooses and stores the target height, which is the highest block height that is known now. Signed
 * transactions that the database may have lost were signed before now, so they spend only UTXOs in blocks up
 * to this height. Transactions that are planned but not signed are deleted, because their UTXOs may be spent
 * already. Deleted transactions are planned again later.
 */
async function fixUntil(
  parts: UtxoParts,
  memory: EngineMemory,
  cursor: Cursor,
  signal: AbortSignal,
): Promise<number> {
  const { db, network, chain } = parts
  const { height, claimedHeight = 0 } = await chain.readHead(signal)
  const until = Math.max(height, claimedHeight, cursor.height)
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    const planned = (await readOpen(tx, network.name)).filter(({ state }) => state === 'planned')
    await returnPlanned(tx, idsOf(planned))
    await deleteRespends(tx, network.name)
    await saveTargets(tx, network.name, { [untilKey]: until })
  })
  return until
}

/**
 * Finds transactions that can never be mined, and marks them as conflicted. A transaction can never be mined
 * if a known transaction spent one of its UTXOs, or if one of its UTXOs never came to exist.
 */
async function giveUpConflicted(
  parts: UtxoParts,
  memory: EngineMemory,
  height: number,
  signal: AbortSignal,
): Promise<number> {
  const { db, network, outgoingSources } = parts
  const waiting = (await readOpen(db, network.name)).filter(
    ({ state }) => state !== 'planned' && state !== 'included',
  )
  if (waiting.length === 0 || height < 0) return 0
  const taken = await findTaken(parts, waiting, height, signal)
  const known = await findAccounted(
    db,
    network.name,
    taken.flatMap((one) => one?.txHash ?? []),
  )
  const conflicted = waiting.filter((_, index) => {
    const one = taken[index]
    return one !== undefined && (one.isUnmade || known.has(one.txHash))
  })
  if (conflicted.length === 0) return 0
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await saveState(tx, idsOf(conflicted), 'conflicted')
    const moves = conflicted.map((outgoingTransaction) => ({
      outgoingTransaction: { ...outgoingTransaction, state: 'conflicted' as const },
      to: 'conflicted' as const,
    }))
    await notifySources(outgoingSources, tx, moves)
  })
  memory.followed = undefined
  return conflicted.length
}

function idsOf(outgoingTransactions: readonly StoredOutgoingTransaction[]): readonly string[] {
  return outgoingTransactions.map(({ id }) => id)
}

function behind({ height }: Cursor, until: number) {
  return {
    cause: 'recovery-blocks',
    detail: `our blocks end at ${height}; the blocks up to ${until} may contain signed transactions that the database has lost`,
  }
}

function progressOf(open: readonly StoredOutgoingTransaction[], unknown: number, utxos: number) {
  const detail = `${open.length} transactions of ours and ${unknown} unknown ones are not final yet, ${utxos} UTXOs must be respent`
  return { cause: 'recovery-finality', detail }
}

/** The number of UTXOs for which nodes are asked in parallel. */
const askedAtOnce = 16

async function findAhead(parts: UtxoParts, signal: AbortSignal): Promise<string | undefined> {
  const { db, network } = parts
  const utxos = await readHeldUtxos(db, network.name)
  for (let start = 0; start < utxos.length; start += askedAtOnce) {
    const some = utxos.slice(start, start + askedAtOnce)
    const spenders = await Promise.all(some.map((utxo) => findSpender(parts, utxo, signal)))
    const known = await findKnown(
      db,
      network.name,
      spenders.flatMap((spender) => spender ?? []),
    )
    for (const [index, { outpoint }] of some.entries()) {
      const spender = spenders[index]
      if (spender === undefined || known.has(spender)) continue
      return `${spender} on ${network.name} spends the UTXO ${outpoint} and is in neither the database nor the signer's log`
    }
  }
  return undefined
}

/**
 * Returns the transaction that spends a UTXO, in a mempool or in a block. The block need not be booked yet.
 */
async function findSpender(
  { sender }: UtxoParts,
  { outpoint, height }: HeldUtxo,
  signal: AbortSignal,
): Promise<string | undefined> {
  const waiting = await sender.findWaitingSpender(outpoint, signal)
  if (waiting !== undefined) return waiting
  return (await sender.findSpent(outpoint, { from: height, to: Number.MAX_SAFE_INTEGER }, signal))?.txHash
}
