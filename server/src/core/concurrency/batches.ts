/** Returns the result of one item of a batch. */
export type ResultOf<Item, Result> = (item: Item) => Result

export interface BatchesParts<Item, Result> {
  /** Processes all items of a batch at once. A batch that fails is repeated item by item. */
  run(items: readonly Item[]): Promise<ResultOf<Item, Result>>
  /** Maximum number of concurrent batches. */
  readonly concurrency: number
  readonly itemsMax: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Lets independent callers share work that costs about the same for one item as for many. An item starts at
 * once if fewer than `concurrency` batches run. Otherwise the item waits for the next batch. A batch starts
 * after all its items were requested. Its queries therefore see everything that was committed before each
 * request.
 */
export class Batches<Item, Result> {
  readonly #parts: BatchesParts<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #underWay = 0

  constructor(parts: BatchesParts<Item, Result>) {
    this.#parts = parts
  }

  /**
   * Processes an item, possibly in a batch with items of other callers. @throws the error of `run` for this
   * item alone
   */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#startBatches()
    })
  }

  #startBatches(): void {
    const { concurrency, itemsMax } = this.#parts
    while (this.#underWay < concurrency && this.#waiting.length > 0) {
      this.#underWay += 1
      void this.#run(this.#waiting.splice(0, itemsMax)).finally(() => {
        this.#underWay -= 1
        this.#startBatches()
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
