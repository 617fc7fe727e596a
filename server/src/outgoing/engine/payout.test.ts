import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayMove, openStates, type PayoutState, payoutStates } from './payout.ts'

const anyState = fc.constantFrom(...payoutStates)

function walk(wanted: readonly PayoutState[]): readonly PayoutState[] {
  const way: PayoutState[] = ['planned']
  for (const state of wanted) {
    if (mayMove(way.at(-1) ?? 'planned', state)) way.push(state)
  }
  return way
}

describe('a payout', () => {
  it('never goes back before its bytes were signed, and never leaves displacement', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 40 }), (wanted) => {
        const way = walk(wanted)
        expect(way.lastIndexOf('planned')).toBe(0)
        expect(way.lastIndexOf('signed')).toBeLessThanOrEqual(1)
        const displacedAt = way.indexOf('displaced')
        if (displacedAt !== -1) expect(displacedAt).toBe(way.length - 1)
      }),
    )
  })

  it('is final only after it was seen in a block', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 40 }), (wanted) => {
        const way = walk(wanted)
        for (const [place, state] of way.entries()) {
          if (state === 'final') expect(way[place - 1]).toBe('included')
        }
      }),
    )
  })

  it('can reach every state, and an end from every open one', () => {
    const reached = new Set<PayoutState>(['planned'])
    for (const from of reached) {
      for (const to of payoutStates) if (mayMove(from, to)) reached.add(to)
    }
    expect([...reached].sort()).toEqual([...payoutStates].sort())
    for (const state of openStates) {
      expect(mayMove(state, 'displaced') || mayMove(state, 'final')).toBe(true)
    }
  })
})
