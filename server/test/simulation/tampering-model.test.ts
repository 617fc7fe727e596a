/** Tests the model of the simulation: changed rows must be reported, and only final money may pay withdrawals. */
import { describe, expect, it } from 'vitest'
import { placeAttacks } from '../../simulation/attacker/attack-moves.ts'
import { Dice } from '../../simulation/dice.ts'
import { isCausedByChange } from '../../simulation/model/caused-halts.ts'
import { findOrdersPaidEarly } from '../../simulation/model/check-final.ts'
import { Model } from '../../simulation/model/model.ts'
import {
  isMarkedPayment,
  isRaisedPurse,
  isTamperedOrder,
  isTamperedPurse,
  type Tampering,
} from '../../simulation/model/tampering.ts'
import { findUnnoticed } from '../../simulation/run/tamperings.ts'
import type { HaltCause } from '../../src/outgoing/engine/controls/halt-store.ts'
import { detailCharsMax } from '../../src/oversight/verify/continuous-check.ts'
import { modelCoin } from './model-coin.ts'

const asset = modelCoin('bitcoin/BTC')

const tampering: Tampering = {
  what: 'raises a payment',
  table: 'deposit',
  id: 'row',
  written: '{}',
  merchantIds: ['anna'],
  methodId: 1,
  invoiceId: undefined,
  foundBy: ['M21-deposits'],
  harmlessIf: undefined,
  raisesBalance: false,
}

describe('a change that remains', () => {
  const unnoticed = ['an attacker raises a payment, and nothing reports it']
  const about = (row: string) => `verify M21-deposits: the deposit ${row} has no valid MAC`
  it.each<[string, readonly string[], readonly string[]]>([
    ['must be reported', [], unnoticed],
    ['is reported by a finding about it', [about('row')], []],
    ['is not reported by findings about others', Array(9).fill(about('other')), unnoticed],
    ['may be left out of a full list', Array(10).fill(about('other')), []],
    [
      'must not be left out because the list of another invariant is full',
      Array(10).fill('verify M5: x'),
      unnoticed,
    ],
  ])('%s', async (_case, violations, found) => {
    const world = {
      model: { tamperings: [tampering] },
      sessions: { look: async () => [{ id: 'row' }] as never[] },
    }
    expect(await findUnnoticed(world, [], violations)).toEqual(found)
  })
})

describe('after an attacker changed a row', () => {
  it('only the money in its asset of the merchants that it names may be missing', () => {
    const model = { tamperings: [tampering] }
    expect(isTamperedPurse(model, 'anna', asset)).toBe(true)
    expect(isTamperedPurse(model, 'bert', asset)).toBe(false)
    expect(isTamperedPurse(model, 'anna', { ...asset, methodId: 2 })).toBe(false)
    expect(isRaisedPurse(model, 'anna', asset)).toBe(false)
  })

  it('the state of an order is only doubted if the row of the order was changed', () => {
    expect(isTamperedOrder({ tamperings: [tampering] }, 'row')).toBe(false)
    expect(isTamperedOrder({ tamperings: [{ ...tampering, table: 'withdrawal' }] }, 'row')).toBe(true)
  })

  it('a payment counts as marked only if its own state was written', () => {
    const marked = { ...tampering, written: '{"state": "confirmed"}' }
    expect(isMarkedPayment({ tamperings: [marked] }, 'row')).toBe(true)
    expect(isMarkedPayment({ tamperings: [marked] }, 'other')).toBe(false)
    expect(isMarkedPayment({ tamperings: [{ ...marked, table: 'withdrawal' }] }, 'row')).toBe(false)
    expect(isMarkedPayment({ tamperings: [{ ...tampering, written: '{"mac": "ab"}' }] }, 'row')).toBe(false)
  })
})

