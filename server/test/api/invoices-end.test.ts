import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { lockAbove } from '../../src/payments/deposits/store.ts'
import { claimToken } from '../../src/payments/invoices/claims/claim.ts'
import { takeClaim } from '../../src/payments/invoices/claims/settle-claim.ts'
import { settleInvoices } from '../../src/payments/invoices/settle-invoices.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'
import { eventsTo } from '../support/emitted-events.ts'
import { depositRecords, invoiceRecords } from '../support/payments/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { fromNow, moved, now } from '../support/records/values.ts'
import { eventsOf } from '../support/shop-readers.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller

beforeAll(async () => {
  seller = await api.openSeller()
})

const outcome = async (method: string, path: string) => {
  const { status, text, body } = await seller.call(method, path)
  return {
    status,
    ...(body?.code === undefined ? {} : { code: body.code }),
    ...(text === '' ? { text } : {}),
  }
}
const done = { status: 204, text: '' }
const missing = { status: 404, code: 'not-found' }
const archive = (id: string) => outcome('POST', `/invoices/${id}`)
const remove = (id: string) => outcome('DELETE', `/invoices/${id}`)
const get = async (id: string) => (await seller.call('GET', `/invoices/${id}`)).body
const idsOf = async (query = '') =>
  (await seller.call('GET', `/invoices?limit=1000${query}`)).body.data.map(({ id }: { id: string }) => id)
const balance = async () => (await seller.call('GET', '/funds')).body[0].balance
const emitted = (merchantId = seller.merchantId) => eventsOf(api.shop, { merchantId, invoiceId: '' })
const invoiceEvents = async (merchantId = seller.merchantId) =>
  (await emitted(merchantId)).filter((type) => type.startsWith('invoice.'))

/** Pays once, in a block. Two more blocks confirm the payment. */
async function pay(invoiceId: string, amountMinor: bigint) {
  const { address } = await api.shop.addressFor(invoiceId)
  await payTo(address, amountMinor)
}

async function payTo(address: string, amountMinor: bigint) {
  await api.blocks.mine([api.blocks.pay(address, amountMinor)])
}

/** Returns how many payments to these invoices the books hold. Deleted invoices count too. */
const paymentsTo = (invoiceIds: readonly string[]) =>
  depositRecords.count(api.shop.db, { invoiceId: invoiceIds })

const confirm = () => api.blocks.mine()

async function expireNow(id: string) {
  await invoiceRecords.change(
    database.db,
    { id },
    { createdAt: moved('-1 day'), expiresAt: fromNow('-1 minute'), state: 'expired' },
  )
}

describe('archiving', () => {
  it('hides an invoice from default lists only, also when it is repeated', async () => {
    const id = await seller.createInvoice()
    expect(await archive(id)).toEqual(done)
    expect(await archive(id)).toEqual(done)
    expect(await idsOf()).not.toContain(id)
    expect(await idsOf('&showArchived=true')).toContain(id)
    expect(await get(id)).toMatchObject({ id, archived: true, state: 'pending' })
  })

  it('answers 404 for an invoice that does not exist', async () => {
    const other = await api.openSeller()
    const deleted = await seller.createInvoice()
    await remove(deleted)
    for (const id of [newId(), 'x', deleted, await other.createInvoice()]) {
      expect(await archive(id)).toEqual(missing)
    }
  })

  it('C07 a payment to an archived invoice pays it, and is credited', async () => {
    const id = await seller.createInvoice()
    await archive(id)
    expect((await api.addressOf(id)).status).toBe(200)
    await pay(id, 10_000_000n)
    await confirm()
    expect(await get(id)).toMatchObject({ state: 'paid', archived: true, transactionsTotal: 1 })
    expect((await seller.call('POST', '/transactions/list', { json: { invoiceIDs: [id] } })).body.total).toBe(
      1,
    )
  })
})

