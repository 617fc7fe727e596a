import { afterEach, describe, expect, it } from 'vitest'
import { pooledRandom, randomBytes, randomFraction, replaceChance } from './chance.ts'
import { newId } from './ids.ts'

let restore = () => {}

afterEach(() => {
  restore()
  restore = () => {}
})

/** Returns a source whose bytes count up from `first`. */
function counting(first: number) {
  let next = first
  return (buffer: Buffer) => {
    for (const index of buffer.keys()) buffer[index] = next++ % 256
  }
}

describe('chance', () => {
  it('repeats ids, bytes and fractions where its source repeats', () => {
    const run = () => {
      restore = replaceChance(counting(7))
      const made = [newId(5), randomBytes(8).toString('hex'), randomFraction(), newId(6)]
      restore()
      return made
    }
    expect(run()).toEqual(run())
  })

  it('is of the system again once restored, in the pool of ids too', () => {
    restore = replaceChance(counting(0))
    const replaced = pooledRandom(16).toString('hex')
    restore()
    expect(pooledRandom(16).toString('hex')).not.toBe(replaced)
  })

  it('is of before once a replacement within a replacement ends, in the pool of ids too', () => {
    restore = replaceChance(counting(0))
    const restoreOuter = replaceChance((buffer) => void buffer.fill(0xff))
    expect(pooledRandom(2)).toEqual(Buffer.from([0xff, 0xff]))
    restoreOuter()
    expect(pooledRandom(2)).toEqual(Buffer.from([0, 1]))
    expect(randomBytes(1)).toEqual(Buffer.from([4096 % 256]))
  })

  it('gives fractions from 0 to below 1', () => {
    restore = replaceChance((buffer) => void buffer.fill(0xff))
    expect(randomFraction()).toBeLessThan(1)
    restore()
    restore = replaceChance((buffer) => void buffer.fill(0))
    expect(randomFraction()).toBe(0)
  })
})
