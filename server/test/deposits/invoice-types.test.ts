import { beforeAll, describe, expect, it, vi } from 'vitest'
import { verify } from '../../src/oversight/verify/verify.ts'
import { readPayments } from '../../src/payments/deposits/payments.ts'
import { findGiven } from '../../src/payments/invoices/addresses/checkout-store.ts'
import { givePaymentAddress } from '../../src/payments/invoices/addresses/give-payment-address.ts'
import { expireInvoices } from '../../src/payments/invoices/expire-invoices.ts'
import type { InvoiceType } from '../../src/payments/invoices/invoice.ts'
import { settleInvoices } from '../../src/payments/invoices/settle-invoices.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import { blockRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import { eventsTo } from '../support/emitted-events.ts'
import { depositRecords, invoiceRecords, quoteRecords } from '../support/payments/records.ts'
import { merchantRecords } from '../support/people/records.ts'
import { fromNow, moved, notBefore, now } from '../support/records/values.ts'
import { useShop } from '../support/shop.ts'
import { balanceOf, eventsOf, invoiceStatusOf } from '../support/shop-readers.ts'

const database = useDatabase()
const shop = useShop(database)
let blocks: Blocks

beforeAll(async () => {
  blocks = await startBlocks(shop, true)
})

async function open(type: InvoiceType, amount = '10') {
  const merchantId = await shop.openMerchant()
  const invoiceId = await shop.openInvoice(merchantId, { type, amount })
  const { address } = await shop.addressFor(invoiceId)
  return { merchantId, invoiceId, address }
}

type Opened = Awaited<ReturnType<typeof open>>

const pay = ({ address }: Opened, amountMinor: bigint) => blocks.pay(address, amountMinor)
const emitted = async (opened: Opened) =>
  (await eventsOf(shop, opened)).filter((type) => type.startsWith('invoice.'))

/** Returns the data of a merchant's events of one type, in order. */
async function dataOf({ merchantId }: Opened, type: string) {
  return (await eventsTo(shop.db, merchantId, type)).map(({ data }) => data)
}

/**
 * Sets the end of the invoice to a time after its payments, and waits until the invoice is no longer pending.
 * Also makes the chain look as if blocks after that end were booked.
 */
async function lapse({ invoiceId }: Opened) {
  const deposits = await depositRecords.all(database.owner, { invoiceId }, 'inTimeAt')
  const latest = Math.max(...deposits.map(({ inTimeAt }) => inTimeAt.getTime()), 0)
  await invoiceRecords.change(database.owner, { id: invoiceId }, { expiresAt: new Date(latest + 1) })
  await invoiceRecords.change(database.owner, { id: invoiceId }, { expiresAt: notBefore('1 millisecond') })
  await blockRecords.change(shop.db, {}, { minedAt: fromNow('1 second') })
  const worker = expireInvoices(shop)
  await expect
    .poll(async () => {
      await worker.runBatch(new AbortController().signal)
      return (await invoiceStatusOf(shop, { merchantId: '', invoiceId })).state
    })
    .not.toBe('pending')
}

async function expectConsistentStates() {
  const { entries } = await verify({ db: shop.db, methods: shop.methods, chains: [] })
  const states = entries.filter(({ id }) => ['M7', 'M9', 'M11', 'M12', 'M16'].includes(id))
  expect(states).toHaveLength(5)
  for (const entry of states) expect(entry).toMatchObject({ ok: true })
}