describe('deleting', () => {
  it('G26 removes an invoice from every list and route for good', async () => {
    const redirectURL = 'https://shop.example/doomed'
    const id = await seller.createInvoice({ reference: 'doomed', description: 'of doom', redirectURL })
    await api.addressOf(id)
    expect(await remove(id)).toEqual(done)
    expect(await idsOf('&showArchived=true')).not.toContain(id)
    expect(await idsOf('&showArchived=true&search=doom')).toEqual([])
    expect((await api.addressOf(id)).status).toBe(404)
    expect((await api.call('GET', `/public/invoices/${id}/addresses`, { key: seller.key })).status).toBe(404)
    expect((await seller.call('GET', `/invoices/${id}`)).status).toBe(404)
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', ''],
      ['POST', '/close'],
      ['POST', '/accept'],
    ] as const) {
      expect(await outcome(method, `/invoices/${id}${path}`)).toEqual(missing)
    }
    const row = await invoiceRecords.one(api.shop.db, { id }, 'description', 'reference', 'redirectUrl')
    expect(row).toEqual({ description: null, reference: null, redirectUrl: null })
  })

  it('F1 hides the payments of a deleted invoice from its merchant, and leaves the books as they are', async () => {
    const shop = await api.openSeller()
    const kept = await shop.createInvoice()
    const id = await shop.createInvoice()
    await pay(kept, 10_000_000n)
    await pay(id, 10_000_000n)
    await confirm()
    const transactions = () => shop.call('POST', '/transactions/list?limit=1')
    const paid = (await shop.call('POST', '/transactions/list', { json: { invoiceIDs: [id] } })).body.data[0]
    const funds = (await shop.call('GET', '/funds')).body
    expect((await transactions()).body).toMatchObject({ total: 2, data: [{ invoiceID: id }] })
    expect((await shop.call('DELETE', `/invoices/${id}`)).status).toBe(204)
    expect((await transactions()).body).toMatchObject({ total: 1, data: [{ invoiceID: kept }] })
    expect(
      (await shop.call('POST', '/transactions/list', { json: { invoiceIDs: [id] } })).body,
    ).toMatchObject({
      total: 0,
      data: [],
    })
    const dateTo = (await transactions()).body.data[0].createdAt
    const untilKept = (await shop.call('POST', '/transactions/list', { json: { dateTo } })).body
    expect(untilKept).toMatchObject({ total: 1, data: [{ invoiceID: kept }] })
    for (const orderBy of ['amount', 'confirmedAt']) {
      const { body } = await shop.call('POST', `/transactions/list?orderBy=${orderBy}`)
      expect(body).toMatchObject({ total: 1, data: [{ invoiceID: kept }] })
    }
    expect((await shop.call('GET', `/transactions/${paid.id}`)).body).toMatchObject({ code: 'not-found' })
    expect((await shop.call('GET', `/invoices/${id}/timeline`)).status).toBe(404)
    expect((await api.call('GET', `/pay/${id}`)).status).toBe(404)
    expect((await shop.call('GET', '/funds')).body).toEqual(funds)
    const row = await depositRecords.one(api.shop.db, { id: paid.id }, 'state', 'netMinor')
    expect(row).toMatchObject({ state: 'confirmed', netMinor: expect.stringMatching(/^9/) })
  })

  it('C07 a payment to a deleted invoice is credited to its merchant and reported, and not listed', async () => {
    const id = await seller.createInvoice()
    const { address } = await api.shop.addressFor(id)
    await remove(id)
    const before = { balance: await balance(), emitted: await emitted() }
    await payTo(address, 10_000_000n)
    await confirm()
    expect(Number(await balance())).toBeCloseTo(Number(before.balance) + 9.8, 6)
    const { body } = await seller.call('POST', '/transactions/list', { json: { invoiceIDs: [id] } })
    expect(body).toMatchObject({ total: 0, data: [] })
    expect(await paymentsTo([id])).toBe(1)
    const added = (await emitted()).slice(before.emitted.length)
    expect(added).toEqual(['transaction.detected', 'transaction.confirmed'])
    expect((await seller.call('GET', `/invoices/${id}`)).status).toBe(404)
  })

  it('is refused while a payment is pending: in a block, or seen in the last 72 hours', async () => {
    const id = await seller.createInvoice()
    await pay(id, 10_000_000n)
    const refused = { status: 409, code: 'payment-under-way' }
    expect(await remove(id)).toEqual(refused)
    await confirm()
    await depositRecords.change(
      database.db,
      { invoiceId: id },
      {
        state: 'pending',
        confirmedAt: null,
        blockHeight: null,
        blockHash: null,
        includedAt: null,
        netMinor: null,
        feeMinor: null,
        unseenSince: now,
      },
    )
    expect(await remove(id)).toEqual(refused)
    await depositRecords.change(database.db, { invoiceId: id }, { unseenSince: fromNow('-73 hours') })
    expect(await remove(id)).toEqual(done)
  })

  it('is refused while a claim is being paid out', async () => {
    const id = await seller.createInvoice({ type: 'withdraw' })
    const { claimURL } = (
      await seller.call('POST', '/invoices', {
        json: { amount: '10', type: 'withdraw', paymentMethodID: 1, reference: 'claimed' },
      })
    ).body
    const [, claimedId = '', token = ''] = /pay\/(.*)#claim=(.*)$/.exec(claimURL) ?? []
    expect(claimToken(api.shop.claimKey, claimedId)).not.toBe(token)
    await inTransaction(database.db, (tx) => takeClaim(tx, claimedId, token))
    expect(await remove(claimedId)).toEqual({ status: 409, code: 'payment-under-way' })
    expect(await remove(id)).toEqual(done)
  })

  it('never loses money that is paid at the same moment, whichever comes first', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => seller.createInvoice()))
    const addresses = await Promise.all(ids.map((id) => api.shop.addressFor(id)))
    const transfers = addresses.map(({ address }) => api.blocks.pay(address, 10_000_000n))
    const [, ...answers] = await Promise.all([api.blocks.mine(transfers), ...ids.map(remove)])
    for (const { status } of answers) expect([204, 409]).toContain(status)
    expect(await paymentsTo(ids)).toBe(10)
    const { body } = await seller.call('POST', '/transactions/list', { json: { invoiceIDs: ids } })
    expect(body.total).toBe(answers.filter(({ status }) => status === 409).length)
  })

  it('keeps payments in time that are already in a block, even if the clock of its producer is ahead', async () => {
    const id = await seller.createInvoice()
    await pay(id, 10_000_000n)
    await confirm()
    await depositRecords.change(database.db, { invoiceId: id }, { inTimeAt: fromNow('1 minute') })
    expect(await remove(id)).toEqual(done)
    await inTransaction(database.db, (tx) => settleInvoices(api.shop, tx, [id]))
    expect(await invoiceRecords.one(database.db, { id }, 'state', 'exceptions')).toEqual({
      state: 'paid',
      exceptions: [],
    })
  })

  it('is recorded in the audit log with its author', async () => {
    const id = await seller.createInvoice()
    await seller.call('DELETE', `/invoices/${id}`, { key: undefined, token: seller.token })
    const row = await auditRecords.one(api.shop.db, { subject: id }, 'action', 'accountId')
    expect(row).toMatchObject({ action: 'invoice.deleted', accountId: expect.any(String) })
  })
})

