import { setMaxListeners } from 'node:events'
import { type Clock, monotonicMs } from '../core/clock.ts'
import { Wake, type Worker } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import type { Db } from '../platform/db/pool.ts'
import { type ClaimCursor, claimDeliveries, firstCursor } from './claim.ts'
import type { ClaimedDelivery, Share } from './claim-store.ts'
import { cancelled, type DeliverParts, type DeliveryResult, deliver, type Endpoint } from './deliver.ts'
import { recordResults } from './record.ts'
import { type OpenSecret, rememberKeys } from './signing-keys.ts'
import { SlowMerchants } from './slow-merchants.ts'

export interface DispatcherParts extends Omit<DeliverParts, 'keyOf'> {
  readonly openSecret: OpenSecret
  readonly db: Db
  readonly log: Log
  readonly clock: Clock
  readonly inFlightMax?: number
  /** Maximum number of deliveries in flight to one merchant, over all dispatchers. */
  readonly perEndpointMax?: number
  /** An attempt that takes at least this long counts as slow. */
  readonly slowMs?: number
}

/**
 * Delay before a failed write of results is repeated. During the delay, the deliveries of these results still
 * count as in flight.
 */
const recordRetryMs = 500
const recordRowsMax = 500

/**
 * Sends due deliveries. The dispatcher runs up to `inFlightMax` attempts at once, claims further deliveries
 * meanwhile, and stores results in batches. Any number of dispatchers may run. If a dispatcher is killed, its
 * claims expire, and another dispatcher sends the same bytes again.
 */
