import { describe, expect, it } from 'vitest'
import { nextTryMs, retryRules } from './retries.ts'

const refused = { status: 429, code: 'too-many-requests', retryAfterS: undefined } as const

function waitsMs(random: () => number, failure: Parameters<typeof nextTryMs>[1] = refused) {
  const rules = { ...retryRules, retriesMax: 7 }
  return [1, 2, 3, 4, 5, 6, 7, 8].map((tried) =>
    nextTryMs(rules, failure, { tried, isRepeatable: false, random }),
  )
}

describe('a client over the limit', () => {
  it('doubles its pause with each attempt, up to eight seconds, half of it random', () => {
    expect(waitsMs(() => 1)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, undefined])
    expect(waitsMs(() => 0)).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 4_000, undefined])
  })

  it('waits at least as long as the server says', () => {
    expect(waitsMs(() => 0, { ...refused, retryAfterS: 3 }).slice(0, 6)).toEqual([
      3_000, 3_000, 3_000, 3_000, 3_000, 4_000,
    ])
  })
})
