import { expect, it } from 'vitest'
import { limits } from '../../core/limits.ts'
import type { SpendableCoin } from './coin-store.ts'
import { shownCoins } from './shown-coins.ts'

const most = limits.makersBytes

function coins(...makersBytes: readonly number[]): readonly SpendableCoin[] {
  return makersBytes.map((makerBytes, index) => ({
    outpoint: `${index}:0`,
    amountMinor: 1_000n,
    makerBytes,
    place: { type: 'hot', branch: 1, index },
  }))
}

const sight = (...makersBytes: readonly number[]) => {
  const { together, alone, hasMore } = shownCoins(coins(...makersBytes))
  const sizes = (some: readonly SpendableCoin[]) => some.map(({ makerBytes }) => makerBytes)
  return { together: sizes(together), alone: sizes(alone), hasMore }
}

it('a coin of a transaction that is too large to go with others hides none that is worth less', () => {
  expect(sight(most + 1, 300, 400)).toEqual({ together: [300, 400], alone: [most + 1], hasMore: true })
  expect(sight(most - 100, 300, 50)).toEqual({
    together: [most - 100, 50],
    alone: [most - 100],
    hasMore: true,
  })
})

it('two coins can always become one, or one of them goes alone', () => {
  expect(sight(most / 2, most / 2, 1)).toEqual({
    together: [most / 2, most / 2],
    alone: [],
    hasMore: true,
  })
  expect(sight(most, most)).toEqual({ together: [most], alone: [most, most], hasMore: true })
})

it('nothing is hidden where all fit, or no request takes what made a coin', () => {
  expect(sight(0, 0, 0)).toEqual({ together: [0, 0, 0], alone: [], hasMore: false })
  expect(sight(limits.makerBytesMax + 1, 5)).toEqual({ together: [5], alone: [], hasMore: false })
})