describe('a reusable invoice', () => {
  it('reports each full payment on its own, in one block or several, and no partial payment', async () => {
    const opened = await open('reusable')
    const first = pay(opened, 10_000_000n)
    const second = pay(opened, 9_000_000n)
    const third = pay(opened, 12_000_000n)
    await blocks.mine([first, second, third])
    const fourth = pay(opened, 10_000_000n)
    await blocks.mine([fourth])
    await blocks.mine()
    expect(await invoiceStatusOf(shop, opened)).toEqual({
      state: 'paid',
      exceptions: ['underpaid', 'overpaid'],
    })
    expect(await dataOf(opened, 'invoice.paid')).toMatchObject([
      { invoiceID: opened.invoiceId, amount: '10', currency: 'USDT', txHash: first.txHash },
      { amount: '12', txHash: third.txHash },
      { amount: '10', txHash: fourth.txHash },
    ])
    expect(await balanceOf(shop, opened)).toBe('40.19')
    expect((await shop.addressFor(opened.invoiceId)).amountMinor).toBe(10_000_000n)
    await expectConsistentStates()
  })

  it('shows its address as quickly after many payments and requests', async () => {
    const { invoiceId, address } = await open('reusable')
    await blocks.mine([blocks.pay(address, 10_000_000n), blocks.pay(address, 10_000_000n)])
    await quoteRecords.change(
      database.owner,
      { invoiceId },
      { quotedAt: moved('-2 hours'), expiresAt: fromNow('-1 second') },
    )
    const { db, methods, poolOf, macKey } = shop
    const paymentsOf = vi.fn(shop.paymentsOf)
    const shown = await givePaymentAddress({ db, methods, poolOf, macKey, paymentsOf }, invoiceId, 1)
    expect(shown).toMatchObject({ address, amountMinor: 10_000_000n })
    expect(shown.expiresAt.getTime()).toBeGreaterThan(Date.now())
    expect(paymentsOf).not.toHaveBeenCalled()
    const quotes = await quoteRecords.all(db, { invoiceId })
    expect(quotes).toHaveLength(2)
    expect((await findGiven(db, invoiceId))?.quotes).toEqual([
      expect.objectContaining({ expiresAt: shown.expiresAt }),
    ])
  })

  it('reverses what a reorganisation dropped, payment by payment, and reports it again when it is mined again', async () => {
    const opened = await open('reusable')
    const first = pay(opened, 10_000_000n)
    const second = pay(opened, 10_000_000n)
    await blocks.mine([first])
    await blocks.mine([second])
    await blocks.undo(1)
    expect(await invoiceStatusOf(shop, opened)).toEqual({ state: 'paid', exceptions: [] })
    expect(await dataOf(opened, 'invoice.reverted')).toEqual([
      {
        invoiceID: opened.invoiceId,
        type: 'reusable',
        reference: null,
        amount: '10',
        state: 'paid',
        exceptions: [],
        txHash: second.txHash,
      },
    ])
    await blocks.undo(1)
    expect(await invoiceStatusOf(shop, opened)).toEqual({ state: 'pending', exceptions: [] })
    await blocks.mine([first, second])
    expect(await emitted(opened)).toEqual([
      'invoice.paid',
      'invoice.paid',
      'invoice.reverted',
      'invoice.reverted',
      'invoice.paid',
      'invoice.paid',
    ])
    await expectConsistentStates()
  })

  it('may report the same payment again if the definition of paid changes', async () => {
    const opened = await open('reusable')
    const settleWhen = (paidWhen: string) =>
      inTransaction(shop.db, async (tx) => {
        await invoiceRecords.change(tx, { id: opened.invoiceId }, { paidWhen })
        await appendEvents(tx, await settleInvoices(shop, tx, [opened.invoiceId]))
      })
    await blocks.mine([pay(opened, 10_000_000n)])
    for (const paidWhen of ['confirmed', 'included', 'confirmed', 'included', 'included']) {
      await settleWhen(paidWhen)
    }
    expect(await emitted(opened)).toEqual([
      'invoice.paid',
      'invoice.reverted',
      'invoice.paid',
      'invoice.reverted',
      'invoice.paid',
    ])
  })
})

