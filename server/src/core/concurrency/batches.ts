/** The result of each item of a batch. */
export type ResultOf<Item, Result> = (item: Item) => Result

export interface BatchesParts<Item, Result> {
  /** Does what is asked for each item at once. A batch that fails is done again item by item. */
  run(items: readonly Item[]): Promise<ResultOf<Item, Result>>
  /** How many batches may be under way. */
  readonly lanes: number
  readonly itemsMax: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Lets callers who know nothing of each other share work that costs about the same for one as for many. Whoever finds a
 * lane free goes at once; who comes while all are busy goes with the others who wait. Work begins after it is asked
 * for, so that a look-up sees whatever was committed before.
 */
export class Batches<Item, Result> {
  readonly #parts: BatchesParts<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #underWay = 0

  constructor(parts: BatchesParts<Item, Result>) {
    this.#parts = parts
  }

  /** @throws what `run` throws for this item alone */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#fillLanes()
    })
  }

  #fillLanes(): void {
    const { lanes, itemsMax } = this.#parts
    while (this.#underWay < lanes && this.#waiting.length > 0) {
      this.#underWay += 1
      void this.#run(this.#waiting.splice(0, itemsMax)).finally(() => {
        this.#underWay -= 1
        this.#fillLanes()
      })
    }
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const resultOf = await this.#parts.run(batch.map(({ item }) => item))
      for (const { item, resolve } of batch) resolve(resultOf(item))
    } catch (error) {
      if (batch.length > 1) await Promise.all(batch.map((one) => this.#run([one])))
      else for (const { reject } of batch) reject(error)
    }
  }
}
