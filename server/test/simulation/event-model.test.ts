/** Tests what the model of the simulation accepts of the events of a merchant, and of orders that wait. */
import { expect, it } from 'vitest'
import { findWrongEvents } from '../../simulation/model/check-events.ts'
import type { CheckedWorld } from '../../simulation/model/checked-world.ts'
import { findUncovered } from '../../simulation/model/coverage.ts'
import { Model, type ModelAsset, type ModelOrder } from '../../simulation/model/model.ts'
import type { TrueTransfer } from '../../simulation/model/true-transfer.ts'
import { required } from '../../src/core/assert.ts'

const merchantId = 'merchant'
const other = 'other merchant'

const asset: ModelAsset = {
  methodId: 1,
  name: 'ethereum/ETH',
  network: 'ethereum',
  contract: null,
  decimals: 8,
  isStable: false,
  minimumMinor: 1_000n,
  dustMinor: 0n,
}

const transferOf = (changes: Partial<TrueTransfer> = {}): TrueTransfer => ({
  network: 'ethereum',
  txHash: 'tx',
  contract: null,
  sender: 'payer',
  isFromUs: false,
  recipient: 'address of invoice',
  amountMinor: 100_000_000n,
  ...changes,
})

function worldOf(transfers: readonly TrueTransfer[]): CheckedWorld {
  const model = new Model()
  model.merchants.push(merchantId)
  model.invoices.set('invoice', merchantId).set('foreign', other)
  const shown = { merchantId, invoiceId: 'invoice', address: 'address of invoice' }
  model.shown.push({ ...shown, methodId: asset.methodId, amountMinor: 100_000_000n })
  return { model, assets: [asset], chains: [], ours: new Set(), transfers, payments: [] }
}

type Reported = readonly [type: string, data: Readonly<Record<string, unknown>>]

function problemsOf(reported: readonly Reported[], state: string, transfers: readonly TrueTransfer[] = []) {
  const feed = reported.map(([type, data], index) => {
    return JSON.stringify({ id: `${index}`, type, merchantID: merchantId, sequence: index + 1, data })
  })
  return findWrongEvents(worldOf(transfers), {
    feeds: new Map([[merchantId, feed]]),
    orders: new Map(),
    invoices: new Map([['invoice', state]]),
  }).map((one) => one.replace('merchant 1: ', ''))
}

const invoice = (type: string, state?: string, invoiceID = 'invoice'): Reported => [
  `invoice.${type}`,
  { invoiceID, state },
]

it('accepts an invoice that is paid, reverted and expired, each told once', () => {
  const reported = [invoice('paid'), invoice('reverted', 'pending'), invoice('expired', 'expired')]
  expect(problemsOf(reported, 'expired')).toEqual([])
  expect(problemsOf([...reported, invoice('underpaid', 'expired')], 'expired')).toEqual([])
})

it.each<[string, readonly Reported[], string, string]>([
  [
    'an invoice that expires with the event of a reversal',
    [invoice('paid'), invoice('reverted', 'expired')],
    'expired',
    'invoice.reverted was told of an invoice that was paid, which is now expired',
  ],
  [
    'an underpaid invoice whose end was not told',
    [invoice('underpaid', 'expired')],
    'expired',
    'invoice.underpaid was told of an invoice that was pending, which is now expired',
  ],
  [
    'an underpaid invoice that is pending again',
    [invoice('expired', 'expired'), invoice('underpaid', 'pending')],
    'pending',
    'invoice.underpaid was told of an invoice that was expired, which is now pending',
  ],
  [
    'an invoice of another merchant',
    [invoice('paid', undefined, 'foreign')],
    'pending',
    'was told of an invoice that it never opened',
  ],
])('rejects %s', (_case, reported, state, problem) => {
  expect(problemsOf(reported, state)).toEqual([problem])
})

const payment = (type: string, amount: string, terms: object = {}, id = 'p'): Reported => [
  `transaction.${type}`,
  { transactionID: id, invoiceID: 'invoice', txHash: 'tx', currency: 'ETH', amount, ...terms },
]

it('accepts a payment below the minimum without a credit, and the next one with a credit', () => {
  const reported = [
    payment('detected', '0.00000999'),
    payment('confirmed', '0.00000999', { fee: null, net: null }),
    payment('detected', '1', {}, 'q'),
    payment('confirmed', '1', { fee: '0.01', net: '0.99' }, 'q'),
  ]
  expect(problemsOf(reported, 'pending', [transferOf({ amountMinor: 999n }), transferOf()])).toEqual([])
})

it.each<[string, object]>([
  ['without a credit', { fee: null, net: null }],
  ['with a fee and without a credit', { fee: '0.01', net: null }],
  ['with a fee of 0.02 and 0.99', { fee: '0.02', net: '0.99' }],
])('rejects a payment above the minimum %s', (words, terms) => {
  const reported = [payment('detected', '1'), payment('confirmed', '1', terms)]
  expect(problemsOf(reported, 'pending', [transferOf()])).toEqual([
    `a payment of 1 ETH was told as confirmed ${words}`,
  ])
})

it('only the orders that the money does not cover, and those after them, may wait', () => {
  const orderOf = (id: string, amountMinor: bigint): ModelOrder => ({
    id,
    merchantId,
    asset,
    address: id,
    amountMinor,
    isAnswered: true,
    isCancelled: false,
  })
  const stuck = transferOf({ recipient: 'suspect' })
  const world = worldOf([transferOf(), stuck, transferOf({ recipient: 'suspect', sender: 'listed' })])
  const [shown] = world.model.shown
  world.model.shown.push({ ...required(shown, 'an address'), invoiceId: 'i2', address: 'suspect' })
  world.model.listed.add('listed')
  // One payment of two can be moved, so 99,000,000 are free.
  const orders = [orderOf('a', 98_000_000n), orderOf('b', 2_000_000n), orderOf('c', 1n)]
  world.model.orders.push(...orders)
  const uncovered = findUncovered(world, new Map(orders.map(({ id }) => [id, 'pending'])))
  expect([...uncovered].map(({ id }) => id)).toEqual(['b', 'c'])
})
