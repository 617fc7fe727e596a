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
import { readAhead } from '../core/concurrency/read-ahead.ts'
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
import { inGroups } from './in-groups.ts'

export interface FollowChainParts {
  readonly db: Db
  readonly chain: ChainReader
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  /** Absent: nobody is screened. */
  readonly screening?: Pick<Screening, 'screenAll'>
  readonly log: Log
  /** Compared by every write, so that a holder who was paused past its lease books nothing. */
  readonly lease: Lease
  /** Whether blocks the chain called final may still be taken back: on dev chains only, which lose their tail. */
  readonly mayUndoFinal: boolean
  /** Told in each step whether blocks wait for a recovery from a loss. */
  readonly onHold?: (isHeld: boolean) => void
}

/**
 * Takes one step along the chain: back to the common ancestor when our tip is no longer canonical, else forward
 * over at most a batch of blocks. Heights are never skipped and the cursor never moves because a head fell.
 * Nothing is read on while addresses that the database lost are not watched again.
 * @returns how many blocks were booked or taken back
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

/** Of a step that looks addresses up: under which state of them (`readFence`). */
interface FencedParts extends FollowChainParts {
  readonly fence: string
}

/** The first block ever followed is the head of that moment: no address was given away before there was a cursor. */
async function start({ db, chain, lease, log }: FollowChainParts, head: Head): Promise<number> {
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await startCursor(tx, chain.network, head)
  })
  log.info({ network: chain.network, height: head.height }, 'following begins')
  return 1
}

/** How far behind we are is counted from where the nodes say the chain is. */
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
 * Books blocks up to the head, reading ahead in parallel and writing in order: one transaction for the block at the
 * head, one for many while catching up. Stops early where a block does not stand on the last one; the next step finds
 * the fork.
 */
async function goForward(parts: FencedParts, from: Cursor, head: Head, signal: AbortSignal): Promise<number> {
  const { chain } = parts
  const finalHeight = await chain.readFinalHeight(signal)
  const heads = { height: claimed(head), finalHeight, isOneWord: head.isOneWord === true }
  const last = Math.min(head.height, from.height + limits.blocksPerStep)
  const read = (height: number, either: AbortSignal) => chain.readBlock(height, either)
  const reads = readAhead(read, from.height + 1, last, limits.blocksReadAhead, signal)
  const matches = matchAll(parts, whileLinked(reads, from), signal)
  let booking = Promise.resolve(from)
  try {
    for await (const batch of inGroups(matches, fillTransaction)) {
      const cursor = await booking
      // Not awaited yet: the next batch is read meanwhile.
      booking = bookBlocks(parts, cursor, batch, heads)
      booking.catch(() => {})
    }
  } finally {
    await booking.catch(() => {})
  }
  return (await booking).height - from.height
}

/** The blocks up to the first that is not there or does not stand on the one before it. */
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
 * Matches blocks before those below them are booked: whoever pays to an address was given it before, so nothing that
 * is booked or assigned meanwhile changes whose payment it is.
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

/** What the nodes say of the chain as a whole. */
interface ToldHead {
  readonly height: number
  readonly finalHeight: number | undefined
  readonly isOneWord: boolean
}

async function bookBlocks(
  { db, chain, methods, feeDefaults, lease, log, fence }: FencedParts,
  cursor: Cursor,
  batch: readonly Matched[],
  { height: headHeight, finalHeight, isOneWord }: ToldHead,
): Promise<Cursor> {
  const blocks = batch.map(({ block }) => block)
  for (const { txHash, asset, recipient } of batch.flatMap(({ unlisted }) => unlisted)) {
    log.warn(
      { network: chain.network, txHash, asset, recipient },
      'an unlisted asset came to an address of ours',
    )
  }
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await lockCursor(tx, cursor)
    await assertFence(tx, addressFamilyOf(chain.network), fence)
    const { hasOutpoints } = chain.traits
    const parts = { methods, feeDefaults, finalHeight, hasOutpoints, isOneWord }
    await recordBlocks(parts, tx, chain.network, batch)
    const told = { height: headHeight, finalHeight: finalHeight ?? -1 }
    await extendCursor(tx, chain.network, blocks, told)
  })
  const { height, hash } = required(blocks.at(-1), 'a block of a batch')
  return { ...cursor, height, hash }
}

/**
 * The last block we share with the node's chain, if our tip is not on it; 'none of it' for a dev chain that lost even
 * the first block we hold. A node that is merely behind us agrees at its own height; only a different block at a height
 * we hold is a fork.
 */
async function findFork(
  { chain, db, mayUndoFinal }: FollowChainParts,
  cursor: Cursor,
  head: Head,
  signal: AbortSignal,
): Promise<Block | 'none of it' | undefined> {
  if (await standsOnTip(chain, cursor, head, signal)) return undefined
  const reach = Math.min(head.height, cursor.height)
  const lowest = Math.max(cursor.firstHeight, reach - limits.rollbackBlocks)
  const held = await readBlocks(db, chain.network, lowest, reach)
  for (const [depth, block] of held.entries()) {
    // Below a gap are single blocks that were kept: none of them is the last one in common.
    if (block.height !== reach - depth) break
    const there = block.height === head.height ? head : await chain.readHeader(block.height, signal)
    if (there === undefined) throw new NodeError(`the node no longer has block ${block.height}`)
    if (there.hash === block.hash) return block.height === reach ? undefined : block
  }
  if (mayUndoFinal && !(await holdsFirst(chain, db, cursor, signal))) return 'none of it'
  if (reach > cursor.firstHeight && held[0]?.height !== reach) {
    throw new NodeError(
      `${chain.network}: the node is at block ${reach}, which is older than the blocks that are kept; wait until it has caught up`,
    )
  }
  throw new NodeError(
    `${chain.network}: none of our blocks ${lowest}..${reach} is on the node's chain; ` +
      'it is another chain, or lost more than can be taken back',
  )
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

/** The usual case, told from the head alone where it can be. */
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
        'Nothing is taken back; check the node, then restart.',
    )
  }
  assert(depth > 0, 'a rollback takes at least one block back')
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
  log.error({ alert: 'deposits-paused', network, depth, untilHeight }, 'nothing is credited for a while')
}

/** Takes back all that was ever booked and follows the chain that is there now, from the same height or its head. */
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
  log.warn(
    { network: chain.network, height, undone },
    'the dev chain is another one now, following begins anew',
  )
  return 1
}
