import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { feeOf, type Order, selectCoins, type Utxo } from './select-coins.ts'

/** A P2WPKH input and output (BIP 141): 68 and 31 virtual bytes. */
const inputWeight = 272
const outputWeight = 124
const order: Order = {
  outputsMinor: 100_000n,
  baseWeight: 168,
  change: { outputWeight, inputWeight, dustMinor: 294n },
  feeRate: 10_000n,
  usualFeeRate: 5_000n,
  weightMax: 400_000,
}

function utxos(...amounts: readonly bigint[]): readonly Utxo[] {
  return amounts.map((amountMinor, index) => ({ outpoint: `${index}:0`, amountMinor, inputWeight }))
}

function selected(of: Order, from: readonly Utxo[]) {
  const answer = selectCoins(of, from)
  if (answer.type !== 'selected') throw new Error(`nothing was selected: ${answer.type}`)
  return answer.selection
}

const amounts = (selection: { readonly utxos: readonly Utxo[] }) =>
  selection.utxos.map(({ amountMinor }) => amountMinor).toSorted((a, b) => (a < b ? -1 : 1))

describe('coins are chosen', () => {
  it('so that nothing is lost and nothing invented, fees are what was asked, and no dust is made', () => {
    const anyOrder = fc.record({
      outputsMinor: fc.bigInt(294n, 10_000_000n),
      feeRate: fc.bigInt(1_000n, 200_000n),
      usualFeeRate: fc.bigInt(1_000n, 50_000n),
    })
    const anyUtxos = fc.array(fc.bigInt(1n, 5_000_000n), { maxLength: 40 })
    fc.assert(
      fc.property(anyOrder, anyUtxos, (asked, held) => {
        const full = { ...order, ...asked }
        const answer = selectCoins(full, utxos(...held))
        fc.pre(answer.type === 'selected')
        const { selection } = answer
        const inMinor = amounts(selection).reduce((total, one) => total + one, 0n)
        expect(inMinor).toBe(full.outputsMinor + (selection.changeMinor ?? 0n) + selection.feeMinor)
        expect(new Set(selection.utxos).size).toBe(selection.utxos.length)
        const hasChange = selection.changeMinor !== undefined
        const weight = full.baseWeight + selection.utxos.length * inputWeight + (hasChange ? outputWeight : 0)
        expect(selection.feeMinor).toBeGreaterThanOrEqual(feeOf(weight, full.feeRate))
        if (hasChange) {
          expect(selection.feeMinor).toBe(feeOf(weight, full.feeRate))
          expect(selection.changeMinor).toBeGreaterThanOrEqual(294n)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('wherever there is enough, and never where there is not', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(1n, 100_000n), { maxLength: 30 }), (held) => {
        const costMinor = feeOf(inputWeight, order.feeRate)
        const worth = held.reduce(
          (total, one) => (one >= 2n * costMinor ? total + one - costMinor : total),
          0n,
        )
        const isEnough = worth >= order.outputsMinor + feeOf(order.baseWeight, order.feeRate)
        expect(selectCoins(order, utxos(...held)).type).toBe(isEnough ? 'selected' : 'short')
      }),
      { numRuns: 1_000 },
    )
  })

  it('without change where a set fits', () => {
    const exact = order.outputsMinor + feeOf(order.baseWeight + 2 * inputWeight, order.feeRate)
    const selection = selected(order, utxos(500_000n, exact - 40_000n, 3_000n, 40_000n))
    expect(selection.changeMinor).toBeUndefined()
    expect(amounts(selection)).toEqual([40_000n, exact - 40_000n])
  })

  it('as few as possible while fees are high, the smallest that suffices', () => {
    expect(amounts(selected(order, utxos(20_000n, 900_000n, 300_000n, 60_000n)))).toEqual([300_000n])
    expect(amounts(selected(order, utxos(20_000n, 60_000n, 30_000n, 70_000n)))).toEqual([60_000n, 70_000n])
  })

  it('the smallest first while fees are low, which makes one of many', () => {
    const cheap = { ...order, feeRate: 1_000n }
    const selection = selected(cheap, utxos(900_000n, ...Array.from({ length: 18 }, () => 9_000n)))
    expect(amounts(selection)).toEqual(Array.from({ length: 12 }, () => 9_000n))
    const many = selected(cheap, utxos(900_000n, ...Array.from({ length: 60 }, () => 9_000n)))
    expect(many.utxos).toHaveLength(20)
  })

  it('without coins that mostly pay for themselves, so that no more than half of what is spent is fee', () => {
    const cheap = { ...order, feeRate: 10_000n, usualFeeRate: 10_000n, outputsMinor: 20_000n }
    const held = utxos(900_000n, 800_000n, ...Array.from({ length: 100 }, () => 1_000n))
    const { utxos: chosen, feeMinor } = selected(cheap, held)
    const heldMinor = chosen.reduce((total, { amountMinor }) => total + amountMinor, 0n)
    expect(feeMinor * 2n).toBeLessThanOrEqual(heldMinor)
  })

  it('E11 leaving change below dust to the fee', () => {
    const feeMinor = feeOf(order.baseWeight + inputWeight, order.feeRate)
    const selection = selected(order, utxos(order.outputsMinor + feeMinor + 293n))
    expect(selection).toMatchObject({ changeMinor: undefined, feeMinor: feeMinor + 293n })
  })

  it('E12 from 2,000 small ones only as many as one transaction may spend', () => {
    const small = utxos(...Array.from({ length: 2_000 }, () => 3_000n))
    const held = { ...order, feeRate: 1_000n, outputsMinor: 5_000_000n }
    const answer = selectCoins(held, small)
    expect(answer.type).toBe('too-heavy')
    const { utxos: chosen } = selected({ ...held, outputsMinor: 3_000_000n }, small)
    expect(order.baseWeight + chosen.length * inputWeight).toBeLessThanOrEqual(order.weightMax)
  })

  it('in the same way whatever order they come in', () => {
    const held = utxos(20_000n, 60_000n, 60_000n, 70_000n, 30_000n)
    expect(selected(order, held.toReversed())).toEqual(selected(order, held))
  })
})
