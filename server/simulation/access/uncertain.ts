import type { Life } from '../scheduler/life.ts'

/** A request that changes a fact, and that was not answered yet. */
export interface Change<Value> {
  readonly value: Value
  readonly life: Life
  /** Whether no other change of the fact was under way at the same time. */
  isAlone: boolean
}

/**
 * What is known about a fact from the answers to the requests that change it. A request whose process was killed may or
 * may not have changed the fact.
 */
export class Uncertain<Value> {
  /** The values that the fact may have. Undefined if it may have any value. */
  #possible: Set<Value> | undefined
  #open: readonly Change<Value>[] = []
  /** Number of changes that were requested. */
  begun = 0

  constructor(first: Value) {
    this.#possible = new Set([first])
  }

  /** Notes that a request is about to change the fact to this value. */
  begin(value: Value, life: Life): Change<Value> {
    // A killed process changes nothing any more.
    this.#open = this.#open.filter((one) => one.life.isAlive)
    const change = { value, life, isAlone: this.#open.length === 0 }
    for (const other of this.#open) other.isAlone = false
    this.#open = [...this.#open, change]
    this.#possible?.add(value)
    this.begun += 1
    return change
  }

  /**
   * Notes that the request was answered. If other changes were under way, the order in which they took effect is not
   * known.
   * @param value the new value, if it became known only with the answer
   */
  end(change: Change<Value>, value = change.value): void {
    this.abandon(change)
    if (change.isAlone) this.#possible = new Set([value])
    else this.#possible?.add(value)
  }

  /** Notes that the request was rejected, or that its answer does not show whether it changed the fact. */
  abandon(change: Change<Value>): void {
    this.#open = this.#open.filter((one) => one !== change)
  }

  /** Notes that nothing is known about the fact any more. */
  forget(): void {
    this.#possible = undefined
  }

  mayBe(isWanted: (value: Value) => boolean): boolean {
    return this.#possible === undefined || [...this.#possible].some(isWanted)
  }

  mustBe(isWanted: (value: Value) => boolean): boolean {
    return this.#possible !== undefined && [...this.#possible].every(isWanted)
  }
}
