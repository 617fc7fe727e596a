/** The events that merchants received, by webhook or in the feed. */

/** An event as the merchant receives it. */
export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly merchantID: string
  readonly sequence: number
  readonly data: Readonly<Record<string, unknown>>
}

export function eventIn(body: string): ReceivedEvent {
  return JSON.parse(body) as ReceivedEvent
}

/** Remembers the event that was received under each number, even if the database has lost it since. */
export class KnownEvents {
  readonly #bodies = new Map<string, string>()
  /** One sentence for each number or id under which two different events were received. */
  readonly contradictions: string[] = []

  note(body: string): void {
    const { id, type, merchantID, sequence } = eventIn(body)
    this.#compare(
      `${merchantID} ${sequence}`,
      body,
      `a merchant was told two events with the number ${sequence}`,
    )
    this.#compare(id, body, `two events of the type ${type} have one id`)
  }

  /** Returns the events that a merchant received. */
  of(merchantId: string): readonly string[] {
    return [...this.#bodies].flatMap(([key, body]) => (key.startsWith(`${merchantId} `) ? [body] : []))
  }

  #compare(key: string, body: string, contradiction: string): void {
    const known = this.#bodies.get(key)
    if (known === undefined) this.#bodies.set(key, body)
    else if (known !== body) this.contradictions.push(contradiction)
  }
}
