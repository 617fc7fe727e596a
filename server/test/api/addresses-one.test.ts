import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { newId } from '../../src/core/ids.ts'
import { addressMac } from '../../src/payments/invoices/addresses/address.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { addressRecords, invoiceRecords, quoteRecords, rateRecords } from '../support/payments/records.ts'
import { merchantRecords } from '../support/people/records.ts'
import { fromNow, now } from '../support/records/values.ts'
import { takePrices } from '../support/shop.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const errors: { fields: Record<string, unknown>; message: string }[] = []
const api = useShopApi(database, {
  log: { info() {}, warn() {}, error: (fields, message) => errors.push({ fields, message }) },
})
let seller: Seller

beforeAll(async () => {
  seller = await api.openSeller()
})

const countOf = (table: 'address' | 'quote', invoiceId: string) =>
  (table === 'address' ? addressRecords : quoteRecords).count(api.shop.db, { invoiceId })

const secondsUntil = (time: string) => (Date.parse(time) - Date.now()) / 1000

describe('200', () => {
  it('shows address, amount and expiry to anyone, and no other field', async () => {
    const { status, body } = await api.addressOf(await seller.createInvoice({ amount: '25' }))
    expect(status).toBe(200)
    expect(body).toEqual({
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      amount: '25',
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(body.address).toBe(evmAddresses.display(body.address.toLowerCase()))
  })

  it('C09 rounds the amount up to at most 6 places', async () => {
    const inTether = await seller.createInvoice({ amount: '25.00000001', paymentMethodIDs: [3] })
    expect((await api.addressOf(inTether)).body.amount).toBe('25.000001')
    expect((await api.addressOf(inTether, 3)).body.amount).toBe('0.010001')
  })

  it('keeps a stable price for 60 minutes and a moving one for 20, but never longer than the invoice lasts', async () => {
    const long = await seller.createInvoice({ paymentMethodIDs: [3], expiresInMinutes: 1000 })
    expect(secondsUntil((await api.addressOf(long, 1)).body.expiresAt) / 60).toBeCloseTo(60, 0)
    expect(secondsUntil((await api.addressOf(long, 3)).body.expiresAt) / 60).toBeCloseTo(20, 0)
    const short = await seller.createInvoice({ paymentMethodIDs: [3], expiresInMinutes: 5 })
    expect(secondsUntil((await api.addressOf(short, 3)).body.expiresAt) / 60).toBeCloseTo(5, 0)
  })

  it('ignores credentials, valid or not', async () => {
    const id = await seller.createInvoice()
    const plain = await api.addressOf(id)
    const other = await api.openSeller()
    for (const options of [{ token: 'junk' }, { key: 'junk' }, { key: other.key }, { token: other.token }]) {
      const answer = await api.addressOf(id, 1, options)
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: plain.body })
    }
  })

  it('returns the same address for ever, also with a new quote, and another address for each method', async () => {
    const id = await seller.createInvoice({ paymentMethodIDs: [2] })
    const { address } = (await api.addressOf(id)).body
    await quoteRecords.change(
      database.db,
      { invoiceId: id },
      { quotedAt: fromNow('-2 hours'), expiresAt: fromNow('-1 hour') },
    )
    const renewed = await api.addressOf(id)
    expect(renewed.body.address).toBe(address)
    expect(secondsUntil(renewed.body.expiresAt)).toBeGreaterThan(0)
    expect(await countOf('quote', id)).toBe(2)
    expect((await api.addressOf(id, 2)).body.address).not.toBe(address)
    expect((await api.addressOf(id)).body).toEqual(renewed.body)
  })

  it('assigns one address and one quote to 100 requests at once', async () => {
    const id = await seller.createInvoice()
    const asking = await inTransaction(database.owner, async (tx) => {
      await invoiceRecords.lock(tx, { id })
      const answers = Promise.all(Array.from({ length: 100 }, () => api.addressOf(id)))
      // At most as many requests wait for the lock as the service's pool has connections.
      await expect.poll(() => countLockWaiters(database.owner)).toBeGreaterThanOrEqual(8)
      return { answers }
    })
    const answers = await asking.answers
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await countOf('address', id)).toBe(1)
    expect(await countOf('quote', id)).toBe(1)
  })

  it('gives 300 addresses to 300 first calls at once, which wait while addresses are derived', async () => {
    const ids = await Promise.all(Array.from({ length: 300 }, () => seller.createInvoice()))
    const answers = await Promise.all(ids.map((id) => api.addressOf(id)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.address)).size).toBe(300)
  })

  it('asks only for the rest after a partial payment', async () => {
    const id = await seller.createInvoice({ amount: '10' })
    const { address } = await api.shop.addressFor(id)
    await api.blocks.mine([api.blocks.pay(address, 3_999_999n)])
    expect((await api.addressOf(id)).body.amount).toBe('6.000001')
  })

  it('still shows the address and the last quote of an expired invoice, with an expiresAt in the past', async () => {
    const id = await seller.createInvoice()
    const before = await api.addressOf(id)
    await invoiceRecords.change(
      database.db,
      { id },
      { createdAt: fromNow('-2 hours'), expiresAt: fromNow('-1 minute') },
    )
    const after = await api.addressOf(id)
    expect(after.status).toBe(200)
    expect(after.body).toMatchObject({ address: before.body.address, amount: '10' })
    expect(secondsUntil(after.body.expiresAt)).toBeLessThan(0)
    expect(await countOf('quote', id)).toBe(1)
  })

  it('Q6 shows a paid invoice as not payable, with nothing left to pay', async () => {
    const id = await seller.createInvoice()
    const { address } = await api.shop.addressFor(id)
    const given = (await api.addressOf(id)).body
    await api.blocks.mine([api.blocks.pay(address, 10_000_000n)])
    const paid = await api.addressOf(id)
    expect(paid.body).toMatchObject({ address: given.address, amount: '0' })
    expect((await seller.call('GET', `/invoices/${id}`)).body.addresses).toMatchObject([{ amount: '0' }])
    expect(secondsUntil(paid.body.expiresAt)).toBeLessThanOrEqual(0)
  })

  it('ignores the case of the id and accepts a trailing slash', async () => {
    const id = await seller.createInvoice()
    const { body } = await api.addressOf(id)
    expect((await api.addressOf(id.toUpperCase())).body).toEqual(body)
    expect((await api.call('GET', `/public/invoices/${id}/method/1/address/`)).body).toEqual(body)
  })
})

