import { afterEach, expect, it } from 'vitest'
import { monotonicMs, replaceTime, systemClock, type TimeSource, wallMs } from './clock.ts'
import { linkSignal } from './concurrency/linked-signal.ts'
import { newId } from './ids.ts'

let restore = () => {}

afterEach(() => {
  restore()
  restore = () => {}
})

/** A source of time that advances only when `pass` is called. */
class StillTime implements TimeSource {
  #ms = 1_000
  readonly #timers = new Set<{ readonly atMs: number; readonly end: () => void }>()

  wallMs = () => this.#ms
  monotonicMs = () => this.#ms
  startTimer = (end: () => void, ms: number) => {
    const entry = { atMs: this.#ms + ms, end }
    this.#timers.add(entry)
    const timer = { cancel: () => void this.#timers.delete(entry), unref: () => timer }
    return timer
  }

  get waiting(): number {
    return this.#timers.size
  }

  pass(ms: number): void {
    this.#ms += ms
    for (const entry of this.#timers) if (entry.atMs <= this.#ms && this.#timers.delete(entry)) entry.end()
  }
}

it('moves clocks, sleeps, time limits and ids together where its source is replaced', async () => {
  const time = new StillTime()
  restore = replaceTime(time)
  const { signal } = linkSignal([], 500)
  const slept = systemClock.sleep(400)
  expect([wallMs(), monotonicMs(), systemClock.now().getTime()]).toEqual([1_000, 1_000, 1_000])
  time.pass(450)
  await slept
  expect(signal.aborted).toBe(false)
  time.pass(50)
  expect(signal.aborted).toBe(true)
  expect(Number.parseInt(newId().replace('-', '').slice(0, 12), 16)).toBe(1_500)
})

it('ends a sleep at once when its signal aborts, and leaves no timer', async () => {
  const time = new StillTime()
  restore = replaceTime(time)
  const stop = new AbortController()
  const slept = systemClock.sleep(1_000, stop.signal)
  stop.abort()
  await slept
  expect(time.waiting).toBe(0)
})

it('is the time of the system again once restored', () => {
  replaceTime(new StillTime())()
  expect(Math.abs(wallMs() - Date.now())).toBeLessThan(1_000)
})

it('is the time of before once a replacement within a replacement ends', () => {
  const outer = new StillTime()
  restore = replaceTime(outer)
  outer.pass(500)
  const restoreOuter = replaceTime(new StillTime())
  expect(wallMs()).toBe(1_000)
  restoreOuter()
  expect(wallMs()).toBe(1_500)
})