describe('a collection', () => {
  it('C03 adds up payments of many payers and is paid by the one that reaches its target', async () => {
    const opened = await open('collect', '100')
    const payers = Array.from({ length: 9 }, () => pay(opened, 10_000_000n))
    await blocks.mine(payers)
    expect(await invoiceStatusOf(shop, opened)).toEqual({ state: 'pending', exceptions: [] })
    expect((await shop.addressFor(opened.invoiceId)).amountMinor).toBe(10_000_000n)
    const last = pay(opened, 15_000_000n)
    await blocks.mine([last])
    expect(await invoiceStatusOf(shop, opened)).toEqual({ state: 'paid', exceptions: ['overpaid'] })
    expect(await dataOf(opened, 'invoice.paid')).toMatchObject([{ amount: '105', txHash: last.txHash }])
    await blocks.undo(1)
    expect(await invoiceStatusOf(shop, opened)).toEqual({ state: 'pending', exceptions: [] })
    await blocks.mine([last])
    expect(await emitted(opened)).toEqual(['invoice.paid', 'invoice.reverted', 'invoice.paid'])
    await expectConsistentStates()
  })

  it('expires below its target, keeps the payments and reports that it is short', async () => {
    const opened = await open('collect', '100')
    await blocks.mine([pay(opened, 10_000_000n)])
    await blocks.mine()
    await lapse(opened)
    expect(await invoiceStatusOf(shop, opened)).toEqual({ state: 'expired', exceptions: ['underpaid'] })
    expect(await emitted(opened)).toEqual(['invoice.expired', 'invoice.underpaid'])
    expect(await balanceOf(shop, opened)).toBe('9.8')
    await expectConsistentStates()
  })
})

describe('a deleted invoice', () => {
  it('expires without an event', async () => {
    const opened = await open('onetime')
    await invoiceRecords.change(shop.db, { id: opened.invoiceId }, { deletedAt: now })
    await lapse(opened)
    expect(await emitted(opened)).toEqual([])
  })
})

describe('a withdraw invoice', () => {
  it('gets no address', async () => {
    const invoiceId = await shop.openInvoice(await shop.openMerchant(), { type: 'withdraw' })
    await expect(shop.addressFor(invoiceId)).rejects.toMatchObject({ code: 'invoice-not-payable' })
  })
})

describe('the rules of an invoice', () => {
  it('stay as they were at its creation, whatever its merchant sets later', async () => {
    const merchantId = await shop.openMerchant()
    const set = (paidWhen: string, tolerance: number) =>
      merchantRecords.change(shop.db, { id: merchantId }, { paidWhen, toleranceBasisPoints: tolerance })
    await set('included', 100)
    const lenient = await openOf(merchantId)
    await set('confirmed', 0)
    const strict = await openOf(merchantId)
    await blocks.mine([pay(lenient, 9_900_000n), pay(strict, 10_000_000n)])
    expect((await invoiceStatusOf(shop, lenient)).state).toBe('paid')
    expect((await invoiceStatusOf(shop, strict)).state).toBe('pending')
    await blocks.mine([])
    expect((await invoiceStatusOf(shop, strict)).state).toBe('paid')
    await expectConsistentStates()
  })

  async function openOf(merchantId: string): Promise<Opened> {
    const invoiceId = await shop.openInvoice(merchantId, { type: 'onetime', amount: '10' })
    return { merchantId, invoiceId, address: (await shop.addressFor(invoiceId)).address }
  }
})

describe('an invoice with many payments', () => {
  it.each([
    ['collect', 'summed'],
    ['reusable', 'unsettled'],
  ] as const)('%s is settled by reading a few rows', async (type, detail) => {
    const opened = await open(type, '100')
    await blocks.mine(
      Array.from({ length: 300 }, (_, index) => pay(opened, index < 150 ? 1_000_000n : 100_000_000n)),
    )
    await blocks.mine([])
    const settled = await readPayments(shop.methods, shop.db, [opened.invoiceId], detail)
    expect(settled.get(opened.invoiceId)?.length).toBeLessThanOrEqual(2)
    await blocks.mine([pay(opened, 1_000_000n)])
    await expectConsistentStates()
  })
})
