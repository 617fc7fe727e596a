import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evmNetworks } from '../../chains/evm/evm-networks.ts'
import { max, min } from '../../core/money.ts'
import type { Payment } from '../../signing/intent.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { bumpedMinor } from '../engine/outgoing-transaction.ts'
import { bumped, gasFor, gasMax, leastPrice, priceFor, pricePolicy } from './price-gas.ts'

function withdrawal(movesToken: boolean): Pick<Proposal, 'intent' | 'spends'> {
  const contract = movesToken ? `0x${'11'.repeat(20)}` : null
  const asset = movesToken ? 'ethereum/USDT' : 'ethereum/ETH'
  const address = `0x${'22'.repeat(20)}`
  const ids = { withdrawalId: 'a', merchantId: 'b', invoiceId: null, orderSignature: '' }
  const payment: Payment = { ...ids, asset, contract, address, netMinor: 9n, feeMinor: 1n, mac: '' }
  return { intent: { kind: 'withdrawal', payments: [payment] }, spends: { asset, contract, amountMinor: 9n } }
}

const anyMinor = fc.bigInt(0n, 10n ** 12n)

it('E05 offers at least an eighth more of both, never above the ceiling, or nothing', () => {
  fc.assert(
    fc.property(anyMinor, anyMinor, anyMinor, anyMinor, (maxFeePerGas, tip, baseFeePerGas, tipNow) => {
      const maxPriorityFeePerGas = tip < maxFeePerGas ? tip : maxFeePerGas
      const next = bumped(
        { gasLimit: 21_000n, maxFeePerGas, maxPriorityFeePerGas },
        { baseFeePerGas, maxPriorityFeePerGas: tipNow },
      )
      if (next === undefined) {
        expect(maxFeePerGas * 9n).toBeGreaterThan(pricePolicy.maxFeePerGasMax * 8n - 8n)
        return
      }
      expect(next.gasLimit).toBe(21_000n)
      expect(next.maxFeePerGas * 8n).toBeGreaterThanOrEqual(maxFeePerGas * 9n)
      expect(next.maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(maxPriorityFeePerGas * 9n)
      expect(next.maxFeePerGas).toBeLessThanOrEqual(pricePolicy.maxFeePerGasMax)
      expect(next.maxPriorityFeePerGas).toBeLessThanOrEqual(next.maxFeePerGas)
    }),
  )
})

describe('prices', () => {
  it('E05 are never above the ceiling, and none is offered where the network asks for more', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 13n),
        fc.bigInt(0n, 10n ** 13n),
        (baseFeePerGas, maxPriorityFeePerGas) => {
          const offered = priceFor({ baseFeePerGas, maxPriorityFeePerGas })
          if (offered === undefined) {
            expect(baseFeePerGas + pricePolicy.maxPriorityFeePerGasMax).toBeGreaterThan(
              pricePolicy.maxFeePerGasMax,
            )
            return
          }
          expect(offered.maxFeePerGas).toBeLessThanOrEqual(pricePolicy.maxFeePerGasMax)
          expect(offered.maxFeePerGas).toBeGreaterThanOrEqual(baseFeePerGas + offered.maxPriorityFeePerGas)
          expect(offered.maxPriorityFeePerGas).toBeLessThanOrEqual(offered.maxFeePerGas)
        },
      ),
    )
  })

  it('A1 E21 never offer less gas than a node estimates, nor more than the ceiling: above it nothing is offered', () => {
    const estimates = fc.oneof(fc.bigInt(0n, 2n * 10n ** 6n), fc.bigInt(0n, 10n ** 12n))
    fc.assert(
      fc.property(estimates, fc.boolean(), (estimate, movesToken) => {
        const offer = gasFor(withdrawal(movesToken), estimate)
        const mostGas = movesToken ? 1_000_000n : 100_000n
        if (offer.type === 'above') {
          expect(estimate).toBeGreaterThan(mostGas)
          return
        }
        expect(offer.gas).toBeGreaterThanOrEqual(movesToken ? 90_000n : 21_000n)
        expect(offer.gas).toBeGreaterThanOrEqual(estimate)
        expect(offer.gas).toBeLessThanOrEqual(mostGas)
      }),
    )
    expect(gasFor(withdrawal(true), 0n)).toEqual({ type: 'enough', gas: 90_000n, isAbsurd: true })
    expect(gasFor(withdrawal(false), 21_000n)).toEqual({ type: 'enough', gas: 25_200n, isAbsurd: false })
    expect(gasFor(withdrawal(false), 90_000n)).toMatchObject({ gas: 100_000n })
    expect(gasFor(withdrawal(false), 150_000n, { nativeGasMax: 200_000n })).toMatchObject({ gas: 180_000n })
  })

  it('A1 set aside as much gas as may be offered', () => {
    expect(gasMax(withdrawal(false))).toBe(100_000n)
    expect(gasMax(withdrawal(false), { nativeGasMax: 200_000n })).toBe(200_000n)
    expect(gasMax(withdrawal(true), { nativeGasMax: 200_000n })).toBe(1_000_000n)
  })

  it('A1 are not raised above what a payment that can fail is covered for', () => {
    const level = { baseFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
    const fees = { gasLimit: 21_000n, maxFeePerGas: 8n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
    expect(bumped(fees, level, pricePolicy, 9n * 10n ** 9n)?.maxFeePerGas).toBe(9n * 10n ** 9n)
    expect(bumped(fees, level, pricePolicy, 9n * 10n ** 9n - 1n)).toBeUndefined()
  })
})

