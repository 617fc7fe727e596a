import { describe, expect, it } from 'vitest'
import { parseInstant } from './instant.ts'

describe('an instant', () => {
  it('is read with offsets, with a space for a lost plus, and to the millisecond', () => {
    const at = '2026-02-28T10:30:00.123Z'
    for (const text of [
      at,
      '2026-02-28T12:30:00.123+02:00',
      '2026-02-28T12:30:00.123 02:00',
      '2026-02-28T05:30:00.1239-0500',
    ]) {
      expect(parseInstant(text, 'to')?.toISOString()).toBe(at)
    }
  })

  it('covers the whole UTC day when it is a date alone', () => {
    expect(parseInstant('2026-02-28', 'from')?.toISOString()).toBe('2026-02-28T00:00:00.000Z')
    expect(parseInstant('2026-02-28', 'to')?.toISOString()).toBe('2026-02-28T23:59:59.999Z')
  })

  it('is undefined for what is no date', () => {
    for (const text of [
      '2026-02-30',
      '2026-13-01',
      'yesterday',
      '',
      '2026-02-28T25:00:00Z',
      '2026-02-28T10:30:00',
      '20260228',
      '2026-02-28T10:30:00+99:00',
    ]) {
      expect(parseInstant(text, 'from'), text).toBeUndefined()
    }
  })
})
