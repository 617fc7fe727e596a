/**
 * What this process saw committed lately, in its own memory. A database that loses the end of its history, as a standby does
 * that was promoted behind its primary, cannot say what is gone; the processes that acknowledged it can.
 */
import type { Clock } from './clock.ts'

declare const contentBrand: unique symbol

/** A kind of fact; the type says what its facts hold. */
export interface FactKind<Content> {
  readonly name: string
  readonly [contentBrand]?: Content
}

export interface Fact<Content> {
  /** Names the fact within its kind for ever. */
  readonly id: string
  /** Whom it concerns; undefined where it is no merchant's. */
  readonly merchantId: string | undefined
  readonly content: Content
}

export interface RememberedFact<Content> extends Fact<Content> {
  readonly rememberedAt: Date
}

/** Takes facts that are committed, or that will be when the transaction is that takes them. */
export interface FactSink {
  /** @param textBytes of the long texts of the content, so that the memory is bounded in bytes */
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
 * Of each kind, so that events, which are only ever named, push no invoice out. A process notices a loss within seconds; ten
 * minutes leave room for one that was stopped meanwhile.
 */
const factBounds: FactBounds = { ageMs: 10 * 60_000, count: 20_000, bytes: 16 * 1024 * 1024 }

/** What a fact takes beside its long texts: measured on invoices, which are the largest. */
const factBytes = 1_000

interface Entry {
  readonly fact: RememberedFact<unknown>
  readonly bytes: number
}

/** The latest facts within the bounds; older ones are forgotten first. To note one costs a push. */
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

  /** All of one kind, the oldest first. */
  of<Content>(kind: FactKind<Content>): readonly RememberedFact<Content>[] {
    const facts = this.#kinds.get(kind)?.all(this.#clock.now()) ?? []
    return facts as readonly RememberedFact<Content>[]
  }
}

class FactsOfKind {
  readonly #bounds: FactBounds
  #entries: Entry[] = []
  /** Entries before it are forgotten; they are cut off in bulk. */
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

/** Keeps the facts of a transaction until it is committed: what is rolled back was never a fact. */
export class FactsOfTransaction implements FactSink {
  readonly #notes: ((sink: FactSink) => void)[] = []

  note<Content>(kind: FactKind<Content>, fact: Fact<Content>, textBytes?: number): void {
    this.#notes.push((sink) => sink.note(kind, fact, textBytes))
  }

  committed(sink: FactSink): void {
    for (const note of this.#notes) note(sink)
  }
}
