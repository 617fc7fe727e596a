import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  mayMove,
  type OutgoingTransactionState,
  openStates,
  outgoingTransactionStates,
} from './outgoing-transaction.ts'

const anyState = fc.constantFrom(...outgoingTransactionStates)

function moveThrough(wanted: readonly OutgoingTransactionState[]): readonly OutgoingTransactionState[] {
  const states: OutgoingTransactionState[] = ['planned']
  for (const state of wanted) {
    if (mayMove(states.at(-1) ?? 'planned', state)) states.push(state)
  }
  return states
}

describe('an outgoing transaction', () => {
  it('never goes back before its bytes were signed, and never leaves the conflicted state', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 40 }), (wanted) => {
        const states = moveThrough(wanted)
        expect(states.lastIndexOf('planned')).toBe(0)
        expect(states.lastIndexOf('signed')).toBeLessThanOrEqual(1)
        const conflictedAt = states.indexOf('conflicted')
        if (conflictedAt !== -1) expect(conflictedAt).toBe(states.length - 1)
      }),
    )
  })

  it('is final only after it was seen in a block', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 40 }), (wanted) => {
        const states = moveThrough(wanted)
        for (const [index, state] of states.entries()) {
          if (state === 'final') expect(states[index - 1]).toBe('included')
        }
      }),
    )
  })

  it('can reach every state, and an end from every open one', () => {
    const reached = new Set<OutgoingTransactionState>(['planned'])
    for (const from of reached) {
      for (const to of outgoingTransactionStates) if (mayMove(from, to)) reached.add(to)
    }
    expect([...reached].sort()).toEqual([...outgoingTransactionStates].sort())
    for (const state of openStates) {
      expect(mayMove(state, 'conflicted') || mayMove(state, 'final')).toBe(true)
    }
  })
})
