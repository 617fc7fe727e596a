import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judge, type Sight } from './verdict.ts'

const anySight: fc.Arbitrary<Sight> = fc.record({
  list: fc.constantFrom('off', 'stale', 'fresh'),
  isOnList: fc.boolean(),
  hasOracle: fc.boolean(),
  oracleSays: fc.constantFrom(undefined, true, false),
})

describe('a verdict', () => {
  it('passes nobody whom something names, and nobody for whom something could not be asked', () => {
    fc.assert(
      fc.property(anySight, (sight) => {
        if (judge(sight) !== 'passed') return
        expect(sight.isOnList || sight.oracleSays === true).toBe(false)
        expect(sight.list).not.toBe('stale')
        if (sight.hasOracle) expect(sight.oracleSays).toBe(false)
      }),
    )
  })

  it('is told by a stale list too, where it names the address', () => {
    const sight = { list: 'stale', isOnList: true, hasOracle: true, oracleSays: undefined } as const
    expect(judge(sight)).toBe('listed')
    expect(judge({ ...sight, isOnList: false })).toBe('unknown')
  })

  it('passes by the list alone where there is no oracle, and by the oracle alone where there is no list', () => {
    const sight = { isOnList: false, oracleSays: undefined } as const
    expect(judge({ ...sight, list: 'fresh', hasOracle: false })).toBe('passed')
    expect(judge({ ...sight, list: 'off', hasOracle: true })).toBe('unknown')
    expect(judge({ ...sight, list: 'off', hasOracle: true, oracleSays: false })).toBe('passed')
  })
})
