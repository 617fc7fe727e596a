import fc from 'fast-check'
import { expect, it } from 'vitest'
import { evmNetworks } from '../../chains/evm/evm-networks.ts'
import { addOwnNetwork } from '../../chains/networks.ts'
import { required } from '../../core/assert.ts'
import { maxCostMinor } from '../engine/outgoing-transaction.ts'
import { dataFeeMaxMinor } from '../evm/op-stack-fees.ts'
import { gasFor, priceFor } from '../evm/price-gas.ts'
import { directSweepCostMinor, missingCoinMinor } from './propose-sweeps.ts'
import { noDataCosts } from './sweep-fees.ts'

const anyMinor = fc.bigInt(0n, 10n ** 16n)
const anyPrice = fc.bigInt(1n, 10n ** 11n)

it('an address that sends all its coin keeps enough for the gas and the data fee, even if both double', () => {
  const names = fc.constantFrom('ethereum' as const, 'base' as const, 'bsc' as const, 'avalanche' as const)
  fc.assert(
    fc.property(names, anyMinor, anyPrice, anyPrice, (name, coinTransferMinor, baseFeePerGas, tip) => {
      const balanceMinor = 10n ** 30n
      const fees = { baseFeePerGas, maxPriorityFeePerGas: tip }
      const dataCosts = { ...noDataCosts, coinTransferMinor }
      const keptMinor = directSweepCostMinor(name, { fees, dataCosts }, 'coin')
      const current = priceFor(fees, evmNetworks[name].priceBounds)
      expect(keptMinor === undefined).toBe(current === undefined)
      if (keptMinor === undefined) return
      const amountMinor = balanceMinor - keptMinor
      const intent = { kind: 'direct_sweep', hotWallet: 0, asset: name, contract: null, amountMinor } as const
      const offer = gasFor({ intent, spends: undefined }, 21_000n)
      const doubled = { baseFeePerGas: 2n * baseFeePerGas, maxPriorityFeePerGas: tip }
      const price = priceFor(doubled, evmNetworks[name].priceBounds)
      if (price === undefined || offer.type === 'above') return
      const dataFeeMinor = dataFeeMaxMinor(2n * coinTransferMinor)
      const costMinor = maxCostMinor({ ...price, gasLimit: offer.gas, dataFeeMinor })
      expect(amountMinor + costMinor).toBeLessThanOrEqual(balanceMinor)
    }),
  )
})

it('an address on a network without base fees keeps twice the whole price', () => {
  const priceBounds = {
    maxFeePerGasMax: 10n ** 12n,
    maxPriorityFeePerGasMin: 0n,
    maxPriorityFeePerGasMax: 10n ** 12n,
  }
  addOwnNetwork({
    ...evmNetworks.avalanche,
    name: 'oldnet',
    title: 'Oldnet',
    chainId: 6_131_337,
    feeModel: 'legacy',
    priceBounds,
  })
  fc.assert(
    fc.property(anyPrice, (priceMinor) => {
      const level = (minor: bigint) => ({ baseFeePerGas: 0n, maxPriorityFeePerGas: minor })
      const dataCosts = noDataCosts
      const keptMinor = required(
        directSweepCostMinor('oldnet', { fees: level(priceMinor), dataCosts }, 'coin'),
        'a cost',
      )
      const intent = {
        kind: 'direct_sweep',
        hotWallet: 0,
        asset: 'a',
        contract: null,
        amountMinor: 1n,
      } as const
      const offer = gasFor({ intent, spends: undefined }, 21_000n)
      const price = priceFor(level(2n * priceMinor), priceBounds, 'legacy')
      if (price === undefined || offer.type === 'above') throw new Error('no price')
      expect(maxCostMinor({ ...price, gasLimit: offer.gas })).toBeLessThanOrEqual(keptMinor)
      // The whole price is paid, so nothing is counted as a refund of a base fee that did not rise.
      expect(price.maxFeePerGas).toBe(2n * priceMinor)
    }),
  )
})

it('nothing is kept or topped up at a price above the maximum of the network', () => {
  const { maxFeePerGasMax } = evmNetworks.avalanche.priceBounds
  const costAt = (baseFeePerGas: bigint) =>
    directSweepCostMinor(
      'avalanche',
      { fees: { baseFeePerGas, maxPriorityFeePerGas: 0n }, dataCosts: noDataCosts },
      'token',
    )
  expect(costAt(maxFeePerGasMax + 1n)).toBeUndefined()
  expect(costAt(10n ** 30n)).toBeUndefined()
  expect(costAt(maxFeePerGasMax / 2n)).toBeGreaterThan(0n)
})

it('an address sends its token without another top-up until the price has doubled', () => {
  const fees = { baseFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
  const costOf = (factor: bigint) => {
    const { baseFeePerGas, maxPriorityFeePerGas } = fees
    const level = { baseFeePerGas: baseFeePerGas * factor, maxPriorityFeePerGas }
    const prices = { fees: level, dataCosts: noDataCosts }
    return required(directSweepCostMinor('avalanche', prices, 'token'), 'a cost')
  }
  const topUpMinor = missingCoinMinor(0n, costOf(1n))
  expect(topUpMinor).toBe(costOf(1n))
  expect(missingCoinMinor(topUpMinor, costOf(1n) + 1n)).toBe(0n)
  expect(missingCoinMinor(topUpMinor, costOf(2n))).toBe(0n)
  expect(missingCoinMinor(topUpMinor, costOf(3n))).toBe(costOf(3n) - topUpMinor)
  expect(missingCoinMinor(topUpMinor, 2n * topUpMinor + 1n)).toBe(topUpMinor + 1n)
})

it('a top-up for a token pays for the data fee of the transfer', () => {
  const fees = { baseFeePerGas: 1n, maxPriorityFeePerGas: 1n }
  const costOf = (tokenTransferMinor: bigint) =>
    required(
      directSweepCostMinor('base', { fees, dataCosts: { ...noDataCosts, tokenTransferMinor } }, 'token'),
      'a cost',
    )
  expect(costOf(700n) - costOf(0n)).toBe(4n * 700n)
})
