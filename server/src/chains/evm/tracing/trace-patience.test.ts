import { expect, it } from 'vitest'
import { TracePatience } from './trace-patience.ts'

it('gives a block three times as long after each time that was too short, up to thirty times', () => {
  const patience = new TracePatience(10_000)
  const given = Array.from({ length: 6 }, () => {
    const timeoutMs = patience.timeoutMs(7)
    patience.wasExceeded(7)
    return timeoutMs
  })
  expect(given).toEqual([10_000, 30_000, 90_000, 270_000, 300_000, 300_000])
})

it('is as short as ever for other blocks, and again for one that was traced', () => {
  const patience = new TracePatience(10_000)
  patience.wasExceeded(7)
  expect(patience.timeoutMs(8)).toBe(10_000)
  patience.wasEnough(7)
  expect(patience.timeoutMs(7)).toBe(10_000)
})
