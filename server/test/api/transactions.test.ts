import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { useDatabase } from '../support/database.ts'
import { depositRecords } from '../support/payments/records.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller
/** Two invoices of the seller. The maps below have the ids and the hashes of transactions, by their names. */
let invoices: { first: string; second: string }
const ids = new Map<string, string>()
const hashes = new Map<string, string>()

beforeAll(async () => {
  seller = await api.openSeller()
  invoices = {
    first: await seller.createInvoice({ paymentMethodIDs: [3] }),
    second: await seller.createInvoice(),
  }
  await payTo('tether', invoices.first, 4_000_000n, 1)
  await payTo('ether', invoices.first, 2_000_000_000_000_001n, 3)
  await payTo('second', invoices.second, 10_000_000n, 1)
  const other = await api.openSeller()
  await payTo('foreign', await other.createInvoice(), 5_000_000n, 1)
  await payTo('pending', invoices.second, 1n, 1)
  for (const [day, name] of ['tether', 'ether', 'second', 'pending'].entries()) {
    const createdAt = `2026-01-0${day + 1}T12:00:00Z`
    await depositRecords.change(database.db, { id: ids.get(name) }, { createdAt })
  }
  await depositRecords.change(
    database.db,
    { id: ids.get('second') },
    { state: 'failed', blockHeight: null, blockHash: null, includedAt: null, confirmedAt: null },
  )
})

async function payTo(name: string, invoiceId: string, amountMinor: bigint, methodId: number): Promise<void> {
  const { address } = await api.shop.addressFor(invoiceId, methodId)
  const transfer = api.blocks.pay(address, amountMinor, methodId)
  await api.blocks.mine([transfer])
  const { id } = await depositRecords.one(api.shop.db, { transferKey: transfer.key }, 'id')
  ids.set(name, id)
  hashes.set(name, transfer.txHash)
}

const list = (json?: unknown, query = '') => seller.call('POST', `/transactions/list${query}`, { json })

/** Returns the names of the transactions that a body lists, in order, and checks the exact total. */
async function named(json?: unknown, query = ''): Promise<string[]> {
  const { status, body, text } = await list(json, query)
  expect(status, text).toBe(200)
  expect(body.total).toBe(body.data.length)
  const names = new Map([...ids].map(([name, id]) => [id, name]))
  return body.data.map(({ id }: { id: string }) => required(names.get(id), 'a known transaction'))
}

const all = ['pending', 'second', 'ether', 'tether']

