import { expect, it } from 'vitest'
import { limits } from '../../core/limits.ts'
import { fitRequest } from './fit-request.ts'
import type { SpendableUtxo } from './utxo-store.ts'

const most = limits.previousTransactionsBytes

function utxos(...previousTransactionsBytes: readonly number[]): readonly SpendableUtxo[] {
  return previousTransactionsBytes.map((previousTransactionBytes, index) => ({
    outpoint: `${index}:0`,
    amountMinor: 1_000n,
    previousTransactionBytes,
    keyPath: { type: 'hot', branch: 1, index },
  }))
}

const outputOf = (...previousTransactionsBytes: readonly number[]) => {
  const { together, alone, hasMore } = fitRequest(utxos(...previousTransactionsBytes))
  const sizes = (some: readonly SpendableUtxo[]) =>
    some.map(({ previousTransactionBytes }) => previousTransactionBytes)
  return { together: sizes(together), alone: sizes(alone), hasMore }
}

it('a coin of a transaction that is too large to go with others hides none that is worth less', () => {
  expect(outputOf(most + 1, 300, 400)).toEqual({ together: [300, 400], alone: [most + 1], hasMore: true })
  expect(outputOf(most - 100, 300, 50)).toEqual({
    together: [most - 100, 50],
    alone: [most - 100],
    hasMore: true,
  })
})

it('two coins can always become one, or one of them goes alone', () => {
  expect(outputOf(most / 2, most / 2, 1)).toEqual({
    together: [most / 2, most / 2],
    alone: [],
    hasMore: true,
  })
  expect(outputOf(most, most)).toEqual({ together: [most], alone: [most, most], hasMore: true })
})

it('nothing is hidden where all fit, or no request takes what made an output', () => {
  expect(outputOf(0, 0, 0)).toEqual({ together: [0, 0, 0], alone: [], hasMore: false })
  expect(outputOf(limits.previousTransactionBytesMax + 1, 5)).toEqual({
    together: [5],
    alone: [],
    hasMore: false,
  })
})
