import { type Block, type Cursor, linkTo } from '../blocks/block.ts'
import {
  cutBack,
  extendCursor,
  lockCursor,
  noteHead,
  readBlocks,
  readCursor,
  startCursor,
} from '../blocks/store.ts'
import { type BlockFacts, type BlockRef, type ChainReader, NodeError } from '../chains/port.ts'
import { assert } from '../core/assert.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { assertLease, type Lease } from '../db/lease.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { recordBlock } from '../transactions/record-block.ts'
import { undoBlocksAbove } from '../transactions/undo-blocks.ts'
import { matchTransfers } from './match-transfers.ts'
import { readAhead } from './read-ahead.ts'

export interface FollowChainParts {
  readonly db: Db
  readonly chain: ChainReader
  readonly methods: PaymentMethods
  readonly log: Log
  /** Compared by every write, so that a holder who was paused past its lease books nothing. */
  readonly lease: Lease
  /** Whether blocks the chain called final may still be taken back: on dev chains only, which lose their tail. */
  readonly mayUndoFinal: boolean
}

/**
 * Takes one step along the chain: back to the common ancestor when our tip is no longer canonical, else forward
 * over at most a batch of blocks. Heights are never skipped and the cursor never moves because a head fell.
 * @returns how many blocks were booked or taken back
 */
export async function followChain(parts: FollowChainParts, signal: AbortSignal): Promise<number> {
  const { chain, db } = parts
  const head = await chain.readHead(signal)
  const cursor = await readCursor(db, chain.network)
  if (cursor === undefined) return start(parts, head)
  const fork = await findFork(parts, cursor, head, signal)
  if (fork !== undefined) return goBack(parts, cursor, fork, head)
  if (head.height <= cursor.height) {
    await noteHead(db, chain.network, head.height)
    return 0
  }
  return goForward(parts, cursor, head, signal)
}

/** The first block ever followed is the head of that moment: no address was given away before there was a cursor. */
async function start({ db, chain, lease, log }: FollowChainParts, head: BlockRef): Promise<number> {
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await startCursor(tx, chain.network, head)
  })
  log.info({ network: chain.network, height: head.height }, 'following begins')
  return 1
}

/**
 * Books up to a batch of blocks, reading ahead in parallel and writing in order, one transaction a block. Stops
 * early where a block does not stand on the last one; the next step finds the fork.
 */
async function goForward(
  parts: FollowChainParts,
  from: Cursor,
  head: BlockRef,
  signal: AbortSignal,
): Promise<number> {
  const { chain } = parts
  const finalHeight = (await chain.readFinalHeight(signal)) ?? -1
  const last = Math.min(head.height, from.height + limits.blocksPerStep)
  let cursor = from
  for await (const facts of readAhead(chain, from.height + 1, last, limits.blocksReadAhead, signal)) {
    if (facts === undefined || linkTo(cursor, facts.block) !== 'extend') break
    cursor = await bookBlock(parts, cursor, facts, { height: head.height, finalHeight }, signal)
  }
  return cursor.height - from.height
}

async function bookBlock(
  { db, chain, methods, lease, log }: FollowChainParts,
  cursor: Cursor,
  facts: BlockFacts,
  head: { height: number; finalHeight: number },
  signal: AbortSignal,
): Promise<Cursor> {
  const { block } = facts
  const { deposits, unlisted } = await matchTransfers(db, chain, methods, facts, signal)
  for (const { txHash, asset, recipient } of unlisted) {
    log.warn(
      { network: chain.network, txHash, asset, recipient },
      'an unlisted asset came to an address of ours',
    )
  }
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await lockCursor(tx, cursor)
    await recordBlock({ methods }, tx, chain.network, block, deposits)
    await extendCursor(tx, chain.network, block, head)
  })
  return { ...cursor, height: block.height, hash: block.hash }
}

/**
 * The last block we share with the node's chain, if our tip is not on it. A node that is merely behind us agrees
 * at its own height; only a different block at a height we hold is a fork.
 */
async function findFork(
  { chain, db }: FollowChainParts,
  cursor: Cursor,
  head: BlockRef,
  signal: AbortSignal,
): Promise<Block | undefined> {
  if (await standsOnTip(chain, cursor, head, signal)) return undefined
  const reach = Math.min(head.height, cursor.height)
  const lowest = Math.max(cursor.firstHeight, reach - limits.rollbackBlocks)
  for (const block of await readBlocks(db, chain.network, lowest, reach)) {
    const there = block.height === head.height ? head : await chain.readHeader(block.height, signal)
    if (there === undefined) throw new NodeError(`the node no longer has block ${block.height}`)
    if (there.hash === block.hash) return block.height === reach ? undefined : block
  }
  throw new NodeError(
    `${chain.network}: none of our blocks ${lowest}..${reach} is on the node's chain; ` +
      'it is another chain, or lost more than can be taken back',
  )
}

/** The usual case, told from the head alone where it can be. */
async function standsOnTip(
  chain: ChainReader,
  tip: Cursor,
  head: BlockRef,
  signal: AbortSignal,
): Promise<boolean> {
  if (head.height < tip.height) return false
  if (head.height === tip.height) return head.hash === tip.hash
  if (head.height === tip.height + 1 && head.parentHash === tip.hash) return true
  return (await chain.readHeader(tip.height, signal))?.hash === tip.hash
}

async function goBack(parts: FollowChainParts, cursor: Cursor, to: Block, head: BlockRef): Promise<number> {
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
    const count = await undoBlocksAbove(methods, tx, chain.network, to.height)
    await cutBack(tx, chain.network, to)
    return count
  })
  log.warn({ network: chain.network, to: to.height, depth, head: head.height, undone }, 'chain reorganised')
  return depth
}
