import { createHash } from 'node:crypto'

/** Whole numbers from 0 up to `below`, the same for the same seed: what is measured twice must be the same work. */
export function seededRandom(seed: string): (below: number) => number {
  let counter = 0
  return (below) => {
    counter += 1
    return createHash('sha256').update(`${seed}/${counter}`).digest().readUInt32BE(0) % below
  }
}
