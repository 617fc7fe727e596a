import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Payment } from '../../signing/intent.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { bumped, gasFor, gasMax, priceFor, pricePolicy } from './price-gas.ts'

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
    expect(gasFor(withdrawal(false), 150_000n, 200_000n)).toMatchObject({ gas: 180_000n })
  })

  it('A1 set aside as much gas as may be offered', () => {
    expect(gasMax(withdrawal(false))).toBe(100_000n)
    expect(gasMax(withdrawal(false), 200_000n)).toBe(200_000n)
    expect(gasMax(withdrawal(true), 200_000n)).toBe(1_000_000n)
  })

  it('A1 are not raised above what a payment that can fail is covered for', () => {
    const level = { baseFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
    const fees = { gasLimit: 21_000n, maxFeePerGas: 8n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
    expect(bumped(fees, level, pricePolicy, 9n * 10n ** 9n)?.maxFeePerGas).toBe(9n * 10n ** 9n)
    expect(bumped(fees, level, pricePolicy, 9n * 10n ** 9n - 1n)).toBeUndefined()
  })
})
