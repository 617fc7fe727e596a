import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDecimal } from '../../core/money.ts'
import {
  after,
  cancellableStages,
  firstStanding,
  reach,
  readAmount,
  type WithdrawalStanding,
  withdrawalStages,
  withdrawalStates,
} from './withdrawal.ts'

const outcomes = withdrawalStates.filter((state) => state !== 'pending')
const anyStep = fc.constantFrom(...withdrawalStages, ...outcomes)

/** Every standing on the way, the first one included; steps that may not be taken are passed over. */
function walk(wanted: readonly Parameters<typeof after>[1][]): readonly WithdrawalStanding[] {
  const way = [firstStanding]
  for (const step of wanted) {
    const next = after(way.at(-1) ?? firstStanding, step)
    if (next !== undefined) way.push(next)
  }
  return way
}

describe('a withdrawal', () => {
  it('never leaves an end, and has a stage exactly while it is pending', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (wanted) => {
        const way = walk(wanted)
        for (const [place, { state, stage }] of way.entries()) {
          expect(stage !== undefined).toBe(state === 'pending')
          if (state !== 'pending') expect(place).toBe(way.length - 1)
        }
      }),
    )
  })

  it('is cancelled only before anything is planned, and completed only after it was sent', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (wanted) => {
        const way = walk(wanted)
        const stages = way.map(({ stage }) => stage)
        const end = way.at(-1)?.state
        if (end === 'cancelled') expect(stages).not.toContain('planned')
        if (end === 'completed')
          expect(stages.includes('broadcast') || stages.includes('in_doubt')).toBe(true)
      }),
    )
  })

  it('can reach every stage and every end', () => {
    const seen = new Set<string>()
    const visit = (standing: WithdrawalStanding) => {
      const name = standing.stage ?? standing.state
      if (seen.has(name)) return
      seen.add(name)
      for (const step of [...withdrawalStages, ...outcomes]) {
        const next = after(standing, step)
        if (next !== undefined) visit(next)
      }
    }
    visit(firstStanding)
    expect([...seen].sort()).toEqual([...withdrawalStages, ...outcomes].sort())
  })

  it('can always end, from wherever it is', () => {
    for (const stage of withdrawalStages) {
      expect(after({ state: 'pending', stage }, 'failed')).toEqual({ state: 'failed', stage: undefined })
    }
  })

  it('comes as far as its payout has, and goes back only from doubt', () => {
    const stage = fc.constantFrom(...withdrawalStages)
    fc.assert(
      fc.property(stage, stage, (from, to) => {
        const reached = reach({ state: 'pending', stage: from }, to).stage
        const isBack = withdrawalStages.indexOf(to) < withdrawalStages.indexOf(from)
        const isOutOfDoubt = from === 'in_doubt' && to === 'broadcast'
        expect(reached).toBe(isBack && !isOutOfDoubt ? from : to)
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
        const places = Math.min(8, decimals)
        expect(readAmount(formatDecimal(count, places), decimals)).toEqual({
          amountMinor: count * 10n ** BigInt(decimals - places),
        })
      }),
    )
  })

  it.each([
    ['0', 6, 'above 0'],
    ['0.000', 18, 'above 0'],
    ['0.0000001', 6, 'at most 6 places'],
    ['1.0000000', 6, 'at most 6 places'],
    ['0.000000001', 18, 'at most 8 places'],
    ['1.5', 0, 'at most 0 places'],
    ['-1', 6, 'decimal'],
    ['1e5', 6, 'decimal'],
    ['', 6, 'decimal'],
  ])('D12 refuses %j of an asset with %i decimals', (text, decimals, why) => {
    const read = readAmount(text, decimals)
    expect('fault' in read ? read.fault : '').toContain(why)
  })
})
