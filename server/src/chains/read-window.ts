import { setMaxListeners } from 'node:events'

/**
 * Limits the number of blocks that are read from a node in parallel. The node's answer for a block is held in
 * memory until it is parsed, so many large answers at once could exhaust the memory. Each large answer halves
 * the limit; each other answer raises the limit by one block.
 */
export class ReadWindow {
  readonly #widest: number
  #width: number
  #inside = 0
  readonly #waiting: (() => void)[] = []

  constructor(widest: number) {
    this.#widest = widest
    this.#width = widest
  }

  /**
   * Runs `work` as soon as the limit allows it. Waiting calls run in the order in which they were made.
   * Rejects with the signal's reason if `signal` aborts before `work` starts.
   */
  async within<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#enter(signal)
    try {
      return await work()
    } finally {
      this.#inside -= 1
      this.#admit()
    }
  }

  sawAnswer(sizeBytes: number): void {
    this.#width =
      sizeBytes > heavyBytes
        ? Math.max(1, Math.floor(this.#width / 2))
        : Math.min(this.#widest, this.#width + 1)
    this.#admit()
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#inside < this.#width) {
      this.#inside += 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      const admitted = () => {
        signal.removeEventListener('abort', aborted)
        resolve()
      }
      const aborted = () => {
        this.#waiting.splice(this.#waiting.indexOf(admitted), 1)
        reject(signal.reason)
      }
      // All waiting calls listen to this signal. The 0 turns off Node's warning about too many listeners.
      setMaxListeners(0, signal)
      signal.addEventListener('abort', aborted, { once: true })
      this.#waiting.push(admitted)
    })
  }

  #admit(): void {
    while (this.#inside < this.#width) {
      const admitted = this.#waiting.shift()
      if (admitted === undefined) return
      this.#inside += 1
      admitted()
    }
  }
}

/** Size above which an answer is large. An Ethereum block of some hundred transactions takes 1 to 4 MiB. */
const heavyBytes = 8 * 1024 * 1024
