/** Tests when a transaction spends an output too early, and when an order is completed too early. */
import { describe, expect, it } from 'vitest'
import { findCompletedEarly, findSpentEarly, type OwnSpend } from '../../simulation/model/check-final.ts'
import type { ModelOrder } from '../../simulation/model/order.ts'
import { modelCoin } from './model-coin.ts'

const depths: Readonly<Record<string, number>> = { young: 2, final: 3 }
const deepestOf = (txHash: string) => depths[txHash] ?? 0

describe('a transaction of ours', () => {
  const find = (confirmations: number, changes: Partial<OwnSpend> = {}) =>
    findSpentEarly([
      { txHash: 'spender', confirmations, isChange: false, isChild: false, canReplace: true, ...changes },
    ])

  it.each([true, false])(
    'spends a payment if it is final (replacement of transactions: %s)',
    (canReplace) => {
      expect(find(3, { canReplace })).toEqual([])
      expect(find(2, { canReplace })).toEqual(['spender spends an output with 2 of 3 confirmations'])
    },
  )

  it('spends change if it is final, where nodes replace transactions', () => {
    expect(find(3, { isChange: true })).toEqual([])
    expect(find(2, { isChange: true })).toHaveLength(1)
  })

  it('spends change if it is in a block, where nodes replace nothing', () => {
    expect(find(1, { isChange: true, canReplace: false })).toEqual([])
    expect(find(0, { isChange: true, canReplace: false })).toHaveLength(1)
  })

  it('spends waiting change where nodes replace nothing, if it only pays for its parent', () => {
    expect(find(0, { isChange: true, isChild: true, canReplace: false })).toEqual([])
    expect(find(0, { isChild: true, canReplace: false })).toHaveLength(1)
  })
})

describe('a completed order', () => {
  const order: ModelOrder = {
    id: 'first',
    merchantId: 'anna',
    asset: modelCoin('bitcoin/BTC'),
    amountMinor: 100n,
    address: 'somebody',
    requestedMs: 0,
    isAnswered: true,
    isCancelled: false,
  }
  const find = (txHashes: readonly string[]) => findCompletedEarly([{ order, txHashes }], deepestOf)

  it('has a payment that was final at some time, even if a reorganisation dropped it', () => {
    expect(find(['young', 'final'])).toEqual([])
  })

  it('is completed too early with a younger payment, or without any', () => {
    expect(find(['young'])).toEqual([
      'the order first of 100 bitcoin/BTC was completed after 2 of 3 confirmations',
    ])
    expect(find([])).toHaveLength(1)
  })
})
