/** A list that only grows, for example the networks that a process follows. Work may run for each item. */
export class Growing<T> {
  readonly #items: T[]
  readonly #onAdded = new Set<(item: T) => void>()

  constructor(items: readonly T[] = []) {
    this.#items = [...items]
  }

  /** The same list at all times, so that whoever keeps it sees later items, too. */
  get items(): readonly T[] {
    return this.#items
  }

  add(item: T): void {
    this.#items.push(item)
    for (const onAdded of this.#onAdded) onAdded(item)
  }

  /**
   * Runs work for each item, also for items that are added later. Resolves once the signal has aborted and all
   * work has ended. Rejects with the first error of any work.
   */
  async runEach(signal: AbortSignal, work: (item: T) => Promise<unknown>): Promise<void> {
    const running: Promise<unknown>[] = []
    const failed = new Promise<never>((_, reject) => {
      const start = (item: T) => {
        const done = work(item)
        done.catch(reject)
        running.push(done)
      }
      this.#onAdded.add(start)
      signal.addEventListener('abort', () => this.#onAdded.delete(start), { once: true })
      for (const item of this.#items) start(item)
    })
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await Promise.race([failed, aborted])
    await Promise.all(running)
  }
}