describe('404', () => {
  it('answers a missing, a deleted and a malformed invoice id alike', async () => {
    const deleted = await seller.createInvoice()
    await invoiceRecords.change(database.db, { id: deleted }, { deletedAt: now })
    const closed = await api.openSeller()
    const orphan = await closed.createInvoice()
    await merchantRecords.change(database.db, { id: closed.merchantId }, { deletedAt: now })
    for (const id of [newId(), deleted, orphan]) {
      const { status, body } = await api.addressOf(id)
      expect({ status, code: body.code, detail: body.detail }).toEqual({
        status: 404,
        code: 'not-found',
        detail: 'No such invoice.',
      })
    }
    for (const id of ['x', '%00', '..', `${deleted}0`]) expect((await api.addressOf(id)).status).toBe(404)
  })

  it('answers not-found for a method that does not exist', async () => {
    const id = await seller.createInvoice()
    for (const method of [4, 0, -1, '1.0', '01x', 'USDT', '2147483648', '9'.repeat(30)]) {
      const { status, body } = await api.addressOf(id, method)
      expect({ method, status, code: body.code }).toEqual({ method, status: 404, code: 'not-found' })
    }
  })

  it('answers method-not-offered for a method that the invoice does not accept', async () => {
    const { status, body } = await api.addressOf(await seller.createInvoice(), 3)
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'method-not-offered' })
  })
})

