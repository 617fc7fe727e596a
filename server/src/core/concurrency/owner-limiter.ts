export interface OwnerLimiterOptions {
  /** The maximum number of slots of all owners together (`heldMax`), and of one owner (`heldPerOwnerMax`). */
  readonly heldMax: number
  readonly heldPerOwnerMax: number
  /**
   * `refuseOwner` creates the error for an owner that already holds its maximum of slots. `refuseAll` creates
   * the error for when all slots are taken.
   */
  refuseOwner(): Error
  refuseAll(): Error
}

/** Limits the concurrent uses of a resource, in total and by each owner. Each use holds one slot. */
export class OwnerLimiter {
  readonly #options: OwnerLimiterOptions
  readonly #heldByOwner = new Map<string, number>()
  #held = 0

  constructor(options: OwnerLimiterOptions) {
    this.#options = options
  }

  /** The number of slots that all owners together hold now. */
  get held(): number {
    return this.#held
  }

  /**
   * Takes a slot, and returns the function that releases the slot. Further calls of that function do nothing.
   * @throws the error of `refuseOwner` or `refuseAll`; the maximum of the owner is checked first
   */
  take(owner: string): () => void {
    const { heldMax, heldPerOwnerMax } = this.#options
    const own = this.#heldByOwner.get(owner) ?? 0
    if (own >= heldPerOwnerMax) throw this.#options.refuseOwner()
    if (this.#held >= heldMax) throw this.#options.refuseAll()
    this.#heldByOwner.set(owner, own + 1)
    this.#held += 1
    let isHeld = true
    return () => {
      if (isHeld) this.#giveBack(owner)
      isHeld = false
    }
  }

  #giveBack(owner: string): void {
    const left = (this.#heldByOwner.get(owner) ?? 1) - 1
    // The names of owners come from requests. Entries of owners without slots are deleted, because they would
    // fill the memory.
    if (left === 0) this.#heldByOwner.delete(owner)
    else this.#heldByOwner.set(owner, left)
    this.#held -= 1
  }
}