describe('POST /transactions/list', () => {
  it('shows a merchant its own transactions, newest first, for every form of an empty body', async () => {
    const { body } = await list()
    expect(body).toMatchObject({ total: 4, page: 1, limit: 20 })
    expect(body.data.at(-1)).toEqual({
      id: ids.get('tether'),
      invoiceID: invoices.first,
      amount: '4',
      state: 'confirmed',
      createdAt: '2026-01-01T12:00:00.000Z',
      confirmedAt: expect.stringMatching(/Z$/),
      txHash: hashes.get('tether'),
    })
    for (const empty of [undefined, {}, { states: null, tokens: null }]) {
      expect(await named(empty)).toEqual(all)
    }
    const path = `/merchants/${seller.merchantId}/transactions/list`
    expect((await api.call('POST', path, { token: seller.token })).body).toEqual(body)
  })

  it('writes amounts exactly', async () => {
    const { data } = (await list({ tokens: [3] })).body
    expect(data[0].amount).toBe('0.002000000000000001')
  })

  it.each([
    [{ states: ['confirmed'] }, ['ether', 'tether']],
    [{ states: ['pending', 'failed'] }, ['pending', 'second']],
    [{ states: [] }, all],
    [{ tokens: [1] }, ['pending', 'second', 'tether']],
    [{ tokens: [3, 2] }, ['ether']],
    [{ tokens: [2_147_483_647] }, []],
    [{ tokens: [] }, all],
    [{ dateFrom: '2026-01-03' }, ['pending', 'second']],
    [{ dateFrom: '2026-01-03T12:00:00Z', dateTo: '2026-01-03T12:00:00Z' }, ['second']],
    [{ dateTo: '2026-01-02' }, ['ether', 'tether']],
    [{ dateTo: '2026-01-02T13:00:00+01:00' }, ['ether', 'tether']],
    [{ invoiceIDs: [newId()] }, []],
    [{ invoiceIDs: [] }, all],
    [{ states: ['confirmed'], tokens: [1], dateTo: '2026-01-01' }, ['tether']],
    [{ states: ['confirmed'], tokens: [1], dateFrom: '2026-01-02' }, []],
  ])('filters by %j', async (json, names) => {
    expect(await named(json)).toEqual(names)
  })

  it('filters by invoice, in any case of the id', async () => {
    expect(await named({ invoiceIDs: [invoices.first] })).toEqual(['ether', 'tether'])
    expect(await named({ invoiceIDs: [invoices.first.toUpperCase(), newId()] })).toEqual(['ether', 'tether'])
    expect(await named({ invoiceIDs: [invoices.first, invoices.second] })).toEqual(all)
  })

  it.each([
    ['?order=asc', all.toReversed()],
    ['?orderBy=createdAt&order=desc', all],
    ['?orderBy=amount&order=asc', ['pending', 'ether', 'tether', 'second']],
    ['?orderBy=amount&order=desc', ['second', 'tether', 'ether', 'pending']],
  ])('orders by %s', async (query, names) => {
    expect(await named({}, query)).toEqual(names)
  })

  it('orders by the time of confirmation, with unconfirmed ones last in both directions', async () => {
    await depositRecords.change(database.db, { id: ids.get('tether') }, { confirmedAt: '2026-01-05' })
    await depositRecords.change(database.db, { id: ids.get('ether') }, { confirmedAt: '2026-01-06' })
    const ascending = await named({}, '?orderBy=confirmedAt&order=asc')
    expect(ascending.slice(0, 2)).toEqual(['tether', 'ether'])
    expect((await named({}, '?orderBy=confirmedAt&order=desc')).slice(0, 2)).toEqual(['ether', 'tether'])
  })

  it('has pages that do not overlap', async () => {
    const seen: string[] = []
    for (let page = 1; page <= 3; page++) {
      const { body } = await list({}, `?limit=2&page=${page}&orderBy=amount`)
      expect(body).toMatchObject({ total: 4, page, limit: 2 })
      seen.push(...body.data.map(({ id }: { id: string }) => id))
    }
    expect(new Set(seen).size).toBe(4)
  })

  it.each([
    ['/states', { states: 'confirmed' }],
    ['/states/0', { states: ['Confirmed'] }],
    ['/tokens/0', { tokens: ['1'] }],
    ['/tokens/0', { tokens: [1.5] }],
    ['/invoiceIDs/0', { invoiceIDs: ['x'] }],
    ['/dateFrom', { dateFrom: 'x' }],
    ['/dateTo', { dateTo: '2026-02-29' }],
    ['/limit', { limit: 5 }],
    ['/invoiceIDs', { invoiceIDs: Array.from({ length: 1001 }, () => newId()) }],
  ])('refuses with the pointer %s', async (pointer, json) => {
    const { status, body } = await list(json)
    expect(status).toBe(400)
    expect(body.errors[0].pointer).toBe(pointer)
  })

  it.each(['?limit=0', '?limit=1001', '?page=0', '?orderBy=txHash', '?order=x', '?states[]=pending'])(
    'refuses %s',
    async (query) => {
      expect((await list({}, query)).status).toBe(400)
    },
  )
})

describe('currencies of a list', () => {
  it('are shown on request, each with its payment method', async () => {
    const { data } = (await list(undefined, '?showCurrency=true')).body
    const currencies = data.map((one: Record<string, unknown>) => [one['currency'], one['paymentMethodID']])
    expect(currencies).toEqual([
      ['USDT', 1],
      ['USDT', 1],
      ['ETH', 3],
      ['USDT', 1],
    ])
    const plain = (await list(undefined, '?showCurrency=false')).body
    expect(plain).toEqual((await list()).body)
    expect(Object.keys(plain.data[0])).not.toContain('currency')
    expect((await list(undefined, '?showCurrency=perhaps')).status).toBe(400)
  })
})

describe('GET /transactions/{transactionID}', () => {
  const read = (id: string) => seller.call('GET', `/transactions/${id}`)

  it('shows the same record as the list, with null for a time that is not known yet', async () => {
    const { data } = (await list(undefined, '?showCurrency=true')).body
    const single = {
      foundBy: 'transfer',
      amlOk: true,
      seenIn: expect.stringMatching(/^(block|mempool)$/),
      replacedBy: null,
      isWrongNetwork: false,
      isCreditable: false,
      creditFee: null,
    }
    for (const listed of data) {
      const { status, body } = await read(listed.id)
      expect({ status, body }).toEqual({ status: 200, body: { ...listed, ...single } })
    }
    expect((await read(ids.get('pending') ?? '')).body).toMatchObject({ state: 'pending', confirmedAt: null })
    expect((await read((ids.get('pending') ?? '').toUpperCase())).status).toBe(200)
  })

  it('answers 404 alike for a foreign, a missing and a malformed id', async () => {
    const foreign = await read(ids.get('foreign') ?? '')
    const missing = await read(newId())
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, requestID: '' }).toEqual({ ...missing.body, requestID: '' })
    expect((await read('x')).status).toBe(404)
  })
})
