/** Follows a chain: books its blocks in order and reverts blocks that a reorganisation removed. */
import { type Block, type Cursor, linkTo } from '../chains/blocks/block.ts'
import {
  cutBack,
  dropCursor,
  extendCursor,
  lockCursor,
  noteHead,
  readBlocks,
  readCursor,
  startCursor,
} from '../chains/blocks/store.ts'
import { addressFamilyOf } from '../chains/networks.ts'
import { type BlockFacts, type ChainReader, type Head, NodeError } from '../chains/port.ts'
import { assert, required } from '../core/assert.ts'
import { readAhead, settled } from '../core/concurrency/read-ahead.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { postCovered } from '../outgoing/withdrawals/post-covered.ts'
import { pauseDeposits } from '../payments/deposits/pause-deposits.ts'
import { type Matched, matchBlocks } from '../payments/deposits/recording/match-blocks.ts'
import { recordBlocks } from '../payments/deposits/recording/record-blocks.ts'
import { undoBlocksAbove } from '../payments/deposits/recording/undo-blocks.ts'
import type { Screening } from '../payments/screening/screen.ts'
import { assertLease, type Lease } from '../platform/db/lease.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction, type Tx } from '../platform/db/transaction.ts'
import type { FeeDefaults } from '../pricing/fees/fee.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import { assertFence, readFence } from '../recovery/lost-history/fence-store.ts'
import { findCommon } from './find-common.ts'
import { inGroups } from './in-groups.ts'
import { readTokenBlocks } from './read-tokens.ts'

export interface FollowChainParts {
  readonly db: Db
  readonly chain: ChainReader
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  /** If undefined, no sender is screened. */
  readonly screening?: Pick<Screening, 'screenAll'>
  readonly log: Log
  /**
   * Every write checks the lease. A process that was suspended until its lease expired therefore books
   * nothing.
   */
  readonly lease: Lease
  /**
   * Whether blocks that the chain reported as final may be reverted. True on dev chains only, because only a
   * dev chain can lose final blocks.
   */
  readonly mayUndoFinal: boolean
  /** Called in each step. `isHeld` is true while blocks must wait until lost addresses are recovered. */
  readonly onHold?: (isHeld: boolean) => void
}

/**
 * Takes one step along the chain. If the last booked block is still canonical, the step books at most
 * `limits.blocksPerStep` blocks. If it is not, the step reverts all blocks above the common ancestor. A step
 * never skips a height. If the node's head is below the last booked block, nothing is reverted. While the
 * database lacks addresses that were assigned, a step reads no block.
 * @returns the number of blocks that were booked or reverted.
 */
export async function followChain(parts: FollowChainParts, signal: AbortSignal): Promise<number> {
  const { chain, db } = parts
  const head = await chain.readHead(signal)
  const fence = await readFence(db, addressFamilyOf(chain.network))
  parts.onHold?.(fence === undefined)
  if (fence === undefined) return 0
  const cursor = await readCursor(db, chain.network)
  if (cursor === undefined) return start(parts, head)
  const fork = await findFork(parts, cursor, head, signal)
  if (fork === 'none of it') return startOver(parts, cursor, head, signal)
  if (fork !== undefined) return goBack(parts, cursor, fork, head)
  if (head.height <= cursor.height) return stay(parts, head)
  return goForward({ ...parts, fence }, cursor, head, signal)
}

/**
 * The parts of a step that looks up addresses. `fence` identifies the state of the watched addresses when the
 * step began (`readFence`). Blocks are booked only if that state is still the same.
 */
interface FencedParts extends FollowChainParts {
  readonly fence: string
}

/**
 * Starts following the chain at its current head. No address was assigned before the chain had a cursor, so
 * earlier blocks contain no payment to us.
 */
async function start({ db, chain, lease, log }: FollowChainParts, head: Head): Promise<number> {
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await startCursor(tx, chain.network, head)
  })
  log.info({ network: chain.network, height: head.height }, 'start following the chain')
  return 1
}

