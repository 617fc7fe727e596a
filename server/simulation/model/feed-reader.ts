/** A merchant's server that reads the feed of events, and does what docs/webhooks.md says. */
import { eventIn } from './known-events.ts'

/** A page of the feed, as the API answers it. */
export interface Page {
  readonly bodies: readonly string[]
  readonly next: number
  readonly last: number
  readonly readAgainAfter: number | undefined
}

export class FeedReader {
  /** The number that the next request sends as `after`. */
  next = 0
  #copies: string[] = []
  #requests = 0

  /** The copies of all events that the server has not lost. */
  get copies(): readonly string[] {
    return this.#copies
  }

  /**
   * Begins a request. Returns what takes its answer, and says whether there is more to read. An answer that
   * comes after a later request began is ignored.
   */
  begin(): (page: Page) => boolean {
    this.#requests += 1
    const own = this.#requests
    return (page) => own === this.#requests && this.#take(page)
  }

  #take({ bodies, next, last, readAgainAfter }: Page): boolean {
    if (readAgainAfter !== undefined) {
      this.#copies = this.#copies.filter((body) => eventIn(body).sequence <= readAgainAfter)
      this.next = readAgainAfter
      return true
    }
    this.#copies.push(...bodies)
    this.next = next
    return next < last
  }
}
