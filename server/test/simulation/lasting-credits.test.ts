/** Tests which credits may stay after a reorganisation dropped another payment of the same invoice. */
import { describe, expect, it } from 'vitest'
import { findDifferences, keyOf } from '../../simulation/model/check.ts'
import { Model } from '../../simulation/model/model.ts'
import type { CheckedChain } from '../../simulation/model/transfers.ts'
import type { TrueTransfer } from '../../simulation/model/true-transfer.ts'
import { FakeChain, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { modelCoin } from './model-coin.ts'

describe.each([
  ['bitcoin/BTC', 1],
  ['ethereum/ETH', 2],
])('a payment below the minimum in %s', (name, needed) => {
  const asset = modelCoin(name, { minimumMinor: 5_000n })
  // Two payments of 1,000, of which 990 each are credited.
  const balanceIs = (balanceMinor: bigint, lostMinor: bigint, confirmations = needed) => {
    const model = new Model()
    model.merchants.push('anna')
    model.shown.push({
      merchantId: 'anna',
      invoiceId: 'invoice',
      address: 'address',
      methodId: 1,
      network: asset.network,
      amountUsd: '1',
      amountMinor: 10_000n,
      expiresMs: 0,
      requestedMs: 0,
      answeredMs: 0,
    })
    const transfers = ['first', 'second'].map(
      (txHash): TrueTransfer => ({
        network: asset.network,
        txHash,
        contract: null,
        sender: 'payer',
        isFromUs: false,
        recipient: 'address',
        amountMinor: 1_000n,
      }),
    )
    const move = { asset: { type: 'coin' }, sender: 'payer', recipient: 'address', amountMinor: lostMinor }
    const chain: CheckedChain = {
      network: asset.network,
      chain: new FakeChain(),
      hotWallets: [],
      lost: [{ hash: 'lost', moves: [move], spends: [] } as unknown as FakeTransaction],
      feeTerms: undefined,
      firstMinedMs: () => 0,
    }
    const ours = new Set(['address'])
    return findDifferences(
      { model, assets: [asset], chains: [chain], ours, transfers, payments: [], charges: new Map() },
      {
        orders: new Map(),
        balances: new Map([[keyOf('anna', asset), balanceMinor]]),
        debts: new Map(),
        held: new Map(),
      },
      (_network, txHash) => (txHash === 'lost' ? confirmations : 0),
    )
  }

  it.each([0n, 990n, 1_980n])('may stay credited if a dropped payment reached it (%s)', (balanceMinor) => {
    expect(balanceIs(balanceMinor, 3_000n)).toEqual([])
  })

  it('is credited as a whole, and only if the dropped payment reached the minimum', () => {
    expect(balanceIs(991n, 3_000n)).toHaveLength(1)
    expect(balanceIs(2_970n, 3_000n)).toHaveLength(1)
    expect(balanceIs(990n, 2_999n)).toHaveLength(1)
    expect(balanceIs(0n, 2_999n)).toEqual([])
  })

  it('stays credited only if the dropped payment had enough confirmations to be credited', () => {
    expect(balanceIs(990n, 3_000n, needed - 1)).toHaveLength(1)
  })
})
