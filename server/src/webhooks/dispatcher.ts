import { setMaxListeners } from 'node:events'
import type { Clock } from '../core/clock.ts'
import { Wake, type Worker } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import type { Db } from '../platform/db/pool.ts'
import { type ClaimPlace, claimDeliveries, firstPlace } from './claim.ts'
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
  /** Of one merchant, over all dispatchers. */
  readonly perEndpointMax?: number
  /** When an attempt is a slow one. */
  readonly slowMs?: number
}

/** While results cannot be written they are kept, and their places stay taken. */
const recordRetryMs = 500
const recordRowsMax = 500

/**
 * Sends what is due: keeps up to `inFlightMax` attempts going, claims the next while they run, and writes results
 * back many at a time. Any number of dispatchers may run. A killed one loses nothing: its claims run out, and the
 * same bytes are sent again.
 */
export class Dispatcher implements Worker {
  readonly name = 'dispatcher'
  readonly idleMs = 1_000
  /** Ends the rest early: new events, or room that results have made. */
  readonly wake = new Wake()
  readonly #parts: DispatcherParts & DeliverParts
  readonly #inFlightMax: number
  readonly #perEndpointMax: number
  readonly #slow: SlowMerchants
  readonly #stop = new AbortController()
  /** No time is left to drain in. */
  readonly #closed = new AbortController()
  readonly #recorded = new Wake()
  readonly #turns: Record<'slow' | 'others', { place: ClaimPlace }> = {
    slow: { place: firstPlace },
    others: { place: firstPlace },
  }
  /** Claimed and not yet recorded. */
  #inFlight = 0
  #results: DeliveryResult[] = []
  #isRecording = false
  #claiming: Promise<number> = Promise.resolve(0)
  #isClosing = false

  constructor(parts: DispatcherParts) {
    this.#parts = { ...parts, keyOf: rememberKeys(parts.openSecret) }
    // Each running attempt listens to it.
    setMaxListeners(0, this.#stop.signal)
    this.#inFlightMax = parts.inFlightMax ?? limits.deliveriesInFlight
    this.#perEndpointMax = parts.perEndpointMax ?? limits.deliveriesPerEndpoint
    // Half of the places are for those that answer soon.
    const placesMax = Math.max(Math.floor(this.#inFlightMax / 2), 1)
    this.#slow = new SlowMerchants({ placesMax, slowMs: parts.slowMs ?? limits.deliverySlowMs })
  }

  /** Claims a batch and starts its attempts; returns how many, without waiting for them to end. */
  async takeAndDo(signal: AbortSignal): Promise<number> {
    if (this.#isClosing) return 0
    const rows = this.#inFlightMax - this.#inFlight
    if (rows <= 0) {
      await this.#recorded.within(this.idleMs, this.#parts.clock, signal)
      return this.#inFlight
    }
    this.#claiming = this.#claimAndStart(rows)
    return this.#claiming
  }

  /** Slow endpoints first, which have a bound of their own: what they leave is everyone else's. */
  async #claimAndStart(rows: number): Promise<number> {
    const { merchantIds, room } = this.#slow.share(performance.now())
    const slowRows = Math.min(rows, room)
    const hasSlow = merchantIds.length > 0 && slowRows > 0
    const slow = hasSlow ? await this.#claim(slowRows, { isSlow: true, slowMerchantIds: merchantIds }) : 0
    if (slow === rows) return slow
    return slow + (await this.#claim(rows - slow, { isSlow: false, slowMerchantIds: merchantIds }))
  }

  async #claim(rows: number, share: Share): Promise<number> {
    const { db } = this.#parts
    const turns = share.isSlow ? this.#turns.slow : this.#turns.others
    const options = { rows, inFlightMax: this.#perEndpointMax, share }
    const { claimed, endpoints, next } = await claimDeliveries(db, turns.place, options)
    turns.place = next
    this.#inFlight += claimed.length
    for (const delivery of claimed) void this.#run(delivery, endpoints.get(delivery.merchantId))
    return claimed.length
  }

  /**
   * Claims no more, lets attempts end for half of `withinMs`, breaks off the others (they are given back, not
   * counted), and writes all results. What cannot be written in time runs out by itself.
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
    const endsMs = performance.now() + withinMs
    for (;;) {
      const leftMs = endsMs - performance.now()
      if (this.#inFlight === 0 || leftMs <= 0) return
      await this.#recorded.within(leftMs, this.#parts.clock, neverAborted)
    }
  }

  async #run(claimed: ClaimedDelivery, endpoint: Endpoint | undefined): Promise<void> {
    const running = this.#slow.began(claimed.merchantId, performance.now())
    const result =
      endpoint === undefined
        ? cancelled(claimed)
        : await deliver(this.#parts, claimed, endpoint, this.#stop.signal)
    this.#slow.ended(running, performance.now())
    this.#results.push(result)
    if (!this.#isRecording) await this.#record()
  }

  /** Writes results until there are none; those that come meanwhile go into the next batch. */
  async #record(): Promise<void> {
    this.#isRecording = true
    while (this.#results.length > 0 && !this.#closed.signal.aborted) {
      await nextTurn()
      const batch = this.#results.splice(0, recordRowsMax)
      const isRecorded = await this.#recordBatch(batch)
      // Past its claim a delivery is another's to make and to record.
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
      // Not ended by the signal that breaks attempts off: what is left to write is then tried again at this pace as well.
      await this.#parts.clock.sleep(recordRetryMs, this.#closed.signal)
      return false
    }
  }
}

const neverAborted = new AbortController().signal

/** Lets answers that have already arrived join the batch. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
