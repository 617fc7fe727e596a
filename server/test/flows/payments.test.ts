import { expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { readTestContract } from '../support/anvil.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { endInvoiceAt, headTime, type OpenInvoice, useChainFlow } from '../support/chain-flow.ts'
import { addressRecords } from '../support/payments/records.ts'
import { balanceOf, depositsOf, eventsOf, invoiceStatusOf, paidOnce } from '../support/shop-readers.ts'
import { eventRecords } from '../support/webhooks/records.ts'

const flow = useChainFlow()
const { shop, anvil } = flow

it('pays the invoice with an exact payment when mined, and credits it less the fee when confirmed', async () => {
  const invoice = await flow.openInvoice()
  const txHash = await flow.pay(invoice)
  await flow.mineAndFollow()
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
  expect(await balanceOf(shop, invoice)).toBe('0')
  await flow.mineAndFollow()
  expect(await balanceOf(shop, invoice)).toBe('9.8')
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
  expect(await depositsOf(shop, invoice)).toMatchObject([{ txHash, amountMinor: 10_000_000n }])
})

it('C03 credits partial payments, and pays the invoice when their sum suffices', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice, 4_000_000n)
  await flow.mineAndFollow(2)
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: ['underpaid'] })
  expect(await balanceOf(shop, invoice)).toBe('3.86')
  const { amountMinor } = await shop.addressFor(invoice.invoiceId)
  expect(amountMinor).toBe(6_000_000n)
  await flow.pay(invoice, amountMinor)
  await flow.mineAndFollow(2)
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
  expect(await balanceOf(shop, invoice)).toBe('9.7')
})

it('C01 shows a payment of one unit too little, and does not pay the invoice', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice, 9_999_999n)
  await flow.mineAndFollow(2)
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: ['underpaid'] })
  expect(await depositsOf(shop, invoice)).toMatchObject([{ amountMinor: 9_999_999n, state: 'confirmed' }])
  expect(await eventsOf(shop, invoice)).toEqual(['transaction.detected', 'transaction.confirmed'])
})

it('C02 credits a payment of twice the amount in full, and marks it', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice, 20_000_000n)
  await flow.mineAndFollow(2)
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: ['overpaid'] })
  expect(await balanceOf(shop, invoice)).toBe('19.7')
  expect(await eventsOf(shop, invoice)).toEqual(paidOnce)
})

it('C06 credits a second payment to a paid invoice as surplus, and emits no second invoice.paid', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice)
  await flow.mineAndFollow(2)
  await flow.pay(invoice)
  await flow.mineAndFollow(2)
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: ['overpaid'] })
  expect(await balanceOf(shop, invoice)).toBe('19.6')
  expect(await eventsOf(shop, invoice)).toEqual([
    ...paidOnce,
    'transaction.detected',
    'transaction.confirmed',
  ])
})

it('one transaction that pays two invoices, one of them twice, is three payments', async () => {
  const first = await flow.openInvoice()
  const second = await flow.openInvoice()
  const sender = await readTestContract('MultiSender')
  const contract = await anvil.deploy(sender)
  await anvil.sendToken({ contract: flow.tokens.USDT, to: contract, amountMinor: 20_000_000n })
  await anvil.mine()
  const recipients = [first.address, second.address, first.address]
  const args = [flow.tokens.USDT, recipients, [3_000_000n, 10_000_000n, 7_000_000n]]
  const txHash = await anvil.sendCall({ contract, artifact: sender, name: 'pay', args })
  await flow.mineAndFollow(2)
  expect(await depositsOf(shop, first)).toMatchObject([{ txHash }, { txHash }])
  expect(await depositsOf(shop, second)).toMatchObject([{ txHash }])
  expect(await invoiceStatusOf(shop, first)).toEqual({ state: 'paid', exceptions: [] })
  expect(await invoiceStatusOf(shop, second)).toEqual({ state: 'paid', exceptions: [] })
  expect(await balanceOf(shop, first)).toBe('9.7')
  expect(await balanceOf(shop, second)).toBe('9.8')
})

it('the coin sent by a contract within a transaction pays like any other', async () => {
  const invoice = await flow.openInvoice({ methodId: 3 })
  expect(invoice.amountMinor).toBe(4_000_000_000_000_000n)
  const forwarder = await readTestContract('Forwarder')
  const contract = await anvil.deploy(forwarder)
  const args = [[invoice.address], [invoice.amountMinor]]
  const valueMinor = invoice.amountMinor
  await anvil.sendCall({ contract, artifact: forwarder, name: 'pay', args, valueMinor })
  await flow.mineAndFollow(2)
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'paid', exceptions: [] })
  expect(await balanceOf(shop, invoice, 3)).toBe('0.00396')
})

