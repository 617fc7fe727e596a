import type { Cursor } from '../chains/blocks/block.ts'
import { holdsCursor, readCursor } from '../chains/blocks/store.ts'
import { addressFamilyOf } from '../chains/networks.ts'
import type { ChainReader, MempoolReader, SpentOutpoint, WaitingTransaction } from '../chains/port.ts'
import type { Worker } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import { listedOf } from '../payments/deposits/recording/match-blocks.ts'
import type { Deposit } from '../payments/deposits/recording/value-deposits.ts'
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
  /** The watcher's own, compared by every write. */
  readonly lease: Lease
  /** How often to ask, while nothing new is there. */
  readonly pollMs: number
}

/**
 * Looks what waits for a block, where the chain has outpoints. Each transaction is read once as long as it waits: what was
 * looked at is remembered, here alone, and is never more than the mempool holds.
 */
export function followMempool(parts: FollowMempoolParts): Worker {
  let known: ReadonlySet<string> = new Set()
  return {
    name: `watch the mempool of ${parts.chain.network}`,
    idleMs: parts.pollMs,
    takeAndDo: async (signal) => {
      const look = await lookOnce(parts, known, signal)
      known = look.known
      return look.left
    },
  }
}

interface Look {
  readonly known: ReadonlySet<string>
  /** How many are still to be looked at. */
  readonly left: number
}

/**
 * What is read is written only if the books have not moved meanwhile: then no block that they hold conflicts with it, and
 * whatever a later one spends finds it written. What was seen while the books and the node were not at the same block is
 * looked at again, and nothing is gone by it. So is what the books lost sight of by taking back a block, which may have been
 * looked at before that block came.
 */
async function lookOnce(
  parts: FollowMempoolParts,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Look> {
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
  const looked = isAbreast && isWritten ? asked.filter((txHash) => !rest.has(txHash)) : []
  const kept = [...known].filter((txHash) => listed.has(txHash))
  return { known: new Set([...kept, ...looked]), left: isAbreast ? unknown.length - looked.length : 0 }
}

/** False where the books have moved since they were at `cursor`. */
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
  /** Those of them that still wait. */
  readonly waiting: readonly WaitingTransaction[]
}

/** Transactions are of any size: what is read at once is bounded by what they spend, too. */
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
 * One indexed look-up of all that is paid to; the lineage of what pays an invoice, and of nothing else. Ends early, so that
 * what is written at once, while blocks wait, does not grow with what somebody puts into a mempool.
 * @returns also which are left for the next time
 */
async function toSighting(
  parts: FollowMempoolParts,
  waiting: readonly WaitingTransaction[],
  gone: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly sighting: Sighting; readonly rest: ReadonlySet<string> }> {
  const { chain, mempool, methods } = parts
  const watched = await findInvoiced(parts, waiting)
  const deposits: Deposit[] = []
  const spends: SpendRow[] = []
  const spent: SpentOutpoint[] = []
  let looked = 0
  for (const one of waiting) {
    if (deposits.length >= limits.depositsPerTransaction) break
    if (looked > 0 && spends.length + spent.length + one.spends.length > limits.spentPerLookUp) break
    looked += 1
    spent.push(...spentBy(one))
    const ours = one.transfers.filter(({ recipient }) => watched.has(recipient))
    const listed = listedOf(chain.network, methods, ours, watched).deposits
    if (listed.length === 0) continue
    const lineage = await mempool.readLineage(one.txHash, signal)
    // It has gone since: the next look tells of whatever is in its place.
    if (lineage === undefined) continue
    deposits.push(...listed)
    spends.push(...lineage.map((spend) => ({ ...spend, paymentHash: one.txHash })))
  }
  const rest = new Set(waiting.slice(looked).map(({ txHash }) => txHash))
  return { sighting: { deposits, spends, spent, gone }, rest }
}

/** The addresses of invoices among those that are paid to. */
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
