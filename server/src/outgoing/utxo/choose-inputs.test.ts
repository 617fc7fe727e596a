import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sum } from '../../core/money.ts'
import type { Payment } from '../../signing/intent.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { maxCostMinor } from '../engine/outgoing-transaction.ts'
import { bumpedFeesOf } from './bump-fees.ts'
import { chooseInputs, halvesOf, type UtxoPlanContext, weightMax } from './choose-inputs.ts'

const coin = 'litecoin/LTC'
/** Weights of P2WPKH (BIP 141). */
const weights = { inputWeight: 272, emptyWeight: 50, outputWeight: () => 124 }

function context(utxosMinor: readonly bigint[], over: Partial<UtxoPlanContext> = {}): UtxoPlanContext {
  return {
    coin,
    drafts: weights,
    changeWeight: 124,
    feeRate: 10_000n,
    capitalMinor: 10n ** 12n,
    chain: { dustMinor: 5_460n, usualFeeRate: 10_000n },
    hasMore: false,
    alone: [],
    utxos: utxosMinor.map((amountMinor, index) => ({
      outpoint: `${index}:0`,
      amountMinor,
      keyPath: { type: 'hot', branch: 1, index },
    })),
    ...over,
  }
}

function payment(id: string, netMinor: bigint): Payment {
  const about = { withdrawalId: id, merchantId: 'm', asset: coin, contract: null, address: 'a' }
  return { ...about, netMinor, feeMinor: 0n, invoiceId: null, orderSignature: '', mac: '00' }
}

function wanted(id: string, netMinor: bigint): Proposal {
  const intent = { kind: 'withdrawal' as const, payments: [payment(id, netMinor)] }
  return { id, network: 'litecoin', intent, spends: undefined }
}

describe('coins are chosen for payments', () => {
  it('they are to be consolidated where not all of them were read, and the missing amount may be among the others', () => {
    const due = [wanted('a', 3_000_000n)]
    const few = [1_000_000n, 1_000_000n]
    expect(chooseInputs(context(few), due)).toMatchObject({
      needsFewer: false,
      waits: [{ cause: `funds:${coin}` }],
    })
    expect(chooseInputs(context(few, { hasMore: true }), due)).toMatchObject({
      needsFewer: true,
      waits: [{ cause: 'utxos-small' }],
    })
    // The payment that still waits may be paid in a later round, from the UTXOs that were not read.
    const two = chooseInputs(context([5_000_000n], { hasMore: true }), [
      wanted('b', 4_000_000n),
      wanted('c', 3_000_000n),
    ])
    expect(two).toMatchObject({ chosen: [{}], needsFewer: false })
  })

  it('each coin once, each payment once and in order but for those that wait, for a fee that capital covers and outputs leave', () => {
    const anyUtxos = fc.array(fc.bigInt(1n, 10_000_000n), { maxLength: 60 })
    const anyAmounts = fc.array(fc.bigInt(5_460n, 5_000_000n), { maxLength: 120 })
    fc.assert(
      fc.property(anyUtxos, anyAmounts, fc.bigInt(0n, 50_000n), (utxos, amounts, capitalMinor) => {
        const on = context(utxos, { capitalMinor })
        const proposals = amounts.map((amount, index) => wanted(`${index}`, amount))
        const { chosen, waits } = chooseInputs(on, proposals)
        const spent = chosen.flatMap(({ inputs }) => inputs.map(({ outpoint }) => outpoint))
        expect(new Set(spent).size).toBe(spent.length)
        const paid = chosen.flatMap(({ payments }) => payments.map(({ withdrawalId }) => withdrawalId))
        const isPaid = new Set(paid)
        expect(paid).toEqual(proposals.map(({ id }) => id).filter((id) => isPaid.has(id)))
        expect(waits).toHaveLength(paid.length < proposals.length ? 1 : 0)
        expect(sum(chosen.map(({ fees }) => maxCostMinor(fees)))).toBeLessThanOrEqual(capitalMinor)
        for (const { inputs, payments, fees, hasChange } of chosen) {
          const heldMinor = sum(inputs.map(({ amountMinor }) => amountMinor))
          const backMinor = heldMinor - sum(payments.map(({ netMinor }) => netMinor)) - fees.fee
          expect(backMinor >= 5_460n).toBe(hasChange)
          expect(backMinor === 0n).toBe(!hasChange)
          expect(Number(fees.vbytes) * 4).toBeLessThanOrEqual(weightMax + 4)
          expect(payments.length).toBeLessThanOrEqual(50)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('halves of what was refused pay all of it, each payment once', () => {
    const payments = ['a', 'b', 'c'].map((id) => payment(id, 1n))
    const intent = { kind: 'withdrawal' as const, payments }
    const halves = halvesOf({ id: 'batch', network: 'litecoin', intent, spends: undefined })
    expect(halves.map((half) => ('payments' in half.intent ? half.intent.payments : []))).toEqual([
      payments.slice(0, 2),
      payments.slice(2),
    ])
    expect(halvesOf(halves[1] ?? wanted('c', 1n))).toEqual([halves[1]])
  })
})

describe('a higher fee', () => {
  const change = { type: 'hot' as const, branch: 1 as const, index: 0 }
  const slot = { pinnedOutpoint: '', change }
  const intent = { kind: 'withdrawal' as const, payments: [payment('a', 100_000n)] }
  const fees = { vbytes: 141n, feeRate: 10n, fee: 1_410n }
  const [input] = context([120_000n]).utxos
  const inputs = input === undefined ? [] : [input]
  const price = { rate: 20n, most: 2_000n, dustMinor: 5_460n }

  it('is taken from what comes back, at what is asked for and an eighth more at least', () => {
    expect(bumpedFeesOf({ intent, slot, fees }, inputs, price)).toMatchObject({
      feeRate: 20n,
      fee: 2_820n,
    })
    expect(bumpedFeesOf({ intent, slot, fees }, inputs, { ...price, rate: 1n })).toMatchObject({
      feeRate: 12n,
    })
  })

  it('takes all that comes back where only dust would be left, and is none where too little does', () => {
    expect(bumpedFeesOf({ intent, slot, fees }, inputs, { ...price, rate: 110n })).toMatchObject({
      fee: 20_000n,
    })
    expect(bumpedFeesOf({ intent, slot, fees }, inputs, { ...price, rate: 150n })).toBeUndefined()
    expect(bumpedFeesOf({ intent, slot, fees }, inputs, { ...price, most: 11n })).toBeUndefined()
  })
})
