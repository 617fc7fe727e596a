import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ScreeningInput, verdictOf } from './verdict.ts'

const anyInput: fc.Arbitrary<ScreeningInput> = fc.record({
  list: fc.constantFrom('off', 'stale', 'fresh'),
  isOnList: fc.boolean(),
  hasOracle: fc.boolean(),
  oracleSays: fc.constantFrom(undefined, true, false),
})

describe('a verdict', () => {
  it('passes nobody whom something names, and nobody for whom something could not be asked', () => {
    fc.assert(
      fc.property(anyInput, (screening) => {
        if (verdictOf(screening) !== 'passed') return
        expect(screening.isOnList || screening.oracleSays === true).toBe(false)
        expect(screening.list).not.toBe('stale')
        if (screening.hasOracle) expect(screening.oracleSays).toBe(false)
      }),
    )
  })

  it('is given by a stale list too, where it names the address', () => {
    const screening = { list: 'stale', isOnList: true, hasOracle: true, oracleSays: undefined } as const
    expect(verdictOf(screening)).toBe('listed')
    expect(verdictOf({ ...screening, isOnList: false })).toBe('unknown')
  })

  it('passes by the list alone where there is no oracle, and by the oracle alone where there is no list', () => {
    const screening = { isOnList: false, oracleSays: undefined } as const
    expect(verdictOf({ ...screening, list: 'fresh', hasOracle: false })).toBe('passed')
    expect(verdictOf({ ...screening, list: 'off', hasOracle: true })).toBe('unknown')
    expect(verdictOf({ ...screening, list: 'off', hasOracle: true, oracleSays: false })).toBe('passed')
  })
})
