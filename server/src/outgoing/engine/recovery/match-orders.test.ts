import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchOrders, type OpenOrder, type SeenOutput } from './match-orders.ts'

/** Few different values, so that many orders are equal. */
const recipients = ['here', 'there', 'elsewhere'] as const
const amounts = fc.bigInt({ min: 1n, max: 3n })

const orders = fc
  .array(fc.record({ address: fc.constantFrom(...recipients), netMinor: amounts }), { maxLength: 12 })
  .map((made) => made.map((one, number) => orderOf(`${number}`, one.address, one.netMinor)))
const outputs = fc.array(
  fc.record({ recipient: fc.constantFrom(...recipients, undefined), amountMinor: amounts }),
  { maxLength: 12 },
)

function orderOf(withdrawalId: string, address: string, netMinor: bigint): OpenOrder {
  return {
    withdrawalId,
    merchantId: 'merchant',
    asset: 'litecoin/LTC',
    contract: null,
    address,
    netMinor,
    feeMinor: 0n,
    invoiceId: null,
    orderSignature: '',
    mac: '',
  }
}

const wordsOf = ({ recipient, amountMinor }: SeenOutput) => `${recipient} ${amountMinor}`
const asked = ({ address, netMinor }: OpenOrder) => `${address} ${netMinor}`
const countOf = (words: readonly string[], word: string) => words.filter((one) => one === word).length

it('each order is paid by one output of just its address and amount, as many as can be, the first first', () => {
  fc.assert(
    fc.property(outputs, orders, (seen, open) => {
      const { paid, unexplained } = matchOrders(seen, open)
      expect(new Set(paid).size).toBe(paid.length)
      expect(paid.length + unexplained.length).toBe(seen.length)
      expect([...paid.map(asked), ...unexplained.map(wordsOf)].toSorted()).toEqual(
        seen.map(wordsOf).toSorted(),
      )
      const left = open.filter((order) => !paid.includes(order))
      for (const output of unexplained) expect(left.map(asked)).not.toContain(wordsOf(output))
      for (const order of paid) {
        const before = open.slice(0, open.indexOf(order))
        const equals = before.filter((one) => asked(one) === asked(order))
        expect(equals.every((one) => paid.includes(one))).toBe(true)
      }
    }),
  )
})

it('what is paid and what is left to be paid does not depend on the order of the outputs', () => {
  fc.assert(
    fc.property(outputs, orders, fc.infiniteStream(fc.nat()), (seen, open, dice) => {
      const shuffled = seen
        .map((output) => ({ output, at: dice.next().value }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ output }) => output)
      const one = matchOrders(seen, open)
      const other = matchOrders(shuffled, open)
      expect(new Set(other.paid)).toEqual(new Set(one.paid))
      expect(other.unexplained.map(wordsOf).toSorted()).toEqual(one.unexplained.map(wordsOf).toSorted())
    }),
  )
})

it('outputs without an order, and orders without an output, are left as they are', () => {
  fc.assert(
    fc.property(outputs, orders, (seen, open) => {
      const { paid } = matchOrders(seen, open)
      const shown = seen.map(wordsOf)
      const wanted = open.map(asked)
      for (const word of new Set([...shown, ...wanted]))
        expect(countOf(paid.map(asked), word)).toBe(Math.min(countOf(shown, word), countOf(wanted, word)))
    }),
  )
})