/** Returns the height that the nodes report for the chain. Coffer's lag is measured from that height. */
function claimed({ height, claimedHeight }: Head): number {
  return claimedHeight ?? height
}

async function stay({ db, chain, lease }: FollowChainParts, head: Head): Promise<number> {
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await noteHead(tx, chain.network, claimed(head))
  })
  return 0
}

/**
 * Books the blocks up to the head. Blocks are read ahead in parallel and booked in order. While the watcher
 * is far behind, one database transaction books many blocks. Booking stops at a block that does not link to
 * the previous block. The next step then finds the fork.
 */
async function goForward(parts: FencedParts, from: Cursor, head: Head, signal: AbortSignal): Promise<number> {
  const { chain } = parts
  // Nodes are asked for the final height while they are asked for the blocks.
  const heads = settled(readHeads(chain, from, head, signal))
  const last = Math.min(head.height, from.height + limits.blocksPerStep)
  const reads = blocksFrom(parts, from.height + 1, last, signal)
  const matches = matchAll(parts, whileLinked(reads, from), signal)
  let booking = Promise.resolve(from)
  try {
    for await (const batch of inGroups(matches, fillTransaction)) {
      const cursor = await booking
      const read = await heads
      if ('error' in read) throw read.error
      // The booking is not awaited yet, so that the next batch is read meanwhile.
      booking = bookBlocks(parts, cursor, batch, read.value)
      booking.catch(() => {})
    }
  } finally {
    await booking.catch(() => {})
  }
  return (await booking).height - from.height
}

async function readHeads(
  chain: ChainReader,
  from: Cursor,
  head: Head,
  signal: AbortSignal,
): Promise<LoggedHead> {
  const finalHeight = knownFinal(from, await chain.readFinalHeight(signal))
  return { height: claimed(head), finalHeight, hasSingleNode: head.hasSingleNode === true }
}

/** Yields blocks in their order. On a network of tokens alone they are read from logs. */
function blocksFrom(
  parts: FencedParts,
  from: number,
  to: number,
  signal: AbortSignal,
): AsyncIterable<BlockFacts | undefined> {
  const { chain } = parts
  if (chain.tokens !== undefined) return readTokenBlocks(parts, from, to, signal)
  const read = (height: number, either: AbortSignal) => chain.readBlock(height, either)
  return readAhead(read, from, to, limits.blocksReadAhead, signal)
}

/**
 * Returns the height up to which blocks are known to be final. What was final stays final, so a node that
 * reports less, or nothing for a moment, changes nothing.
 */
function knownFinal({ finalHeight }: Cursor, reported: number | undefined): number | undefined {
  return reported === undefined && finalHeight < 0 ? undefined : Math.max(finalHeight, reported ?? -1)
}

/** Yields blocks until a block is missing or does not link to the previous block. */
async function* whileLinked(
  reads: AsyncIterable<BlockFacts | undefined>,
  from: Cursor,
): AsyncGenerator<BlockFacts> {
  let tip: Pick<Block, 'height' | 'hash'> = from
  for await (const facts of reads) {
    if (facts === undefined || linkTo(tip, facts.block) !== 'extend') return
    yield facts
    tip = facts.block
  }
}

/**
 * Finds the payments to us in blocks, even before all lower blocks are booked. This order is safe. The owner
 * of a payment depends on the assigned addresses and not on the booked blocks. An address that is assigned
 * later has no payment in these blocks, because nobody can pay to an address before it is assigned.
 */
async function* matchAll(
  { db, chain, methods, screening }: FollowChainParts,
  reads: AsyncIterable<BlockFacts>,
  signal: AbortSignal,
): AsyncGenerator<Matched> {
  for await (const blocks of inGroups(reads, fillLookUp)) {
    yield* matchBlocks(db, chain, methods, blocks, signal, async (senders) =>
      screening?.screenAll(db, chain.network, senders, signal),
    )
  }
}