describe('409 and 422', () => {
  it('answers invoice-not-payable for an expired invoice that never had an address', async () => {
    const id = await seller.createInvoice()
    await invoiceRecords.change(
      database.db,
      { id },
      { createdAt: fromNow('-2 hours'), expiresAt: fromNow('-1 hour') },
    )
    const { status, body } = await api.addressOf(id)
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'invoice-not-payable' })
    expect(await countOf('address', id)).toBe(0)
  })

  it('Q5 answers for a withdraw invoice that it pays out, and where it is claimed', async () => {
    const id = await seller.createInvoice({ type: 'withdraw' })
    const expected = {
      code: 'invoice-not-payable',
      detail:
        'The invoice pays out and accepts no payments. Its recipient claims it at the claimURL that was returned when it was created.',
    }
    expect(await api.addressOf(id)).toMatchObject({ status: 409, body: expected })
    const all = await api.call('GET', `/public/invoices/${id}/addresses`, { key: seller.key })
    expect(all).toMatchObject({ status: 409, body: expected })
    expect(await countOf('address', id)).toBe(0)
  })

  it('answers below-minimum and assigns no address', async () => {
    const id = await seller.createInvoice({ amount: '0.49', paymentMethodIDs: [3] })
    const { status, body } = await api.addressOf(id)
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'below-minimum' })
    expect(body.detail).toContain('0.5 USDT')
    expect((await api.addressOf(id, 3)).status).toBe(422)
    expect(await countOf('address', id)).toBe(0)
    expect((await api.addressOf(await seller.createInvoice({ amount: '0.5' }))).status).toBe(200)
  })
})

describe('503', () => {
  it('C12 creates no quote without a fresh rate, sends Retry-After, and still shows a quote that is valid', async () => {
    const known = await seller.createInvoice()
    const fresh = await seller.createInvoice()
    const shown = await api.addressOf(known)
    await rateRecords.change(database.db, {}, { takenAt: fromNow('-91 seconds') })
    const { status, headers, body } = await api.addressOf(fresh)
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'rate-unavailable' })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await countOf('address', fresh)).toBe(0)
    expect((await api.addressOf(known)).body).toEqual(shown.body)
    await takePrices(api.shop)
    expect((await api.addressOf(fresh)).status).toBe(200)
  })
})

describe('an address in the database that Coffer did not derive', () => {
  const thief = '0x00000000000000000000000000000000deadbeef'

  it('is never shown in place of an assigned address, and the fault is logged', async () => {
    const id = await seller.createInvoice()
    await api.addressOf(id)
    await addressRecords.change(database.owner, { invoiceId: id }, { address: thief })
    errors.length = 0
    for (const answer of [
      await api.addressOf(id),
      await api.call('GET', `/public/invoices/${id}/addresses`, { key: seller.key }),
    ]) {
      expect(answer.status).toBe(500)
      expect(answer.text.toLowerCase()).not.toContain('deadbeef')
    }
    expect(errors).toHaveLength(2)
    expect(String(errors[0]?.fields['err'])).toContain('has no valid MAC of ours')
    expect(errors.map(({ fields }) => fields['alert'])).toEqual(['address-tampered', 'address-tampered'])
    const { text } = await api.call('GET', '/metrics')
    expect(text.split('\n')).toContain('coffer_alerts_total{alert="address-tampered"} 2')
  })

  it('is never assigned if it was added to the free addresses, even with the MAC of another row', async () => {
    const free = await addressRecords.one(api.shop.db, { assignedAt: null }, 'id', 'address', 'mac')
    const elsewhere = { family: 'evm', address: `${thief.slice(0, -1)}e`, branch: 1, index: 1 }
    await addressRecords.change(
      database.owner,
      { id: free.id },
      { address: elsewhere.address, mac: addressMac(api.shop.macKey, elsewhere) },
    )
    const answer = await api.addressOf(await seller.createInvoice())
    expect(answer.status).toBe(500)
    expect(answer.text.toLowerCase()).not.toContain('deadbee')
    await addressRecords.change(database.owner, { id: free.id }, { address: free.address, mac: free.mac })
    expect((await api.addressOf(await seller.createInvoice())).status).toBe(200)
  })
})

