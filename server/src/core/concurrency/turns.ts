export type Turns = <T>(work: () => Promise<T>) => Promise<T>

export interface TurnsOptions {
  /** How many may wait; absent: as many as there are. */
  readonly queuedMax?: number
  /** What is thrown at whoever may not even wait. */
  refuse?(): Error
}

/** Runs at most `runningMax` works at a time; the others wait in line. */
export function turns(runningMax: number, { queuedMax, refuse }: TurnsOptions = {}): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= runningMax) {
      if (waiting.length >= (queuedMax ?? Number.POSITIVE_INFINITY))
        throw refuse?.() ?? new Error('the line is full')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      // The place goes to the next in line, or is given back.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
