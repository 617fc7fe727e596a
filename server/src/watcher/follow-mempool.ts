/** Follows the mempool of a UTXO chain, so that payments are known before they are in a block. */
import type { Cursor } from '../chains/blocks/block.ts'
import { holdsCursor, readCursor } from '../chains/blocks/store.ts'
import { addressFamilyOf } from '../chains/networks.ts'
import type { ChainReader, MempoolReader, SpentOutpoint, WaitingTransaction } from '../chains/port.ts'
import type { Worker } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import { listedOf } from '../payments/deposits/recording/match-blocks.ts'
import type { DepositTransfer } from '../payments/deposits/recording/value-deposits.ts'
import { findWatched, type WatchedAddress } from '../payments/deposits/recording/watched-store.ts'
import { recordWaiting, type Sighting } from '../payments/deposits/waiting/record-waiting.ts'
import { readBlockless, type SpendRow } from '../payments/deposits/waiting/store.ts'
import { assertLease, type Lease } from '../platform/db/lease.ts'
import type { Db } from '../platform/db/pool.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import type { FeeDefaults } from '../pricing/fees/fee.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'

export interface FollowMempoolParts {
  readonly db: Db
  readonly chain: ChainReader
  readonly mempool: MempoolReader
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  /** The watcher's lease, which every write checks. */
  readonly lease: Lease
  /** Polling interval in milliseconds while there is nothing new. */
  readonly pollMs: number
}

/**
 * Returns a worker that polls the mempool, which contains the transactions that wait for a block. The worker
 * reads each transaction once, and remembers its hash until it leaves the mempool. The hashes are kept in
 * memory only, and never outnumber the mempool.
 */
export function followMempool(parts: FollowMempoolParts): Worker {
  let known: ReadonlySet<string> = new Set()
  return {
    name: `watch the mempool of ${parts.chain.network}`,
    idleMs: parts.pollMs,
    runBatch: async (signal) => {
      const poll = await pollOnce(parts, known, signal)
      known = poll.known
      return poll.left
    },
  }
}

interface PollResult {
  readonly known: ReadonlySet<string>
  /** Number of listed transactions that the next poll must read. */
  readonly left: number
}

/**
 * Polls the mempool once. The result is stored only if no block was booked or reverted during the poll,
 * because it could otherwise contradict a booked block. If the node's head is not our last booked block, the
 * next poll reads the transactions again, and no transaction counts as gone. The transactions of a reverted
 * block return to the mempool. They are read again, even those that a poll had read before the block was mined.
 */
async function pollOnce(
  parts: FollowMempoolParts,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<PollResult> {
  const { db, chain, mempool } = parts
  const cursor = await readCursor(db, chain.network)
  if (cursor === undefined) return { known, left: 0 }
  const listed = new Set(await mempool.listMempool(signal))
  const { seen, unseen } = await readBlockless(db, chain.network)
  const lost = new Set(unseen)
  const unknown = [...listed].filter((txHash) => !known.has(txHash) || lost.has(txHash))
  const { asked, waiting } = await readSome(mempool, unknown, signal)
  const isAbreast = (await chain.readHead(signal)).hash === cursor.hash
  const gone = isAbreast ? seen.filter((txHash) => !listed.has(txHash)) : []
  const { sighting, rest } = await toSighting(parts, waiting, gone, signal)
  const isWritten = await write(parts, cursor, sighting)
  const handled = isAbreast && isWritten ? asked.filter((txHash) => !rest.has(txHash)) : []
  const kept = [...known].filter((txHash) => listed.has(txHash))
  return { known: new Set([...kept, ...handled]), left: isAbreast ? unknown.length - handled.length : 0 }
}

/** Stores a result. Stores nothing and returns false if the last booked block is no longer `cursor`. */
async function write(
  { db, chain, lease, methods, feeDefaults }: FollowMempoolParts,
  cursor: Cursor,
  sighting: Sighting,
): Promise<boolean> {
  const { deposits, spent, gone } = sighting
  if (deposits.length + spent.length + gone.length === 0) return true
  return inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    if (!(await holdsCursor(tx, cursor))) return false
    await recordWaiting({ methods, feeDefaults }, tx, chain.network, sighting)
    return true
  })
}

interface Read {
  readonly asked: readonly string[]
  /** The requested transactions that still wait for a block. */
  readonly waiting: readonly WaitingTransaction[]
}

/**
 * Reads transactions from the start of the list, up to a maximum number of transactions and of outpoints.
 * Outpoints are limited because one transaction can spend any number of them.
 */
async function readSome(
  mempool: MempoolReader,
  txHashes: readonly string[],
  signal: AbortSignal,
): Promise<Read> {
  const waiting: WaitingTransaction[] = []
  let asked = 0
  let spent = 0
  while (asked < Math.min(txHashes.length, limits.waitingPerStep) && spent < limits.spentPerLookUp) {
    const some = await mempool.readWaiting(txHashes.slice(asked, asked + limits.waitingPerRead), signal)
    asked += limits.waitingPerRead
    spent += some.reduce((total, { spends }) => total + spends.length, 0)
    waiting.push(...some)
  }
  return { asked: txHashes.slice(0, asked), waiting }
}

/**
 * Finds the deposits among waiting transactions, with one indexed look-up of all recipients. Ancestors are
 * read only for transactions that pay an invoice. No block can be booked while the result is stored. The size
 * of the result is therefore limited, even if the mempool is full.
 * @returns the result, and in `rest` the hashes of the transactions that are left for the next poll.
 */
async function toSighting(
  parts: FollowMempoolParts,
  waiting: readonly WaitingTransaction[],
  gone: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly sighting: Sighting; readonly rest: ReadonlySet<string> }> {
  const { chain, mempool, methods } = parts
  const watched = await findInvoiced(parts, waiting)
  const deposits: DepositTransfer[] = []
  const spends: SpendRow[] = []
  const spent: SpentOutpoint[] = []
  let handled = 0
  for (const one of waiting) {
    if (deposits.length >= limits.depositsPerTransaction) break
    if (handled > 0 && spends.length + spent.length + one.spends.length > limits.spentPerLookUp) break
    handled += 1
    spent.push(...spentBy(one))
    const incoming = one.transfers.filter(({ recipient }) => watched.has(recipient))
    const listed = listedOf(chain.network, methods, incoming, watched).deposits
    if (listed.length === 0) continue
    const ancestors = await mempool.readAncestors(one.txHash, signal)
    // The transaction left the mempool during this poll. The next poll finds what replaced it.
    if (ancestors === undefined) continue
    deposits.push(...listed)
    spends.push(...ancestors.map((spend) => ({ ...spend, paymentHash: one.txHash })))
  }
  const rest = new Set(waiting.slice(handled).map(({ txHash }) => txHash))
  return { sighting: { deposits, spends, spent, gone }, rest }
}

/** Returns the invoice addresses among the recipients of the transactions, keyed by address. */
async function findInvoiced(
  { db, chain: { network } }: FollowMempoolParts,
  waiting: readonly WaitingTransaction[],
): Promise<ReadonlyMap<string, WatchedAddress>> {
  const paidTo = new Set(waiting.flatMap(({ transfers }) => transfers.map(({ recipient }) => recipient)))
  const found = await findWatched(db, { family: addressFamilyOf(network), network }, [...paidTo])
  return new Map(found.filter((one) => one.invoiceId).map((one) => [one.address, one]))
}

function spentBy({ txHash, spends }: WaitingTransaction): readonly SpentOutpoint[] {
  return spends.map((outpoint) => ({ outpoint, txHash }))
}