describe('closing', () => {
  const close = (id: string) => seller.call('POST', `/invoices/${id}/close`)

  it('makes a collection paid if it received anything, and reports the sum', async () => {
    const shop = await api.openSeller()
    const id = await shop.createInvoice({ type: 'collect', amount: '100' })
    await pay(id, 10_000_000n)
    await pay(id, 5_000_000n)
    const { status, body } = await shop.call('POST', `/invoices/${id}/close`)
    expect({ status, body }).toMatchObject({ status: 200, body: { id, state: 'paid', type: 'collect' } })
    expect(await invoiceEvents(shop.merchantId)).toEqual(['invoice.paid'])
    expect(await eventsTo(database.db, shop.merchantId, 'invoice.paid')).toMatchObject([
      { data: { invoiceID: id, amount: '15', currency: 'USDT' } },
    ])
    expect((await shop.call('GET', `/invoices/${id}`)).body).toMatchObject({
      exceptions: ['underpaid'],
      amountPaid: '15',
      closedAt: expect.any(String),
    })
    expect((await shop.call('POST', `/invoices/${id}/close`)).body).toEqual(body)
    expect(await invoiceEvents(shop.merchantId)).toEqual(['invoice.paid'])
  })

  it('makes a collection expired if it received nothing, and treats later payments as late and credits them', async () => {
    const id = await seller.createInvoice({ type: 'collect', amount: '100' })
    const { address } = await api.shop.addressFor(id)
    expect((await close(id)).body).toMatchObject({ state: 'expired' })
    await invoiceRecords.change(database.db, { id }, { closedAt: fromNow('-1 minute') })
    await payTo(address, 100_000_000n)
    expect(await get(id)).toMatchObject({ state: 'expired', exceptions: ['underpaid', 'late'] })
    expect((await api.addressOf(id)).status).toBe(200)
    expect(Date.parse((await api.addressOf(id)).body.expiresAt)).toBeLessThanOrEqual(Date.now())
  })

  it('counts payments that are already in a block, even if the clock of its producer is ahead', async () => {
    const id = await seller.createInvoice({ type: 'collect', amount: '100' })
    await pay(id, 10_000_000n)
    await depositRecords.change(database.db, { invoiceId: id }, { inTimeAt: fromNow('1 minute') })
    expect((await close(id)).body).toMatchObject({ state: 'paid' })
  })

  it('ends a reusable invoice, which stays paid', async () => {
    const id = await seller.createInvoice({ type: 'reusable' })
    await pay(id, 10_000_000n)
    expect((await close(id)).body).toMatchObject({ state: 'paid' })
    expect((await close(await seller.createInvoice({ type: 'reusable' }))).body).toMatchObject({
      state: 'expired',
    })
  })

  it('answers 409 for other types and for an invoice that has ended', async () => {
    const reached = await seller.createInvoice({ type: 'collect', amount: '10' })
    await pay(reached, 10_000_000n)
    const expired = await seller.createInvoice({ type: 'reusable', expiresInMinutes: 5 })
    await expireNow(expired)
    const ids = [
      await seller.createInvoice(),
      await seller.createInvoice({ type: 'withdraw' }),
      reached,
      expired,
    ]
    for (const id of ids) {
      const { status, body } = await close(id)
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'invoice-not-closable' })
    }
  })
})

