export interface SeatsOptions {
  /** How many in all, and how many of one owner. */
  readonly seatsMax: number
  readonly seatsPerOwnerMax: number
  /** What is thrown at an owner who has its share, and at whoever comes when all are taken. */
  refuseOwner(): Error
  refuseAll(): Error
}

/** A bound on what is held at once, in all and by each owner: each holds a seat for as long as it stays. */
export class Seats {
  readonly #options: SeatsOptions
  readonly #takenByOwner = new Map<string, number>()
  #taken = 0

  constructor(options: SeatsOptions) {
    this.#options = options
  }

  /** How many are taken now. */
  get taken(): number {
    return this.#taken
  }

  /**
   * Takes a seat until what is returned is called; calling it again does nothing.
   * @throws what the options refuse with; the owner's own share is looked at first
   */
  take(owner: string): () => void {
    const { seatsMax, seatsPerOwnerMax } = this.#options
    const own = this.#takenByOwner.get(owner) ?? 0
    if (own >= seatsPerOwnerMax) throw this.#options.refuseOwner()
    if (this.#taken >= seatsMax) throw this.#options.refuseAll()
    this.#takenByOwner.set(owner, own + 1)
    this.#taken += 1
    let isSeated = true
    return () => {
      if (isSeated) this.#giveBack(owner)
      isSeated = false
    }
  }

  #giveBack(owner: string): void {
    const left = (this.#takenByOwner.get(owner) ?? 1) - 1
    // Owners come from outside: none may stay here for ever.
    if (left === 0) this.#takenByOwner.delete(owner)
    else this.#takenByOwner.set(owner, left)
    this.#taken -= 1
  }
}
