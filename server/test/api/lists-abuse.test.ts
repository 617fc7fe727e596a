import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { useDatabase } from '../support/database.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import { countRowsRead, watchStatements } from '../support/rows-read.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const invoices = 20_000
/**
 * Maximum number of rows that may be read if each invoice is compared once. 100 of them are for other reads.
 */
const comparedOnce = invoices + 100
let seller: Seller

beforeAll(async () => {
  seller = await api.openSeller()
  const made = Array.from({ length: invoices }, (_, place) => place + 1).map((number) => ({
    id: newId(),
    merchantId: seller.merchantId,
    type: 'onetime',
    amount: '1',
    amountUsd: 100_000_000n,
    paymentMethodId: 1,
    paymentMethodIds: [1],
    description: `Order ${number} _% of a lamp, 100 % wool, \\ and 'quoted'`,
    reference: `ref-${number}`,
  }))
  for (let from = 0; from < made.length; from += 1_000)
    await invoiceRecords.add(database.db, ...made.slice(from, from + 1_000))
})

const listInvoices = (query: string) => seller.call('GET', `/invoices?${query}`)
const listTransactions = (query: string, json: unknown = {}) =>
  seller.call('POST', `/transactions/list${query === '' ? '' : `?${query}`}`, { json })

const injections = [
  "' or 1=1 --",
  "'; drop table invoice; --",
  '") or ("1"="1',
  '$1',
  '%%%%%%%%%%%%',
  '____________',
  '\\',
  '\\\\%',
  '!lamp & (order | :*) <-> wool',
  'lamp:*',
  '\u2028',
  '💡',
]

describe('G15 text that resembles SQL or a pattern', () => {
  it.each(injections)('G15 %j is searched literally', async (text) => {
    const { status, body } = await listInvoices(`search=${encodeURIComponent(text)}`)
    expect(status).toBe(200)
    // A line separator is white space and separates words.
    const words = text.split(/\s+/).filter((word) => word !== '')
    const texts = await invoiceRecords.all(database.db, {}, 'description', 'reference')
    const matches = texts.filter((invoice) =>
      words.every((word) =>
        [invoice.description, invoice.reference].some((field) =>
          field?.toLowerCase().includes(word.toLowerCase()),
        ),
      ),
    )
    expect(body.total).toBe(matches.length)
  })

  it.each(injections)('G15 %j is refused as an order, a state, a date and a method', async (text) => {
    const value = encodeURIComponent(text)
    for (const name of [
      'orderBy',
      'order',
      'types[]',
      'states[]',
      'dateFrom',
      'amountFrom',
      'limit',
      'amlOk',
    ]) {
      expect((await listInvoices(`${name}=${value}`)).status).toBe(400)
    }
    // Every token is a valid filter, so the API returns an empty list and not an error.
    expect((await listInvoices(`tokens[]=${value}`)).body).toMatchObject({ data: [], total: 0 })
    for (const name of ['orderBy', 'order', 'limit', 'page']) {
      expect((await listTransactions(`${name}=${value}`)).status).toBe(400)
    }
    for (const json of [{ states: [text] }, { tokens: [text] }, { dateFrom: text }, { invoiceIDs: [text] }]) {
      expect((await listTransactions('', json)).status).toBe(400)
    }
  })

  it('G15 many wildcards are one literal pattern, which is compared once with each of twenty thousand texts', async () => {
    const storms = [
      '%_'.repeat(400),
      '%'.repeat(900),
      '_%a'.repeat(300),
      '\\%'.repeat(400),
      'a%b_'.repeat(200),
    ]
    await listInvoices('search=warm')
    const sent = watchStatements()
    for (const storm of storms) {
      sent.length = 0
      const { status, body } = await listInvoices(`search=${encodeURIComponent(storm)}`)
      expect({ status, total: body.total }).toEqual({ status: 200, total: 0 })
      const searches = sent.filter(({ text }) => text.includes('search_text'))
      expect(searches).toHaveLength(1)
      for (const search of searches) {
        // A pattern may have wildcards only at its start and at its end, so that matching never backtracks.
        // All wildcards in the search text are escaped. The check removes the escaped characters, and then
        // expects no further wildcard.
        const patterns = search.values.filter((value) => typeof value === 'string' && value.startsWith('%'))
        expect(patterns.length).toBeGreaterThan(0)
        for (const pattern of patterns) {
          expect(String(pattern).replaceAll(/\\[\\%_]/g, '')).toMatch(/^%[^\\%_]*%$/)
        }
        expect(await countRowsRead(database.db, search)).toBeLessThanOrEqual(comparedOnce)
      }
    }
  })
})

describe('G16 impossible pages', () => {
  const impossible = ['limit=0', 'limit=1001', 'limit=1000000000', 'limit=1.5', 'limit=-1', 'limit=NaN']
  it.each([...impossible, 'limit=1e3', 'page=0', 'page=-1', 'page=1.5', 'page=NaN', 'page=1000001'])(
    'G16 %s is refused by both lists, naming the parameter',
    async (query) => {
      for (const { status, body } of [await listInvoices(query), await listTransactions(query)]) {
        expect(status).toBe(400)
        expect(body.errors[0].pointer).toBe(`query/${query.split('=')[0]}`)
      }
    },
  )

  it('G16 the last possible page is empty and shows the total, and reads each invoice at most four times', async () => {
    const sent = watchStatements()
    const { body } = await listInvoices('page=1000000&limit=1000')
    expect(body).toMatchObject({ data: [], total: invoices })
    expect((await listTransactions('page=1000000&limit=1000&orderBy=confirmedAt')).body).toMatchObject({
      data: [],
      total: 0,
    })
    const reads = sent.filter(({ text }) => /^\s*(?:select|with)\b/.test(text))
    expect(reads.filter(({ text }) => /limit 1000 offset/.test(text))).toHaveLength(2)
    let rows = 0
    for (const read of reads) rows += await countRowsRead(database.db, read)
    // Each invoice is read several times: to count the total, to sort, and to find the page. The limit of 4 was
    // measured and must not grow.
    expect(rows).toBeLessThanOrEqual(4 * comparedOnce)
  })
})

describe('G19 ids in lists', () => {
  it.each(['x', '', '0', `${newId()}0`, '0'.repeat(10_000), '{}', "' or true --"])(
    'G19 refuses %j as an invoice id',
    async (id) => {
      const { status, body } = await listTransactions('', { invoiceIDs: [id] })
      expect(status).toBe(400)
      expect(body.errors[0].pointer).toBe('/invoiceIDs/0')
    },
  )

  it('G19 accepts an id in upper case, and lists nothing for an id that nobody has', async () => {
    expect((await listTransactions('', { invoiceIDs: [newId().toUpperCase()] })).body).toMatchObject({
      total: 0,
    })
  })
})