describe('browsers', () => {
  it('may read the answer and its errors from any origin, and no other answer of the API', async () => {
    const id = await seller.createInvoice()
    const headers = { origin: 'https://shop.example' }
    const origins = async (path: string, key?: string) =>
      (await api.call('GET', path, { headers, key })).headers.get('access-control-allow-origin')
    expect(await origins(`/public/invoices/${id}/method/1/address`)).toBe('*')
    expect(await origins(`/public/invoices/${newId()}/method/1/address`)).toBe('*')
    const others = ['/payment-methods', '/healthz', '/merchants', `/public/invoices/${id}/addresses`]
    for (const path of others) expect(await origins(path, seller.key)).toBeNull()
  })

  it('get 204 for OPTIONS on this route and 405 on others', async () => {
    const id = await seller.createInvoice()
    const preflight = await api.call('OPTIONS', `/public/invoices/${id}/method/1/address`, {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    })
    expect({ status: preflight.status, text: preflight.text }).toEqual({ status: 204, text: '' })
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('GET')
    const others = ['/payment-methods', '/merchants', `/public/invoices/${id}/addresses`]
    for (const path of others) {
      const { status, headers } = await api.call('OPTIONS', path)
      expect({ path, status }).toEqual({ path, status: 405 })
      expect(headers.get('allow')).toContain('GET')
    }
  })

  it('get 405 for another method, with the allowed methods in Allow', async () => {
    const path = `/public/invoices/${await seller.createInvoice()}/method/1/address`
    const { status, headers } = await api.call('POST', path, { json: {} })
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })
})

it('assigns one address although the first caller disconnects, and the next callers get it', async () => {
  const id = await seller.createInvoice()
  const socket = connect(api.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`GET /public/invoices/${id}/method/1/address HTTP/1.1\r\nHost: x\r\n\r\n`)
  socket.destroy()
  const [first, second] = await Promise.all([api.addressOf(id), api.addressOf(id)])
  expect(first.body).toEqual(second.body)
  expect(await countOf('address', id)).toBe(1)
})

describe('an invoice', () => {
  it('is refused if its amount was lowered before the payer asked for an address', async () => {
    const id = await seller.createInvoice({ amount: '77' })
    await invoiceRecords.change(database.db, { id }, { amount: '1', amountUsd: '100000000' })
    errors.length = 0
    for (const answer of [
      await api.addressOf(id),
      await api.call('GET', `/public/invoices/${id}/addresses`, { key: seller.key }),
    ])
      expect(answer.status).toBe(500)
    expect(errors.map(({ fields }) => fields['alert'])).toEqual(['invoice-tampered', 'invoice-tampered'])
    expect(await countOf('address', id)).toBe(0)
    expect(await countOf('quote', id)).toBe(0)
  })

  it('gets its address for the amount that was checked, if the amount is lowered before the address is assigned', async () => {
    const id = await seller.createInvoice({ amount: '77' })
    const asking = await inTransaction(database.owner, async (tx) => {
      await invoiceRecords.lock(tx, { id })
      const answer = api.addressOf(id)
      await expect.poll(() => countLockWaiters(database.db, 'with payable')).toBe(1)
      await invoiceRecords.change(tx, { id }, { amount: '1', amountUsd: '100000000' })
      return { answer }
    })
    expect((await asking.answer).body.amount).toBe('77')
    errors.length = 0
    expect((await api.addressOf(id)).status).toBe(500)
    expect(errors.map(({ fields }) => fields['alert'])).toEqual(['address-tampered'])
  })
})
