import fc from 'fast-check'
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

  it.each([
    '2026-02-28T10:30:00',
    '2026-02-28T10:30',
    '20260228T103000',
    '20260228T103000Z',
    '20260228T1030Z',
    '20260228T123000+0200',
    '20260228T123000+02',
    '2026-02-28T12:30:00,000+02',
  ])('Q2 without an offset is UTC, in the basic format too: %s', (text) => {
    expect(parseInstant(text, 'from')?.toISOString()).toBe('2026-02-28T10:30:00.000Z')
  })

  it('Q2 is the same in extended and basic format, with and without an offset', () => {
    const instants = fc.date({
      min: new Date('0001-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(instants, (at) => {
        const extended = at.toISOString()
        const basic = extended.replace(/[-:]/g, '')
        for (const text of [extended, extended.slice(0, -1), basic, basic.slice(0, -1)]) {
          expect(parseInstant(text, 'to')).toEqual(at)
        }
        const days = [extended, basic].map((text) => text.slice(0, text.indexOf('T')))
        expect(days.map((day) => parseInstant(day, 'from')?.toISOString().slice(0, 10))).toEqual([
          extended.slice(0, 10),
          extended.slice(0, 10),
        ])
      }),
    )
  })

  it('covers the whole UTC day when it is a date alone', () => {
    expect(parseInstant('20260228', 'to')?.toISOString()).toBe('2026-02-28T23:59:59.999Z')
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
      '2026-02-28 10:30:00',
      '2026-0228',
      '20260228T10:30:00Z',
      '2026-02-28T103000Z',
      '2026-02-28T10Z',
      '20260228Z',
      '2026-02',
      '20260230',
      '2026-02-28T10:30:00+99:00',
    ]) {
      expect(parseInstant(text, 'from'), text).toBeUndefined()
    }
  })
})