describe('a halt of payouts', () => {
  const owner = '019b76da-a800-72be-9bd1-dd409a8c16e2'
  const order = { ...tampering, table: 'withdrawal', id: '019b76da-e3c4-79cc-9d5e-f28070733b3a' }
  const account = { ...tampering, table: 'ledger_account', id: '5', merchantIds: [owner] }
  const ofOrder = `the signature of withdrawal ${order.id} is not valid`
  const sums = 'M2: bitcoin/BTC: the accounts have debits of 5 and credits of 6'
  const totals = `M3: available of ${owner} in bitcoin/BTC says debits 0 and credits 6, its lines say 0 and 5`
  const otherSums = sums.replace('BTC', 'LTC')
  const partly = 'M3: available of 019b'
  it.each<[string, Tampering, HaltCause, string, boolean]>([
    ['names the row that was changed', order, 'tampering', ofOrder, true],
    ['names another row', { ...order, id: 'other' }, 'tampering', ofOrder, false],
    ['names an amount that is the number of the row', account, 'tampering', 'withdrawal of 5', false],
    ['names the invoice', { ...account, invoiceId: 'bill' }, 'tampering', 'names invoice bill', true],
    ['has a cause that an operator lifts', order, 'log-unknown', ofOrder, false],
    ['is about the asset and the merchant', account, 'books', [sums, totals].join('; '), true],
    ['is also about another asset', account, 'books', [sums, otherSums, totals].join('; '), false],
    ['is about another merchant', { ...account, merchantIds: ['bert'] }, 'books', totals, false],
    ['is about the merchant in another asset', { ...account, methodId: 2 }, 'books', totals, false],
    ['is about the asset of an unknown row', { ...account, methodId: undefined }, 'books', sums, false],
    ['names a part of the merchant', account, 'books', `${sums}; ${partly}`, false],
    ['is cut off', account, 'books', `${sums.padEnd(detailCharsMax)}; ${partly}`, true],
  ])('that %s', (_case, change, cause, detail, isCaused) => {
    expect(isCausedByChange({ tamperings: [change] }, [asset], { cause, detail })).toBe(isCaused)
  })

  it('is not caused by an attacker who changed nothing', () => {
    expect(isCausedByChange({ tamperings: [] }, [asset], { cause: 'books', detail: sums })).toBe(false)
  })
})

it('an attack on orders replaces only moves that come after an order', () => {
  const kinds = ['mine a block', 'order a withdrawal', 'let time pass', 'mine a block']
  const moves = kinds.map((kind) => ({ kind, seed: 1, steps: 1 }))
  const placed = Array.from({ length: 20 }, (_, seed) =>
    placeAttacks(moves, 'changes the destination of an order', new Dice(seed)).map(({ kind }) => kind),
  )
  expect(placed.some((some) => some[2] === 'change a row')).toBe(true)
  expect(placed.every((some) => [0, 1, 3].every((index) => some[index] === kinds[index]))).toBe(true)
})

describe('orders on a UTXO network', () => {
  const payment = {
    network: 'bitcoin',
    txHash: 'hash',
    contract: null,
    sender: '',
    isFromUs: false,
    recipient: 'shown',
    amountMinor: 1_000_000n,
  }
  const model = new Model()
  model.merchants.push('anna')
  model.shown.push({
    merchantId: 'anna',
    invoiceId: 'invoice',
    address: 'shown',
    methodId: 1,
    network: asset.network,
    amountUsd: '1',
    amountMinor: 1_000_000n,
    expiresMs: 0,
    requestedMs: 0,
    answeredMs: 0,
  })
  for (const address of ['first', 'second'])
    model.orders.push({
      id: address,
      merchantId: 'anna',
      asset,
      address,
      amountMinor: 600_000n,
      requestedMs: 0,
      isAnswered: true,
      isCancelled: false,
    })

  it('are sent early if together they are more than the final payments', () => {
    expect(findOrdersPaidEarly(model, asset, [payment], (address) => address === 'first')).toEqual([])
    expect(findOrdersPaidEarly(model, asset, [payment], () => true)).toHaveLength(1)
    expect(findOrdersPaidEarly(model, asset, [], (address) => address === 'first')).toHaveLength(1)
  })
})