it.each([
  ['a second', 1_000],
  ['two days', 2 * 24 * 3_600_000],
])(
  'C04 a payment %s after expiry is credited and marked late, and does not pay the invoice',
  async (_late, lateMs) => {
    const invoice = await flow.openInvoice()
    await flow.pay(invoice)
    await anvil.mine()
    await endInvoiceAt(flow, invoice, new Date((await headTime(flow)).getTime() - lateMs))
    await flow.mineAndFollow(2)
    expect(await invoiceStatusOf(shop, invoice)).toEqual({
      state: 'pending',
      exceptions: ['underpaid', 'late'],
    })
    expect(await balanceOf(shop, invoice)).toBe('9.8')
  },
)

it('C10 a listed token other than requested is credited in that token and leaves the invoice unpaid', async () => {
  const invoice = await flow.openInvoice()
  await anvil.sendToken({ contract: flow.tokens.USDC, to: invoice.address, amountMinor: 10_000_000n })
  await flow.mineAndFollow(2)
  expect(await invoiceStatusOf(shop, invoice)).toEqual({ state: 'pending', exceptions: [] })
  expect(await balanceOf(shop, invoice, 1)).toBe('0')
  expect(await balanceOf(shop, invoice, 2)).toBe('9.8')
})

it('gives two hundred equal invoices at once addresses of their own, and pays each with its payment', async () => {
  while ((await shop.poolOf('ethereum').refill()) > 0);
  const invoices = await Promise.all(Array.from({ length: 200 }, () => flow.openInvoice()))
  expect(new Set(invoices.map(({ address }) => address)).size).toBe(200)
  const isPaid = (index: number) => index % 2 === 0
  for (const invoice of invoices.filter((_, index) => isPaid(index))) await flow.pay(invoice)
  await flow.mineAndFollow(2)
  const states = await Promise.all(
    invoices.map(async (invoice) => (await invoiceStatusOf(shop, invoice)).state),
  )
  expect(states).toEqual(invoices.map((_, index) => (isPaid(index) ? 'paid' : 'pending')))
  const balances = await Promise.all(invoices.map((invoice: OpenInvoice) => balanceOf(shop, invoice)))
  expect(balances).toEqual(invoices.map((_, index) => (isPaid(index) ? '9.8' : '0')))
})

it('records money to an unassigned address as unattributed', async () => {
  const free = await addressRecords.all(shop.db, { assignedAt: null }, 'address')
  const { address } = required(free.at(-1), 'a free address')
  await anvil.sendToken({ contract: flow.tokens.USDT, to: address, amountMinor: 7_000_000n })
  await flow.mineAndFollow(2)
  const { credits } = await ledgerAccountRecords.one(
    shop.db,
    { name: 'unattributed', asset: 'ethereum/USDT' },
    'credits',
  )
  expect(credits).toBe('7000000')
})

it('F21 numbers the events of an invoice in their order, whether paid and confirmed in one step or by several payments', async () => {
  const invoice = await flow.openInvoice()
  await flow.pay(invoice, 4_000_000n)
  await flow.pay(invoice)
  await flow.mineAndFollow(2)
  const rows = await eventRecords.all(shop.db, { merchantId: invoice.merchantId }, 'body')
  const emitted = rows.map(({ body }) => JSON.parse(body))
  const inOrder = emitted.toSorted((one, other) => one.sequence - other.sequence)
  expect(inOrder.map(({ sequence }) => sequence)).toEqual(inOrder.map((_, index) => index + 1))
  const [first, ...later] = inOrder.map(({ type }) => type)
  expect(first).toBe('transaction.detected')
  const indexesOf = (type: string) => later.flatMap((one, index) => (one === type ? [index] : []))
  expect(indexesOf('invoice.paid')).toHaveLength(1)
  expect(indexesOf('transaction.confirmed')).toHaveLength(2)
  expect(Math.max(...indexesOf('transaction.detected'), ...indexesOf('invoice.paid'))).toBeLessThan(
    Math.min(...indexesOf('transaction.confirmed')),
  )
  expect(new Set(emitted.map(({ data }) => data.invoiceID))).toEqual(new Set([invoice.invoiceId]))
})
