import { expect, it } from 'vitest'
import { readRetryAfter } from './json-rpc.ts'

const nowMs = Date.parse('2026-01-01T00:00:00Z')

it.each<[string | string[] | undefined, number | undefined]>([
  ['0', 0],
  ['7', 7_000],
  [' 7 ', 7_000],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  [undefined, undefined],
  ['', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  [['7', '8'], undefined],
])('reads Retry-After %j as %j milliseconds', (header, expected) => {
  expect(readRetryAfter(header, nowMs)).toBe(expected)
})
