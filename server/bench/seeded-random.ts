import { createHash } from 'node:crypto'

/**
 * Returns a generator of whole numbers from 0 to `below` - 1. The same seed gives the same sequence, so
 * repeated measurements do the same work.
 */
export function seededRandom(seed: string): (below: number) => number {
  let counter = 0
  return (below) => {
    counter += 1
    return createHash('sha256').update(`${seed}/${counter}`).digest().readUInt32BE(0) % below
  }
}
