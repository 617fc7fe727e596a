import type { ChainReader } from '../chains/port.ts'
import type { Clock } from '../core/clock.ts'
import { Wake, workLoop } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import type { Screening } from '../payments/screening/screen.ts'
import { type Guard, withLease } from '../platform/db/lease.ts'
import type { Db } from '../platform/db/pool.ts'
import type { FeeDefaults } from '../pricing/fees/fee.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import { followChain } from './follow-chain.ts'
import { followMempool } from './follow-mempool.ts'
import { type FollowRowsParts, rowsFollower } from './follow-rows.ts'
import { FailureRecord } from './keep-failure.ts'

export interface WatchChainParts extends Pick<FollowRowsParts, 'rowSerialOn'> {
  readonly db: Db
  readonly chain: ChainReader
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  readonly screening?: Pick<Screening, 'screenAll'>
  readonly clock: Clock
  readonly log: Log
  readonly mayUndoFinal: boolean
  /** Polling interval for new heads in milliseconds, if no subscription reports them. */
  readonly pollMs: number
  /**
   * Allows writes only while the database has the incarnation (era of its history) that this process knows.
   */
  readonly guard?: Guard | undefined
  readonly signal: AbortSignal
}

/**
 * Follows one chain until the signal aborts. A lease ensures that only one process at a time follows the
 * chain. New heads wake the worker. If the chain cannot be followed, the reason is stored in the database
 * until it is followed again.
 */
export function watchChain(parts: WatchChainParts): Promise<void> {
  const { db, chain, clock, log, signal, guard } = parts
  const lease = { db, name: `watch ${chain.network}`, ttlMs: limits.leaseMs, guard, clock, log, signal }
  return withLease(lease, async (held, heldSignal) => {
    const failure = new FailureRecord({ db, network: chain.network, lease: held, log })
    await failure.during((stop) => chain.checkIdentity(stop), heldSignal)
    const wake = new Wake()
    chain.watchHeads(() => wake.now(), heldSignal)
    const onHold = holdReporter(parts)
    const reportTraces = traceReporter(parts)
    const { rowSerialOn } = parts
    const withRows = rowsFollower({ db, network: chain.network, lease: held, rowSerialOn })
    const step = (either: AbortSignal) =>
      withRows(() => followChain({ ...parts, lease: held, onHold }, either))
    const worker = {
      name: `watch ${chain.network}`,
      idleMs: parts.pollMs,
      runBatch: async (stop: AbortSignal) => {
        reportTraces()
        const blocks = await failure.during(step, stop)
        await failure.clear()
        return blocks
      },
    }
    const loop = { clock, log, signal: heldSignal }
    // The mempool has a loop of its own, so that blocks are not delayed if the mempool cannot be read.
    const { mempool } = chain
    const mempools = mempool === undefined ? [] : [followMempool({ ...parts, mempool, lease: held })]
    await Promise.all([
      workLoop(worker, { ...loop, wake }),
      ...mempools.map((mempool) => workLoop(mempool, loop)),
    ])
  })
}

/**
 * Returns a function that writes a log line when the watcher pauses because addresses were lost, and another
 * when it continues.
 */
export function holdReporter({
  chain: { network },
  log,
}: {
  readonly chain: Pick<ChainReader, 'network'>
  readonly log: Log
}): (isHeld: boolean) => void {
  let wasHeld = false
  return (isHeld) => {
    if (isHeld === wasHeld) return
    wasHeld = isHeld
    const text = isHeld
      ? 'no block is read until the recovery of lost addresses is complete: "coffer doctor" shows what it waits for'
      : 'the recovery of lost addresses is complete, reading blocks continues'
    log.warn({ network }, text)
  }
}

/**
 * Returns a function that writes a log line when the nodes do not report the coin that contracts send, and
 * another when they report it again.
 */
function traceReporter({ chain, log }: Pick<WatchChainParts, 'chain' | 'log'>): () => void {
  let wasSeen = true
  return () => {
    const isSeen = chain.traits.seesInternalTransfers
    if (isSeen === wasSeen) return
    wasSeen = isSeen
    const text = isSeen
      ? 'the nodes report internal transfers again'
      : 'the nodes report no internal transfers: the coin that contracts send is found late, by comparing balances'
    log.warn({ network: chain.network }, text)
  }
}
