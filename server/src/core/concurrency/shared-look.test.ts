import { describe, expect, it } from 'vitest'
import { SharedLook } from './shared-look.ts'

const forLong = 60_000
const { signal } = new AbortController()

function looking(look: (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>) {
  return new SharedLook<number>({
    name: 'test',
    idleMs: 1,
    restMs: 0,
    look,
    isNews: (now, seen) => now !== seen,
  })
}

describe('a shared look', () => {
  it('is one for all who wait, and asks for each key once', async () => {
    const asked: (readonly string[])[] = []
    const shared = looking(async (keys) => {
      asked.push(keys)
      return new Map(keys.map((key) => [key, 1]))
    })
    const waiting = ['a', 'b', 'a'].map((key) => shared.waitFor(key, 0, forLong, signal))
    await shared.takeAndDo(signal)
    expect(await Promise.all(waiting)).toEqual(['changed', 'changed', 'changed'])
    expect(asked).toEqual([['a', 'b']])
  })

  it('ends the waiting of those alone to whom what it finds is news', async () => {
    const shared = looking(async () => new Map(Object.entries({ a: 2, b: 0 })))
    const leaving = new AbortController()
    const waits = [
      shared.waitFor('a', 1, forLong, leaving.signal),
      shared.waitFor('a', 2, forLong, leaving.signal),
      shared.waitFor('b', 0, forLong, leaving.signal),
    ]
    await shared.takeAndDo(signal)
    expect(await waits[0]).toBe('changed')
    leaving.abort()
    expect(await Promise.all(waits)).toEqual(['changed', 'same', 'same'])
  })

  it('asks nothing where nobody waits, nor for those who have left', async () => {
    const asked: (readonly string[])[] = []
    const shared = looking(async (keys) => {
      asked.push(keys)
      return new Map()
    })
    expect(await shared.waitFor('a', 0, 1, signal)).toBe('same')
    await shared.takeAndDo(signal)
    expect(asked).toEqual([])
  })

  it('leaves alone who comes while it is made: nothing was asked about its key', async () => {
    let answer: (found: ReadonlyMap<string, number>) => void = () => {}
    const shared = looking(() => new Promise((resolve) => (answer = resolve)))
    const first = shared.waitFor('a', 0, forLong, signal)
    const look = shared.takeAndDo(signal)
    const leaving = new AbortController()
    const late = shared.waitFor('b', 0, forLong, leaving.signal)
    answer(new Map([['a', 1]]))
    await look
    expect(await first).toBe('changed')
    leaving.abort()
    expect(await late).toBe('same')
  })

  it('lets everybody wait on when it fails, and keeps nobody who leaves', async () => {
    const shared = looking(async () => {
      throw new Error('the database is away')
    })
    const leaving = new AbortController()
    const waiting = shared.waitFor('a', 0, forLong, leaving.signal)
    await expect(shared.takeAndDo(signal)).rejects.toThrow('away')
    leaving.abort()
    expect(await waiting).toBe('same')
    expect(await shared.takeAndDo(signal)).toBe(0)
  })
})
