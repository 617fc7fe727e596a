import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { readAhead } from '../core/concurrency/read-ahead.ts'

const never = new AbortController().signal

async function collect<T>(reads: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = []
  for await (const value of reads) values.push(value)
  return values
}

/**
 * Returns a `read` whose results stay pending until `endAll` resolves them, starting with the newest read.
 */
function slowReads() {
  const waiting = new Map<number, (value: number) => void>()
  let underWayMax = 0
  const read = (height: number) =>
    new Promise<number>((resolve) => {
      waiting.set(height, resolve)
      underWayMax = Math.max(underWayMax, waiting.size)
    })
  const endAll = () => {
    for (const [height, resolve] of [...waiting].reverse()) {
      waiting.delete(height)
      resolve(height)
    }
  }
  return { read, endAll, underWayMax: () => underWayMax }
}

it('yields in the order of heights whatever order the reads end in, with no more under way than allowed', async () => {
  const { read, endAll, underWayMax } = slowReads()
  const collected = collect(readAhead(read, 5, 14, 4, never))
  const ending = setInterval(endAll, 1)
  expect(await collected).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
  clearInterval(ending)
  expect(underWayMax()).toBe(4)
})

it('throws a failed read in its turn, after what came before it, and stops the others', async () => {
  const stopped: number[] = []
  const read = async (height: number, signal: AbortSignal) => {
    signal.addEventListener('abort', () => stopped.push(height))
    if (height === 3) throw new Error('no block 3')
    return height
  }
  const seen: number[] = []
  const following = async () => {
    for await (const height of readAhead(read, 1, 9, 4, never)) seen.push(height)
  }
  await expect(following()).rejects.toThrow('no block 3')
  expect(seen).toEqual([1, 2])
  expect(stopped).toContain(4)
})

it('reads nothing where there is nothing to read', async () => {
  expect(await collect(readAhead(async (height) => height, 5, 4, 16, never))).toEqual([])
})

it('lets any number of reads listen to their signal without a warning of a leak', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const read = async (height: number, signal: AbortSignal) => {
    signal.addEventListener('abort', () => {})
    return height
  }
  await collect(readAhead(read, 1, 40, 16, never))
  await pause(0)
  process.off('warning', note)
  expect(warnings).toEqual([])
})