function fillLookUp(blocks: readonly BlockFacts[]): boolean {
  const count = blocks.reduce((total, { transfers }) => total + transfers.length, 0)
  return blocks.length >= limits.blocksPerTransaction || count >= limits.transfersPerLookUp
}

function fillTransaction(batch: readonly Matched[]): boolean {
  const count = batch.reduce((total, { deposits }) => total + deposits.length, 0)
  const spent = batch.reduce((total, block) => total + (block.spent?.length ?? 0), 0)
  return (
    batch.length >= limits.blocksPerTransaction ||
    count >= limits.depositsPerTransaction ||
    spent >= limits.spentPerTransaction
  )
}

/** Heights of the chain as its nodes report them, and whether only one node reports them. */
interface LoggedHead {
  readonly height: number
  readonly finalHeight: number | undefined
  readonly hasSingleNode: boolean
}

async function bookBlocks(
  { db, chain, methods, feeDefaults, lease, log, fence }: FencedParts,
  cursor: Cursor,
  batch: readonly Matched[],
  { height: headHeight, finalHeight, hasSingleNode }: LoggedHead,
): Promise<Cursor> {
  const blocks = batch.map(({ block, tracedBy }) => ({ ...block, tracedBy }))
  for (const { txHash, asset, recipient } of batch.flatMap(({ unlisted }) => unlisted)) {
    log.warn(
      { network: chain.network, txHash, asset, recipient },
      'an address of ours received an unlisted asset',
    )
  }
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await lockCursor(tx, cursor)
    await assertFence(tx, addressFamilyOf(chain.network), fence)
    const { hasOutpoints } = chain.traits
    const parts = { methods, feeDefaults, finalHeight, hasOutpoints, hasSingleNode }
    await recordBlocks(parts, tx, chain.network, batch)
    const reported = { height: headHeight, finalHeight: finalHeight ?? -1 }
    await extendCursor(tx, chain.network, blocks, reported)
  })
  const { height, hash } = required(blocks.at(-1), 'a block of a batch')
  return { ...cursor, height, hash }
}

/**
 * Compares the booked blocks with the node's chain. Returns the last block that both have, or undefined if
 * there is no fork. There is a fork if the node has a different block at a booked height. A node that is only
 * behind is not a fork. Returns 'none of it' if a dev chain has lost even the first booked block.
 * @throws NodeError if no common block can be found.
 */
async function findFork(
  { chain, db, mayUndoFinal }: FollowChainParts,
  cursor: Cursor,
  head: Head,
  signal: AbortSignal,
): Promise<Block | 'none of it' | undefined> {
  if (await standsOnTip(chain, cursor, head, signal)) return undefined
  const reach = Math.min(head.height, cursor.height)
  const lowest = Math.max(cursor.firstHeight, lowestUndoable(cursor, reach))
  const held = await readBlocks(db, chain.network, lowest, reach)
  const isShared = async (block: Block) => {
    const there = block.height === head.height ? head : await chain.readHeader(block.height, signal)
    if (there === undefined) throw new NodeError(`the node no longer has block ${block.height}`)
    return there.hash === block.hash
  }
  const common = await findCommon(withoutGap(held, reach), isShared)
  if (common !== undefined) return common.height === reach ? undefined : common
  if (mayUndoFinal && !(await holdsFirst(chain, db, cursor, signal))) return 'none of it'
  if (reach > cursor.firstHeight && held[0]?.height !== reach) {
    throw new NodeError(
      `${chain.network}: the node is at block ${reach}, which is older than the blocks that are kept; wait until it is synchronised`,
    )
  }
  throw new NodeError(
    `${chain.network}: none of our blocks ${lowest}..${reach} is on the node's chain; ` +
      'it is on another chain, or lost more blocks than can be reverted',
  )
}

/**
 * Returns the lowest height to which a reorganisation may go back. On a chain with finality, every block above
 * the last final one may be replaced. A fast chain has thousands of them.
 */
