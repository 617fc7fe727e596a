import { describe, expect, it } from 'vitest'
import { changeText, daysBefore, lastDays } from './overview.ts'

describe('what is compared with the days before', () => {
  it('is as many days, up to the one before the first', () => {
    const days = lastDays(new Date('2026-03-02T13:00:00Z'), 7)
    expect(daysBefore(days)).toEqual({
      from: new Date('2026-02-17T00:00:00Z'),
      to: new Date('2026-02-23T00:00:00Z'),
    })
    const today = lastDays(new Date('2026-03-01T13:00:00Z'), 1)
    expect(daysBefore(today)).toEqual({
      from: new Date('2026-02-28T00:00:00Z'),
      to: new Date('2026-02-28T00:00:00Z'),
    })
  })

  it.each([
    [15n, 10n, '50.0'],
    [10n, 15n, '-33.3'],
    [10n, 10n, '0.0'],
    [0n, 10n, '-100.0'],
    [3_000_000_000_000_000_000_000n, 1n, '299999999999999999999900.0'],
    [10n, 0n, null],
  ])('says of %s after %s: %s', (now, before, text) => {
    expect(changeText(now, before)).toBe(text)
  })
})
