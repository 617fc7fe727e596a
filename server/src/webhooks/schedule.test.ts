import { describe, expect, it } from 'vitest'
import { limits } from '../core/limits.ts'
import { askedRestMs, nextStep, retryAfterMs, retryDelaysMs } from './schedule.ts'

const now = new Date('2026-11-20T10:00:00Z')
const hour = 3_600_000
const middle = { now, random: 0.5 }

describe('nextStep', () => {
  it.each([200, 201, 204, 299])('takes %i as delivered', (status) => {
    expect(nextStep({ status }, { ...middle, attempt: 1 })).toEqual({ type: 'delivered' })
  })

  it.each([undefined, 100, 301, 307, 400, 404, 500, 502])('tries again after %s', (status) => {
    expect(nextStep({ status }, { ...middle, attempt: 1 })).toEqual({ type: 'retry', delayMs: 5_000 })
  })

  it('rests 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, then gives up', () => {
    const steps = Array.from({ length: retryDelaysMs.length + 1 }, (_, index) =>
      nextStep({ status: 500 }, { ...middle, attempt: index + 1 }),
    )
    const delaysH = [5 / 3600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24]
    const retries = delaysH.map((hours) => ({ type: 'retry', delayMs: Math.round(hours * hour) }))
    expect(steps).toEqual([...retries, { type: 'exhausted' }])
    expect(steps).toHaveLength(limits.deliveryAttempts)
  })

  it('spreads each rest by 20 percent either way', () => {
    for (const [index, delayMs] of retryDelaysMs.entries()) {
      const at = (random: number) => nextStep({ status: 500 }, { attempt: index + 1, now, random })
      expect(at(0)).toEqual({ type: 'retry', delayMs: Math.round(delayMs * 0.8) })
      expect(at(1)).toEqual({ type: 'retry', delayMs: Math.round(delayMs * 1.2) })
    }
  })

  it('disables the endpoint on 410, at whatever attempt', () => {
    for (const attempt of [1, 10]) {
      expect(nextStep({ status: 410 }, { ...middle, attempt })).toEqual({ type: 'disable' })
    }
  })

  it.each([
    ['60', 60_000],
    ['1', 5_000],
    ['0', 5_000],
    ['-5', 5_000],
    ['99999999999999999999', 24 * hour],
    ['Fri, 20 Nov 2026 10:10:00 GMT', 600_000],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 5_000],
    ['Fri, 20 Nov 2099 10:00:00 GMT', 24 * hour],
    ['soon', 5_000],
    ['1e3', 5_000],
    ['2026-11-20T11:00:00Z', 5_000],
  ])('keeps Retry-After %s between the schedule and 24 h: %i ms', (retryAfter, delayMs) => {
    for (const status of [429, 503]) {
      expect(nextStep({ status, retryAfter }, { ...middle, attempt: 1 })).toEqual({ type: 'retry', delayMs })
    }
  })

  it('does not let Retry-After prolong the schedule past its last attempt, nor hold with other answers', () => {
    expect(nextStep({ status: 503, retryAfter: '60' }, { ...middle, attempt: 10 }).type).toBe('exhausted')
    expect(nextStep({ status: 500, retryAfter: '60' }, { ...middle, attempt: 1 })).toMatchObject({
      delayMs: 5_000,
    })
  })
})

it.each([
  [429, '60', 60_000],
  [503, '60', 60_000],
  [429, '1', 1_000],
  [503, 'Fri, 20 Nov 2026 10:10:00 GMT', 600_000],
  [429, '99999999999999999999', 24 * hour],
  [503, 'Fri, 20 Nov 2099 10:00:00 GMT', 24 * hour],
  [429, '0', 0],
  [429, '-5', 0],
  [503, 'Fri, 20 Nov 2026 09:00:00 GMT', 0],
  [503, 'soon', 0],
  [503, undefined, 0],
  [500, '60', 0],
  [200, '60', 0],
  [undefined, undefined, 0],
])('takes %s with Retry-After %s for a wish to be left alone for %i ms', (status, retryAfter, restMs) => {
  expect(askedRestMs({ status, retryAfter }, now)).toBe(restMs)
})

it('reads no number out of a Retry-After that is neither seconds nor a date', () => {
  expect([retryAfterMs('', now), retryAfterMs('1.5', now), retryAfterMs('tomorrow', now)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
