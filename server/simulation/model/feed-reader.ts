/** Simulates the server of a merchant that reads the feed of events as docs/webhooks.md describes. */
import { eventIn } from './known-events.ts'

/** A page of the feed, as the API returns it. */
export interface Page {
  readonly bodies: readonly string[]
  readonly next: number
  readonly last: number
  readonly readAgainAfter: number | undefined
}

export class FeedReader {
  /** The event number that the next request sends as `after`. */
  next = 0
  #copies: string[] = []
  #requests = 0

  /**
   * The events that the merchant's server has stored. If Coffer tells it to read again after a number, it
   * deletes its events with higher numbers.
   */
  get copies(): readonly string[] {
    return this.#copies
  }

  /**
   * Begins a request. The returned function takes the answer, and returns whether more events can be read. It
   * ignores the answer if a later request has begun meanwhile.
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
