/** Random values that a seed repeats. The generator is mulberry32, which is good enough to vary a test. */
export interface Dice {
  /** Returns a whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  /** Returns true with this probability, from 0 to 1. */
  chance(share: number): boolean
}

export function diceOf(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (share) => next() < share,
  }
}
