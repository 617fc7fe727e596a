import { setMaxListeners } from 'node:events'

/**
 * How many blocks are read from a node at once. A block's answer is held whole until it has been read, so many heavy
 * ones at once would fill the memory: each heavy answer halves the window, each light one widens it by a block.
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

  /** Does `work` once there is room, in the order of the calls. Rejects with the signal's reason if it aborts before. */
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
      // Each that waits listens to it.
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

/** A block of Ethereum with a few hundred transactions tells of itself in one to four MiB. */
const heavyBytes = 8 * 1024 * 1024