export class Dispatcher implements Worker {
  readonly name = 'dispatcher'
  readonly idleMs = 1_000
  /** Ends the idle wait early: after new events, or when stored results make room for further attempts. */
  readonly wake = new Wake()
  readonly #parts: DispatcherParts & DeliverParts
  readonly #inFlightMax: number
  readonly #perEndpointMax: number
  readonly #slow: SlowMerchants
  readonly #stop = new AbortController()
  /** Aborts when the time limit given to `close` is over. */
  readonly #closed = new AbortController()
  readonly #recorded = new Wake()
  readonly #cursors: Record<'slow' | 'others', { cursor: ClaimCursor }> = {
    slow: { cursor: firstCursor },
    others: { cursor: firstCursor },
  }
  /** Number of deliveries that are claimed and whose results are not stored yet. */
  #inFlight = 0
  #results: DeliveryResult[] = []
  #isRecording = false
  #claiming: Promise<number> = Promise.resolve(0)
  #isClosing = false

  constructor(parts: DispatcherParts) {
    this.#parts = { ...parts, keyOf: rememberKeys(parts.openSecret) }
    // Every running attempt adds a listener to this signal, so the warning about many listeners is disabled.
    setMaxListeners(0, this.#stop.signal)
    this.#inFlightMax = parts.inFlightMax ?? limits.deliveriesInFlight
    this.#perEndpointMax = parts.perEndpointMax ?? limits.deliveriesPerEndpoint
    // Half of the concurrent attempts are reserved for endpoints that answer quickly.
    const slotsMax = Math.max(Math.floor(this.#inFlightMax / 2), 1)
    this.#slow = new SlowMerchants({ slotsMax, slowMs: parts.slowMs ?? limits.deliverySlowMs })
  }

  /**
   * Claims a batch of deliveries, starts their attempts, and returns their number without waiting for the
   * attempts.
   */
  async runBatch(signal: AbortSignal): Promise<number> {
    if (this.#isClosing) return 0
    const rows = this.#inFlightMax - this.#inFlight
    if (rows <= 0) {
      await this.#recorded.within(this.idleMs, this.#parts.clock, signal)
      return this.#inFlight
    }
    this.#claiming = this.#claimAndStart(rows)
    return this.#claiming
  }

  /**
   * Claims up to `rows` deliveries. Deliveries to slow endpoints are claimed first, up to the separate limit
   * for slow endpoints. The remaining rows are claimed for all other endpoints.
   */
  async #claimAndStart(rows: number): Promise<number> {
    const { merchantIds, room } = this.#slow.share(monotonicMs())
    const slowRows = Math.min(rows, room)
    const hasSlow = merchantIds.length > 0 && slowRows > 0
    const slow = hasSlow ? await this.#claim(slowRows, { isSlow: true, slowMerchantIds: merchantIds }) : 0
    if (slow === rows) return slow
    return slow + (await this.#claim(rows - slow, { isSlow: false, slowMerchantIds: merchantIds }))
  }

  async #claim(rows: number, share: Share): Promise<number> {
    const { db } = this.#parts
    const cursors = share.isSlow ? this.#cursors.slow : this.#cursors.others
    const options = { rows, inFlightMax: this.#perEndpointMax, share }
    const { claimed, endpoints, next } = await claimDeliveries(db, cursors.cursor, options)
    cursors.cursor = next
    this.#inFlight += claimed.length
    for (const delivery of claimed) void this.#run(delivery, endpoints.get(delivery.merchantId))
    return claimed.length
  }

  /**
   * Stops claiming. Running attempts may continue for half of `withinMs`. Then they are aborted, and their
   * deliveries are released without counting an attempt. The second half is for storing the results. If a
   * result cannot be stored in time, the claim of its delivery expires.
   */
  async close(withinMs: number = limits.drainTimeoutMs): Promise<void> {
    this.#isClosing = true
    await this.#claiming.catch(() => {})
    await this.#drained(withinMs / 2)
    this.#stop.abort()
    await this.#drained(withinMs / 2)
    this.#closed.abort()
  }

  async #drained(withinMs: number): Promise<void> {
    const endsMs = monotonicMs() + withinMs
    for (;;) {
      const leftMs = endsMs - monotonicMs()
      if (this.#inFlight === 0 || leftMs <= 0) return
      await this.#recorded.within(leftMs, this.#parts.clock, neverAborted)
    }
  }

  async #run(claimed: ClaimedDelivery, endpoint: Endpoint | undefined): Promise<void> {
    const running = this.#slow.began(claimed.merchantId, monotonicMs())
    const result =
      endpoint === undefined
        ? cancelled(claimed)
        : await deliver(this.#parts, claimed, endpoint, this.#stop.signal)
    this.#slow.ended(running, monotonicMs())
    this.#results.push(result)
    if (!this.#isRecording) await this.#record()
  }

  /**
   * Stores results in batches until no results are left. Results that arrive during a write go into the next
   * batch.
   */
  async #record(): Promise<void> {
    this.#isRecording = true
    while (this.#results.length > 0 && !this.#closed.signal.aborted) {
      await yieldToEventLoop()
      const batch = this.#results.splice(0, recordRowsMax)
      const isRecorded = await this.#recordBatch(batch)
      // If a write failed and a claim has expired, the result is dropped: another dispatcher may have claimed
      // the delivery, and records its own result.
      const kept = isRecorded ? [] : batch.filter((one) => one.claimed.claimedUntil > this.#parts.clock.now())
      this.#results.unshift(...kept)
      this.#inFlight -= batch.length - kept.length
      this.#recorded.now()
      this.wake.now()
    }
    this.#isRecording = false
  }

  async #recordBatch(batch: readonly DeliveryResult[]): Promise<boolean> {
    try {
      await recordResults(this.#parts, batch)
      return true
    } catch (error) {
      this.#parts.log.warn(
        { err: error, results: batch.length },
        'webhook results not written, will try again',
      )
      // This delay also applies during a shutdown: the signal that aborts attempts does not end the delay.
      await this.#parts.clock.sleep(recordRetryMs, this.#closed.signal)
      return false
    }
  }
}

const neverAborted = new AbortController().signal

/** Waits briefly, so that results of attempts that have just ended join the batch. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