describe('accepting', () => {
  const accept = (id: string, by = seller) =>
    by.call('POST', `/invoices/${id}/accept`, { key: undefined, token: by.token })

  it('makes an underpaid invoice paid by what it received, reports that sum and is audited', async () => {
    const shop = await api.openSeller()
    const id = await shop.createInvoice()
    await pay(id, 9_000_000n)
    const { status, body } = await accept(id, shop)
    expect({ status, body }).toMatchObject({ status: 200, body: { id, state: 'paid' } })
    expect((await accept(id, shop)).body).toEqual(body)
    expect(await emitted(shop.merchantId)).toEqual(['transaction.detected', 'invoice.paid'])
    expect(await eventsTo(database.db, shop.merchantId, 'invoice.paid')).toMatchObject([
      { data: { invoiceID: id, amount: '9' } },
    ])
    const { body: record } = await shop.call('GET', `/invoices/${id}`)
    expect(record).toMatchObject({ exceptions: ['underpaid'], amountPaid: '9' })
    const [{ id: transactionID }] = record.transactions
    const audited = await auditRecords.one(api.shop.db, { subject: id }, 'action', 'accountId', 'details')
    expect(audited).toMatchObject({
      action: 'invoice.accepted',
      accountId: expect.any(String),
      details: { transactionIDs: [transactionID] },
    })
  })

  it('makes an invoice with a late payment paid', async () => {
    const id = await seller.createInvoice()
    const { address } = await api.shop.addressFor(id)
    await expireNow(id)
    await payTo(address, 10_000_000n)
    expect(await get(id)).toMatchObject({ state: 'expired', exceptions: ['underpaid', 'late'] })
    expect((await accept(id)).body).toMatchObject({ state: 'paid' })
    await confirm()
    expect(await get(id)).toMatchObject({ state: 'paid' })
  })

  it('makes a partial payment of a reusable invoice a full one', async () => {
    const id = await seller.createInvoice({ type: 'reusable' })
    await pay(id, 10_000_000n)
    await pay(id, 3_000_000n)
    const before = (await invoiceEvents()).length
    const eventsSince = async () => (await invoiceEvents()).slice(before)
    expect((await accept(id)).status).toBe(200)
    expect(await eventsSince()).toEqual(['invoice.paid'])
    await pay(id, 2_000_000n)
    expect(await eventsSince()).toEqual(['invoice.paid'])
    expect((await accept(id)).status).toBe(200)
    expect(await eventsSince()).toEqual(['invoice.paid', 'invoice.paid'])
  })

  it('D07 does not wait for a transaction that has locked the payments’ block, so that no deadlock arises', async () => {
    const id = await seller.createInvoice({ type: 'reusable' })
    await pay(id, 4_000_000n)
    await inTransaction(database.db, async (tx) => {
      expect(await lockAbove(tx, 'ethereum', 0)).not.toEqual([])
      expect((await outcome('POST', `/invoices/${id}/accept`)).status).toBe(200)
    })
  })

  it('answers 409 if no payment is too low or late', async () => {
    const paid = await seller.createInvoice()
    await pay(paid, 10_000_000n)
    const ids = [
      await seller.createInvoice(),
      await seller.createInvoice({ type: 'collect' }),
      await seller.createInvoice({ type: 'withdraw' }),
      paid,
    ]
    for (const id of ids) {
      const { status, body } = await accept(id)
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'invoice-not-acceptable' })
    }
  })
})