describe('the fees of each network', () => {
  const gwei = 10n ** 9n
  const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({
    gasLimit: 21_000n,
    maxFeePerGas,
    maxPriorityFeePerGas,
  })

  it.each([
    // network, base fee, suggested priority fee, offered priority fee, offered maximum
    ['ethereum', 10n * gwei, gwei, gwei, 21n * gwei],
    ['base', gwei / 200n, 0n, gwei / 1_000n, gwei / 100n + gwei / 1_000n],
    ['optimism', 300n, 1n, gwei / 1_000n, 600n + gwei / 1_000n],
    ['arbitrum', gwei / 100n, gwei, 0n, gwei / 50n],
    ['polygon', 700n * gwei, 1n, 30n * gwei, 1_430n * gwei],
    ['bsc', 0n, 0n, gwei / 20n, gwei / 20n],
    ['avalanche', 1n, 0n, 1n, 3n],
  ] as const)('on %s fit its rules', (name, baseFeePerGas, suggested, tip, maxFeePerGas) => {
    const level = { baseFeePerGas, maxPriorityFeePerGas: suggested }
    const { priceBounds } = evmNetworks[name]
    expect(priceFor(level, priceBounds)).toEqual({ maxFeePerGas, maxPriorityFeePerGas: tip })
  })

  it('are never offered above the maximum of the network, and Polygon may exceed that of Ethereum', () => {
    const level = { baseFeePerGas: 700n * gwei, maxPriorityFeePerGas: gwei }
    expect(priceFor(level, evmNetworks.ethereum.priceBounds)).toBeUndefined()
    expect(priceFor(level, evmNetworks.base.priceBounds)).toBeUndefined()
    expect(priceFor(level, evmNetworks.polygon.priceBounds)).toBeDefined()
  })

  it.each([0n, 1n, 2n, 7n, 9n, 10n, 11n])('of %s are replaced by both higher ones', (minor) => {
    for (const { priceBounds } of Object.values(evmNetworks)) {
      const level = { baseFeePerGas: 0n, maxPriorityFeePerGas: 0n }
      const next = bumped(fees(minor, minor), level, priceBounds)
      expect(next?.maxPriorityFeePerGas).toBeGreaterThan(minor)
      expect(next?.maxFeePerGas).toBeGreaterThan(minor)
      expect((next?.maxPriorityFeePerGas ?? 0n) * 10n).toBeGreaterThanOrEqual(minor * 11n)
      expect((next?.maxFeePerGas ?? 0n) * 10n).toBeGreaterThanOrEqual(minor * 11n)
    }
  })
})

