/**
 * A random generator. The same seed gives the same sequence. The algorithm is mulberry32, which is good
 * enough to vary a run.
 */
import { required } from '../src/core/assert.ts'

export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    const state = this.#state
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns a whole number from `low` to `high`, including both. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  /** Returns true with the probability `share`, which is a number from 0 to 1. */
  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(from: readonly T[]): T {
    return required(from[this.between(0, from.length - 1)], 'something to pick')
  }

  /**
   * Returns a seed for another generator. The numbers that the other generator draws then do not change the
   * sequence of this one.
   */
  seed(): number {
    return Math.floor(this.next() * 2 ** 32)
  }

  /** Fills a buffer with random bytes. */
  fill(buffer: Buffer): void {
    let at = 0
    for (; at + 4 <= buffer.length; at += 4) buffer.writeUInt32LE(this.seed(), at)
    for (; at < buffer.length; at += 1) buffer.writeUInt8(this.between(0, 255), at)
  }

  /** Picks a key at random. The probability of a key is its weight divided by the sum of all weights. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[]
    let left = this.next() * names.reduce((total, name) => total + weights[name], 0)
    for (const name of names) {
      left -= weights[name]
      if (left < 0) return name
    }
    return required(names.at(-1), 'a name')
  }
}
