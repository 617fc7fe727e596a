export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

export interface SemaphoreOptions {
  /** Maximum number of tasks that wait; unlimited if absent. */
  readonly queuedMax?: number
  /** Creates the error that is thrown when the queue is full. */
  refuse?(): Error
}

/** Creates a semaphore that runs at most `runningMax` tasks at a time and queues the others in order. */
export function semaphore(runningMax: number, { queuedMax, refuse }: SemaphoreOptions = {}): Semaphore {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= runningMax) {
      if (waiting.length >= (queuedMax ?? Number.POSITIVE_INFINITY))
        throw refuse?.() ?? new Error('the queue is full')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      // Passes the slot to the next task in the queue, or frees the slot if nothing waits.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