describe('the price on a network without base fees', () => {
  const gwei = 10n ** 9n
  const bounds = {
    maxFeePerGasMax: 10n * gwei,
    maxPriorityFeePerGasMin: gwei,
    maxPriorityFeePerGasMax: 10n * gwei,
  }
  const offered = (priceMinor: bigint) =>
    priceFor({ baseFeePerGas: 0n, maxPriorityFeePerGas: priceMinor }, bounds, 'legacy')
  const both = (minor: bigint) => ({ maxFeePerGas: minor, maxPriorityFeePerGas: minor })

  it('is what nodes ask for, no more, and at least the minimum', () => {
    expect(offered(3n * gwei)).toEqual(both(3n * gwei))
    expect(offered(10n * gwei)).toEqual(both(10n * gwei))
    expect(offered(0n)).toEqual(both(gwei))
  })

  it('is never above the maximum: a node that asks for more stops payments, and takes nothing', () => {
    for (const priceMinor of [10n * gwei + 1n, 10n ** 30n]) expect(offered(priceMinor)).toBeUndefined()
  })

  it('is not lowered for a limit, because it is the least at which it is mined', () => {
    const level = { baseFeePerGas: 0n, maxPriorityFeePerGas: 3n * gwei }
    expect(leastPrice(level, both(3n * gwei))).toBe(3n * gwei)
  })

  it('of a replacement is at least a tenth higher, one price, and within the maximum', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 11n * gwei),
        fc.bigInt(0n, 12n * gwei),
        fc.bigInt(1n, 10n * gwei),
        (first, now, limit) => {
          const level = { baseFeePerGas: 0n, maxPriorityFeePerGas: now }
          const next = bumped({ gasLimit: 21_000n, ...both(first) }, level, bounds, limit)
          const wanted = max(bumpedMinor(first), min(now, bounds.maxFeePerGasMax))
          expect(next === undefined).toBe(wanted > min(limit, bounds.maxFeePerGasMax))
          if (next === undefined) return
          expect(next.maxFeePerGas).toBe(next.maxPriorityFeePerGas)
          expect(next.maxFeePerGas * 10n).toBeGreaterThanOrEqual(first * 11n)
          expect(next.maxFeePerGas).toBeLessThanOrEqual(limit)
          expect(next.maxFeePerGas).toBeGreaterThanOrEqual(now < 10n * gwei ? now : 10n * gwei)
        },
      ),
    )
    expect(
      bumped(
        { gasLimit: 1n, ...both(4n * gwei) },
        { baseFeePerGas: 0n, maxPriorityFeePerGas: 9n * gwei },
        bounds,
      ),
    ).toMatchObject(both(9n * gwei))
  })
})

describe('gas for data on Arbitrum', () => {
  const arbitrum = { feeModel: 'arbitrum' } as const
  const deposit = { type: 'deposit', branch: 0, index: 0 } as const
  const moved = { asset: 'arbitrum/ETH', contract: null, amountMinor: 1n }
  const direct = { kind: 'direct_sweep', hotWallet: 0, ...moved } as const
  const topUp = { kind: 'top_up', deposit, amountMinor: 1n } as const

  it.each([
    ['a payment of the coin', withdrawal(false)],
    ['a direct sweep of the coin', { intent: direct, spends: moved }],
    ['a top-up', { intent: topUp, spends: moved }],
  ])('raises the maximum of %s there alone', (_, proposal) => {
    const estimate = 600_000n
    expect(gasFor(proposal, estimate, arbitrum)).toMatchObject({ type: 'enough', gas: 720_000n })
    for (const feeModel of ['eip1559', 'op-stack', undefined] as const)
      expect(gasFor(proposal, estimate, { feeModel })).toMatchObject({ type: 'above' })
    expect(gasMax(proposal, arbitrum)).toBeGreaterThanOrEqual(720_000n)
  })

  it('is at most that of a block', () => {
    const deposits = Array.from({ length: 100 }, () => ({ ...deposit, delegationNonce: 0 }))
    const sweep = { kind: 'sweep' as const, deposits, assets: [{ asset: 'arbitrum/ETH', contract: null }] }
    const proposal = { intent: sweep, spends: undefined }
    expect(gasMax(proposal, arbitrum)).toBe(30_000_000n)
    expect(gasFor(proposal, 29_000_000n, arbitrum)).toMatchObject({ gas: 30_000_000n })
    expect(gasFor(proposal, 31_000_000n, arbitrum)).toMatchObject({ type: 'above' })
  })
})

it('as much gas is set aside for a payment or a direct sweep as may be offered', () => {
  const direct = { kind: 'direct_sweep', hotWallet: 0, asset: 'a', contract: null, amountMinor: 1n } as const
  const proposals = [withdrawal(true), withdrawal(false), { intent: direct, spends: undefined }]
  fc.assert(
    fc.property(
      fc.bigInt(0n, 3_000_000n),
      fc.constantFrom('eip1559' as const, 'op-stack' as const, 'arbitrum' as const),
      (estimate, feeModel) => {
        for (const proposal of proposals) {
          const offer = gasFor(proposal, estimate, { feeModel })
          if (offer.type === 'enough') expect(offer.gas).toBeLessThanOrEqual(gasMax(proposal, { feeModel }))
        }
      },
    ),
  )
})
