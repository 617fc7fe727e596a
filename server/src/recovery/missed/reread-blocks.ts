/**
 * Reads a sample of final blocks again, if possible from a node that did not deliver them first. If there are
 * several nodes, a missing payment is reported only if two nodes agree on it. A single faulty node can
 * therefore raise no false alarm.
 */

import { addressFamilyOf } from '../../chains/networks.ts'
import {
  type BlockFacts,
  type ChainReader,
  isBadAnswer,
  NodeError,
  type Transfer,
} from '../../chains/port.ts'
import { randomFraction } from '../../core/chance.ts'
import type { Worker } from '../../core/concurrency/work-loop.ts'
import { limits } from '../../core/limits.ts'
import { readFoundDeposits, saveExplained } from '../../payments/deposits/recording/explained-store.ts'
import type { ExplainedTransfer } from '../../payments/deposits/recording/found-by-balance.ts'
import { assertLease, type Lease } from '../../platform/db/lease.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { readBlockHashes } from './books-store.ts'
import { type ComparisonParts, readComparedBlock } from './comparison.ts'
import { explainMissed, type MissedTransfer } from './explain-missed.ts'
import { findUnrecorded } from './find-unrecorded.ts'
import { isCoinLate } from './late-coin-store.ts'
import { type Missed, type MissedPayment, sampleHeights } from './missed-payment.ts'
import { reportMissed } from './search-addresses.ts'
import { countReread } from './search-store.ts'
import { noteMissed } from './store.ts'

const rereadMs = 60_000

export function rereadBlocks(parts: ComparisonParts, lease: Lease): Worker {
  let round = 0
  return {
    name: `read blocks of ${parts.chain.network} again`,
    idleMs: rereadMs,
    runBatch: async (signal) => {
      await rereadOnce(parts, { lease, round }, signal)
      round += 1
      return 0
    },
  }
}

interface Reread {
  readonly lease: Lease
  /** Counts the samples. Each sample is read from the next node in turn. */
  readonly round: number
  /** Returns a number in [0, 1). The default is `randomFraction`. */
  random?(): number
}

/**
 * Reads one sample of blocks again.
 * @returns the new findings.
 */
export async function rereadOnce(
  parts: ComparisonParts,
  { lease, round, random = randomFraction }: Reread,
  signal: AbortSignal,
): Promise<readonly MissedPayment[]> {
  const { db, chain } = parts
  const at = await readComparedBlock(parts)
  if (at === undefined) return []
  const range = { from: at.firstHeight + 1, to: at.height, count: limits.rereadBlocksPerMinute }
  const blocks = await readBlockHashes(db, chain.network, sampleHeights(range, random))
  const { checkingNodes: nodes = [] } = chain
  const node = nodes[round % Math.max(1, nodes.length)] ?? chain
  const missed: Missed[] = []
  const explained: ExplainedTransfer<MissedTransfer>[] = []
  let unread = 0
  for (const { height, hash } of blocks) {
    const facts = await readKept(node, height, signal)
    // If the hash differs from the booked one, the watcher handles the difference.
    if (facts?.block.hash !== hash) unread += 1
    else {
      const found = await findMissed(parts, node, facts, signal)
      const explanation = await explainMissed(db, chain.network, height, await withoutLate(parts, found))
      explained.push(...explanation.explained)
      const left = [...explanation.contested, ...explanation.unexplained]
      missed.push(...left.flatMap(({ transfer }) => toMissed(parts, height, transfer)))
    }
  }
  const reported = await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await countReread(tx, chain.network, blocks.length - unread, unread)
    await saveExplained(tx, chain.network, explained)
    return noteMissed(tx, missed)
  })
  for (const one of reported) reportMissed(parts, one)
  return reported
}

/**
 * Returns a block with its transfers. Returns undefined if the node answers but does not have them; nodes
 * seldom keep the traces of old blocks. Rethrows any other error, for example if the node cannot be reached.
 * Another sample is then read later.
 */
async function readKept(
  node: ChainReader,
  height: number,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  return node.readBlock(height, signal).catch((error: unknown) => {
    if (isBadAnswer(error)) return undefined
    throw error
  })
}

async function findMissed(
  parts: ComparisonParts,
  node: ChainReader,
  facts: BlockFacts,
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const { db, chain, methods, log } = parts
  const unrecorded = await findUnrecorded({ on: db, chain, methods }, facts, signal).catch(asContradicted)
  if (unrecorded instanceof NodeError) {
    log.warn(
      { network: chain.network, height: facts.block.height, err: unrecorded },
      'a block cannot be read again',
    )
    return []
  }
  if (unrecorded.length === 0) return []
  const { height, hash } = facts.block
  const agreed = node === chain ? facts : await readKept(chain, height, signal)
  const keys = new Set(agreed?.block.hash === hash ? agreed.transfers.map(({ key }) => key) : [])
  const isAgreed = ({ key }: Transfer) => keys.has(key)
  for (const { key, recipient } of unrecorded.filter((one) => !isAgreed(one)))
    log.warn(
      { network: chain.network, height, key, recipient },
      'one node reports a payment that two others do not report',
    )
  return unrecorded.filter(isAgreed)
}

/**
 * Leaves out coin that is found by comparing balances, except at addresses where it was found already: there, the
 * transfers explain what was found.
 */
async function withoutLate(
  { db, chain }: ComparisonParts,
  transfers: readonly Transfer[],
): Promise<readonly Transfer[]> {
  const coin = transfers.filter(({ asset }) => asset.type === 'coin')
  if (coin.length === 0 || !(await isCoinLate(db, chain))) return transfers
  const scope = {
    family: addressFamilyOf(chain.network),
    addresses: coin.map(({ recipient }) => recipient),
  }
  const found = await readFoundDeposits(db, chain.network, scope)
  const known = new Set(found.map(({ recipient }) => recipient))
  return transfers.filter(({ asset, recipient }) => asset.type !== 'coin' || known.has(recipient))
}

/**
 * Returns the error if a node contradicts itself. Rethrows any other error, for example if the node cannot be
 * reached. Another sample is then read later.
 */
function asContradicted(error: unknown): NodeError {
  if (isBadAnswer(error)) return error
  throw error
}

function toMissed(
  { chain: { network }, methods }: ComparisonParts,
  height: number,
  { asset, recipient, amountMinor, txHash }: Transfer,
): readonly Missed[] {
  const method = methods.byTransferred(network, asset.type === 'token' ? asset.contract : undefined)
  if (method === undefined) return []
  const found = { network, address: recipient, asset: method.asset, height, amountMinor, txHash } as const
  return [{ ...found, isLocated: true, foundBy: 'block' }]
}
