import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDecimal } from '../../core/money.ts'
import {
  after,
  cancellableStages,
  initialStatus,
  reach,
  readAmount,
  type WithdrawalStatus,
  withdrawalStages,
  withdrawalStates,
} from './withdrawal.ts'

const outcomes = withdrawalStates.filter((state) => state !== 'pending')
const anyStep = fc.constantFrom(...withdrawalStages, ...outcomes)

/**
 * Returns the initial status and every status that the steps lead to. Steps that are not allowed are skipped.
 */
function moveThrough(wanted: readonly Parameters<typeof after>[1][]): readonly WithdrawalStatus[] {
  const visited = [initialStatus]
  for (const step of wanted) {
    const next = after(visited.at(-1) ?? initialStatus, step)
    if (next !== undefined) visited.push(next)
  }
  return visited
}

describe('a withdrawal', () => {
  it('never leaves an end, and has a stage exactly while it is pending', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (wanted) => {
        const visited = moveThrough(wanted)
        for (const [index, { state, stage }] of visited.entries()) {
          expect(stage !== undefined).toBe(state === 'pending')
          if (state !== 'pending') expect(index).toBe(visited.length - 1)
        }
      }),
    )
  })

  it('is cancelled only before anything is planned, and completed only after it was sent', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (wanted) => {
        const visited = moveThrough(wanted)
        const stages = visited.map(({ stage }) => stage)
        const end = visited.at(-1)?.state
        if (end === 'cancelled') expect(stages).not.toContain('planned')
        if (end === 'completed')
          expect(stages.includes('broadcast') || stages.includes('needs_recheck')).toBe(true)
      }),
    )
  })

  it('can reach every stage and every end', () => {
    const seen = new Set<string>()
    const visit = (status: WithdrawalStatus) => {
      const name = status.stage ?? status.state
      if (seen.has(name)) return
      seen.add(name)
      for (const step of [...withdrawalStages, ...outcomes]) {
        const next = after(status, step)
        if (next !== undefined) visit(next)
      }
    }
    visit(initialStatus)
    expect([...seen].sort()).toEqual([...withdrawalStages, ...outcomes].sort())
  })

  it('can always end, from wherever it is', () => {
    for (const stage of withdrawalStages) {
      expect(after({ state: 'pending', stage }, 'failed')).toEqual({ state: 'failed', stage: undefined })
    }
  })

  it('comes as far as its transaction has, and goes back only when that needs a recheck', () => {
    const stage = fc.constantFrom(...withdrawalStages)
    fc.assert(
      fc.property(stage, stage, (from, to) => {
        const reached = reach({ state: 'pending', stage: from }, to).stage
        const isBack = withdrawalStages.indexOf(to) < withdrawalStages.indexOf(from)
        const isRechecked = from === 'needs_recheck' && to === 'broadcast'
        expect(reached).toBe(isBack && !isRechecked ? from : to)
      }),
    )
    const ended = { state: 'completed', stage: undefined } as const
    expect(reach(ended, 'broadcast')).toBe(ended)
  })

  it('is given back at once while queued or approved', () => {
    expect(cancellableStages).toEqual(['queued', 'approved'])
  })
})

describe('readAmount', () => {
  it('reads what it writes, as a whole number of the steps a balance has', () => {
    const asset = fc.constantFrom(0, 6, 8, 18)
    const steps = fc.bigInt({ min: 1n, max: 10n ** 20n - 1n })
    fc.assert(
      fc.property(asset, steps, (decimals, count) => {
        const shownDecimals = Math.min(8, decimals)
        expect(readAmount(formatDecimal(count, shownDecimals), decimals)).toEqual({
          amountMinor: count * 10n ** BigInt(decimals - shownDecimals),
        })
      }),
    )
  })

  it.each([
    ['0', 6, 'above 0'],
    ['0.000', 18, 'above 0'],
    ['0.0000001', 6, 'at most 6 decimal places'],
    ['1.0000000', 6, 'at most 6 decimal places'],
    ['0.000000001', 18, 'at most 8 decimal places'],
    ['1.5', 0, 'at most 0 decimal places'],
    ['-1', 6, 'decimal'],
    ['1e5', 6, 'decimal'],
    ['', 6, 'decimal'],
  ])('D12 refuses %j of an asset with %i decimals', (text, decimals, why) => {
    const read = readAmount(text, decimals)
    expect('error' in read ? read.error : '').toContain(why)
  })
})
