import { describe, expect, it } from 'vitest'
import { SharedPoll } from './shared-poll.ts'

const forLong = 60_000
const { signal } = new AbortController()

function polling(poll: (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>) {
  return new SharedPoll<number>({
    name: 'test',
    idleMs: 1,
    restMs: 0,
    poll,
    isNews: (now, seen) => now !== seen,
  })
}

describe('a shared poll', () => {
  it('is one for all who wait, and asks for each key once', async () => {
    const asked: (readonly string[])[] = []
    const shared = polling(async (keys) => {
      asked.push(keys)
      return new Map(keys.map((key) => [key, 1]))
    })
    const waiting = ['a', 'b', 'a'].map((key) => shared.waitFor(key, 0, forLong, signal))
    await shared.runBatch(signal)
    expect(await Promise.all(waiting)).toEqual(['changed', 'changed', 'changed'])
    expect(asked).toEqual([['a', 'b']])
  })

  it('wakes only those for whom the result is new', async () => {
    const shared = polling(async () => new Map(Object.entries({ a: 2, b: 0 })))
    const leaving = new AbortController()
    const waits = [
      shared.waitFor('a', 1, forLong, leaving.signal),
      shared.waitFor('a', 2, forLong, leaving.signal),
      shared.waitFor('b', 0, forLong, leaving.signal),
    ]
    await shared.runBatch(signal)
    expect(await waits[0]).toBe('changed')
    leaving.abort()
    expect(await Promise.all(waits)).toEqual(['changed', 'same', 'same'])
  })

  it('asks nothing where nobody waits, nor for those who have left', async () => {
    const asked: (readonly string[])[] = []
    const shared = polling(async (keys) => {
      asked.push(keys)
      return new Map()
    })
    expect(await shared.waitFor('a', 0, 1, signal)).toBe('same')
    await shared.runBatch(signal)
    expect(asked).toEqual([])
  })

  it('does not answer who comes while it runs: its key was not asked for', async () => {
    let answer: (found: ReadonlyMap<string, number>) => void = () => {}
    const shared = polling(() => new Promise((resolve) => (answer = resolve)))
    const first = shared.waitFor('a', 0, forLong, signal)
    const poll = shared.runBatch(signal)
    const leaving = new AbortController()
    const late = shared.waitFor('b', 0, forLong, leaving.signal)
    answer(new Map([['a', 1]]))
    await poll
    expect(await first).toBe('changed')
    leaving.abort()
    expect(await late).toBe('same')
  })

  it('lets everybody wait on when it fails, and keeps nobody who leaves', async () => {
    const shared = polling(async () => {
      throw new Error('the database is away')
    })
    const leaving = new AbortController()
    const waiting = shared.waitFor('a', 0, forLong, leaving.signal)
    await expect(shared.runBatch(signal)).rejects.toThrow('away')
    leaving.abort()
    expect(await waiting).toBe('same')
    expect(await shared.runBatch(signal)).toBe(0)
  })
})
