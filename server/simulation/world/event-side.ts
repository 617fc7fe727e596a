/**
 * The merchants' side of events: their servers, the events that they have stored, and their knowledge of
 * their webhooks.
 */
import { FeedReader } from '../model/feed-reader.ts'
import { KnownEvents } from '../model/known-events.ts'
import { WebhookModel } from '../model/webhooks.ts'
import type { SimulatedTime } from '../ports/simulated-time.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { serviceName } from './dispatchers.ts'
import { HeartbeatFiles } from './history.ts'
import { Receivers } from './receivers.ts'

export class EventSide {
  readonly heartbeats = new HeartbeatFiles()
  readonly known = new KnownEvents()
  readonly webhooks: WebhookModel
  readonly receivers: Receivers
  /** The ids of the test events that merchants requested. */
  readonly tests = new Set<string>()
  readonly #readers = new Map<string, FeedReader>()

  constructor(scheduler: Scheduler, time: SimulatedTime) {
    this.webhooks = new WebhookModel(this.known, serviceName)
    this.receivers = new Receivers(scheduler, time, (request) => this.webhooks.note(request))
  }

  readerOf(merchantId: string): FeedReader {
    const reader = this.#readers.get(merchantId) ?? new FeedReader()
    this.#readers.set(merchantId, reader)
    return reader
  }
}
