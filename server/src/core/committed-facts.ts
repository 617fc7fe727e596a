/**
 * Remembers in the memory of this process what was committed recently. A database can lose the end of its
 * history, for example when a standby that lagged behind is promoted. Such a database cannot report what is
 * missing, but a process that committed the lost transactions can.
 */
import type { Clock } from './clock.ts'

declare const contentBrand: unique symbol

/** A kind of fact, such as invoices. `Content` is the type of what its facts contain. */
export interface FactKind<Content> {
  readonly name: string
  readonly [contentBrand]?: Content
}

export interface Fact<Content> {
  /** Identifies the fact within its kind, and never changes. */
  readonly id: string
  /** The merchant that the fact concerns; undefined if the fact concerns no merchant. */
  readonly merchantId: string | undefined
  readonly content: Content
}

export interface RememberedFact<Content> extends Fact<Content> {
  readonly rememberedAt: Date
}

/** Accepts facts of committed transactions, and facts of transactions that may still be rolled back. */
export interface FactSink {
  /**
   * @param textBytes the size in bytes of the long texts in the content; it counts towards the memory limit
   */
  note<Content>(kind: FactKind<Content>, fact: Fact<Content>, textBytes?: number): void
}

export function factKind<Content>(name: string): FactKind<Content> {
  return { name }
}

export interface FactBounds {
  readonly ageMs: number
  readonly count: number
  readonly bytes: number
}

/**
 * The maximum age, number and size of the facts that are kept for each kind. Each kind has its own limits, so
 * that the many facts about events do not evict the facts about invoices. A process notices a loss of history
 * within seconds. Ten minutes are enough even for a process that was suspended for a while.
 */
const factBounds: FactBounds = { ageMs: 10 * 60_000, count: 20_000, bytes: 16 * 1024 * 1024 }

/** The bytes that a fact takes in addition to its long texts, measured on the largest facts (invoices). */
const factBytes = 1_000

interface Entry {
  readonly fact: RememberedFact<unknown>
  readonly bytes: number
}

/**
 * Keeps the latest facts of each kind, within the limits of that kind, and evicts the oldest first. Adding a
 * fact costs one array push.
 */
export class CommittedFacts implements FactSink {
  readonly #clock: Pick<Clock, 'now'>
  readonly #bounds: FactBounds
  readonly #kinds = new Map<FactKind<unknown>, FactsOfKind>()

  constructor(clock: Pick<Clock, 'now'>, bounds: FactBounds = factBounds) {
    this.#clock = clock
    this.#bounds = bounds
  }

  note<Content>(kind: FactKind<Content>, fact: Fact<Content>, textBytes = 0): void {
    const ofKind = this.#kinds.get(kind) ?? new FactsOfKind(this.#bounds)
    this.#kinds.set(kind, ofKind)
    const rememberedAt = this.#clock.now()
    ofKind.note({ fact: { ...fact, rememberedAt }, bytes: factBytes + textBytes })
  }

  /** Returns all facts of one kind, the oldest first. */
  of<Content>(kind: FactKind<Content>): readonly RememberedFact<Content>[] {
    const facts = this.#kinds.get(kind)?.all(this.#clock.now()) ?? []
    return facts as readonly RememberedFact<Content>[]
  }
}

class FactsOfKind {
  readonly #bounds: FactBounds
  #entries: Entry[] = []
  /**
   * The index of the oldest entry that is kept. Entries before this index are evicted, but they are removed
   * from the array only later, many at once.
   */
  #first = 0
  #bytes = 0

  constructor(bounds: FactBounds) {
    this.#bounds = bounds
  }

  note(entry: Entry): void {
    this.#entries.push(entry)
    this.#bytes += entry.bytes
    this.#forget(entry.fact.rememberedAt)
  }

  all(now: Date): readonly RememberedFact<unknown>[] {
    this.#forget(now)
    return this.#entries.slice(this.#first).map(({ fact }) => fact)
  }

  #forget(now: Date): void {
    for (;;) {
      const oldest = this.#entries[this.#first]
      if (oldest === undefined || !this.#isBeyond(oldest, now)) break
      this.#bytes -= oldest.bytes
      this.#first += 1
    }
    if (this.#first * 2 <= this.#entries.length) return
    this.#entries = this.#entries.slice(this.#first)
    this.#first = 0
  }

  #isBeyond({ fact }: Entry, now: Date): boolean {
    const { ageMs, count, bytes } = this.#bounds
    const kept = this.#entries.length - this.#first
    return kept > count || this.#bytes > bytes || now.getTime() - fact.rememberedAt.getTime() > ageMs
  }
}

/**
 * Collects the facts that a database transaction notes. They are passed on after the transaction commits, and
 * dropped if it is rolled back.
 */
export class FactsOfTransaction implements FactSink {
  readonly #notes: ((sink: FactSink) => void)[] = []

  note<Content>(kind: FactKind<Content>, fact: Fact<Content>, textBytes?: number): void {
    this.#notes.push((sink) => sink.note(kind, fact, textBytes))
  }

  committed(sink: FactSink): void {
    for (const note of this.#notes) note(sink)
  }
}