function lowestUndoable({ finalHeight }: Cursor, reach: number): number {
  const usual = reach - limits.rollbackBlocks
  return finalHeight < 0 ? usual : Math.min(usual, Math.max(finalHeight, reach - limits.blocksKept + 1))
}

/**
 * Returns the blocks from `reach` down to the first gap. Old blocks are deleted, except those to which other
 * rows refer. A block below the gap is not known to be the last common block.
 */
function withoutGap(held: readonly Block[], reach: number): readonly Block[] {
  const gap = held.findIndex((block, depth) => block.height !== reach - depth)
  return gap === -1 ? held : held.slice(0, gap)
}

async function holdsFirst(
  chain: ChainReader,
  db: Db,
  { firstHeight }: Cursor,
  signal: AbortSignal,
): Promise<boolean> {
  const [first] = await readBlocks(db, chain.network, firstHeight, firstHeight)
  return (await chain.readHeader(firstHeight, signal))?.hash === first?.hash
}

/** Decides whether the last booked block is still canonical. Usually the head alone shows whether it is. */
async function standsOnTip(
  chain: ChainReader,
  tip: Cursor,
  head: Head,
  signal: AbortSignal,
): Promise<boolean> {
  if (head.height < tip.height) return false
  if (head.height === tip.height) return head.hash === tip.hash
  if (head.height === tip.height + 1 && head.parentHash === tip.hash) return true
  return (await chain.readHeader(tip.height, signal))?.hash === tip.hash
}

async function goBack(parts: FollowChainParts, cursor: Cursor, to: Block, head: Head): Promise<number> {
  const { chain, db, lease, methods, log } = parts
  const depth = cursor.height - to.height
  if (to.height < cursor.finalHeight && !parts.mayUndoFinal) {
    throw new NodeError(
      `${chain.network}: the node drops block ${to.height + 1}, but ${cursor.finalHeight} was final. ` +
        'Nothing is reverted; check the node, then restart.',
    )
  }
  assert(depth > 0, 'a rollback reverts at least one block')
  const undone = await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await lockCursor(tx, cursor)
    const count = await undoBlocksAbove({ methods, postCovered }, tx, chain.network, to.height)
    await cutBack(tx, chain.network, to)
    if (chain.traits.hasOutpoints) await pause(parts, tx, depth, to)
    return count
  })
  log.warn({ network: chain.network, to: to.height, depth, head: head.height, undone }, 'chain reorganised')
  return depth
}

async function pause(
  { chain: { network }, methods, log }: FollowChainParts,
  tx: Tx,
  depth: number,
  ancestor: Block,
): Promise<void> {
  const ancestorHeight = ancestor.height
  const untilHeight = await pauseDeposits(methods, tx, { network, depth, ancestorHeight })
  if (untilHeight === undefined) return
  log.error(
    { alert: 'deposits-paused', network, depth, untilHeight },
    'deposits are paused after a deep reorganisation',
  )
}

/**
 * Reverts all booked blocks of a dev chain, and follows the chain that replaced it. The first followed height
 * stays the same, or becomes the height of the new head if that is lower.
 */
async function startOver(
  parts: FollowChainParts,
  cursor: Cursor,
  head: Head,
  signal: AbortSignal,
): Promise<number> {
  const { chain, db, lease, methods, log } = parts
  const height = Math.min(cursor.firstHeight, head.height)
  const first = height === head.height ? head : await chain.readHeader(height, signal)
  if (first === undefined) throw new NodeError(`the node no longer has block ${height}`)
  const undone = await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await lockCursor(tx, cursor)
    const count = await undoBlocksAbove({ methods, postCovered }, tx, chain.network, cursor.firstHeight - 1)
    await dropCursor(tx, chain.network)
    await startCursor(tx, chain.network, first)
    return count
  })
  log.warn({ network: chain.network, height, undone }, 'the dev chain was replaced, following starts again')
  return 1
}
