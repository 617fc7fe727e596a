import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sum } from '../../../core/money.ts'
import { type CostedOrder, fitBudgets } from './gas-budget.ts'

const budgetMinor = 1_000n
const anyOrder = fc.record({
  merchantId: fc.constantFrom('a', 'b', 'c'),
  costMinor: fc.bigInt(0n, 700n),
})
const anyOrders = fc
  .array(anyOrder, { maxLength: 30 })
  .map((orders) => orders.map((order, index): CostedOrder => ({ ...order, id: `${index}` })))

it('A1 no merchant costs more than its budget, however its orders are cut, and each that waits would', () => {
  fc.assert(
    fc.property(anyOrders, fc.bigInt(-500n, 1_500n), (orders, netCost) => {
      const { within, beyond } = fitBudgets(budgetMinor, new Map([['a', netCost]]), orders)
      expect([...within, ...beyond].map(({ id }) => id).sort()).toEqual(orders.map(({ id }) => id).sort())
      for (const merchantId of ['a', 'b', 'c']) {
        const own = within.filter((order) => order.merchantId === merchantId)
        const before = merchantId === 'a' ? netCost : 0n
        const after = before + sum(own.map(({ costMinor }) => costMinor))
        if (own.length > 0) expect(after).toBeLessThanOrEqual(budgetMinor)
        for (const { costMinor } of beyond.filter((order) => order.merchantId === merchantId)) {
          expect(after + costMinor).toBeGreaterThan(budgetMinor)
        }
      }
    }),
  )
})

it("A1 no merchant's orders change what becomes of another's", () => {
  fc.assert(
    fc.property(anyOrders, (orders) => {
      const of = (some: readonly CostedOrder[]) => some.filter(({ merchantId }) => merchantId === 'b')
      const together = fitBudgets(budgetMinor, new Map(), orders)
      const alone = fitBudgets(budgetMinor, new Map(), of(orders))
      expect(of(together.within)).toEqual(alone.within)
    }),
  )
})

/**
 * All orders of one merchant in a day, as an attacker may choose them. An order may need any amount of gas.
 * It may fail, succeed or stay open.
 */
const anyDay = fc.array(
  fc.record({
    limitMinor: fc.bigInt(1n, 400n),
    usedShare: fc.bigInt(0n, 100n),
    end: fc.constantFrom('open', 'failed', 'completed'),
    feeMinor: fc.bigInt(0n, 20n),
    isCovered: fc.boolean(),
  }),
  { maxLength: 40 },
)

it('A1 whatever recipients need, refuse or burn, a day costs the operator at most the budget beyond fees and charges', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      let openMinor = 0n
      let lostMinor = 0n
      for (const [index, { limitMinor, usedShare, end, feeMinor, isCovered }] of day.entries()) {
        const order = { id: `${index}`, merchantId: 'a', costMinor: limitMinor }
        const net = new Map([['a', openMinor + lostMinor]])
        if (fitBudgets(budgetMinor, net, [order]).within.length === 0) continue
        const usedMinor = (limitMinor * usedShare) / 100n
        if (end === 'open') openMinor += limitMinor
        if (end === 'completed') lostMinor += usedMinor - feeMinor
        if (end === 'failed') lostMinor += isCovered ? 0n : usedMinor
        expect(lostMinor).toBeLessThanOrEqual(budgetMinor)
        expect(lostMinor + openMinor).toBeLessThanOrEqual(budgetMinor)
      }
    }),
  )
})
