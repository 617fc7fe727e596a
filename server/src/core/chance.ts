/**
 * The source of randomness of this process: random bytes for ids, tokens and nonces, and the jitter of
 * retries. A simulation replaces this source, so that the same seed gives the same run. Wallet keys are never
 * made from it.
 */
import { randomFillSync } from 'node:crypto'
import { assert } from './assert.ts'

/** Fills a buffer with random bytes. */
export type Chance = (buffer: Buffer) => void

const systemChance: Chance = (buffer) => void randomFillSync(buffer)

let chance = systemChance

/**
 * Random bytes for ids, generated in advance. Generating all of them at once takes no longer than generating
 * the bytes of one id, and each request uses two ids.
 */
const pool = Buffer.alloc(4096)
let used = pool.length

/**
 * Replaces the source of randomness of the whole process. Returns a function that restores the previous
 * source. Nested replacements must be undone in reverse order. Each replacement and each restoration discards
 * the random bytes that were generated in advance and not used yet.
 */
export function replaceChance(other: Chance): () => void {
  const former = chance
  chance = other
  used = pool.length
  return () => {
    chance = former
    used = pool.length
  }
}

/**
 * Returns at most 4,096 random bytes from the pool. Later calls overwrite these bytes, so the caller must not
 * keep them. The bytes are for ids, not for secrets.
 */
export function pooledRandom(size: number): Buffer {
  assert(size <= pool.length, 'the pool holds the bytes')
  if (used + size > pool.length) {
    chance(pool)
    used = 0
  }
  used += size
  return pool.subarray(used - size, used)
}

export function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  chance(bytes)
  return bytes
}

/** Returns a number in [0, 1), for jitter and samples. */
export function randomFraction(): number {
  return randomBytes(6).readUIntBE(0, 6) / 2 ** 48
}
