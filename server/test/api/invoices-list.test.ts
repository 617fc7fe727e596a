import { beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import type { ChangeOf } from '../support/records/records.ts'
import { now } from '../support/records/values.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller
/** The invoices' ids by their names in `params`. */
const ids = new Map<string, string>()

interface ListedInvoice {
  readonly body: Readonly<Record<string, unknown>>
  readonly createdAt: string
  /** A change that cannot be made through the API of this test, which has no chain. */
  readonly change?: ChangeOf<typeof invoiceRecords>
}

const params: Readonly<Record<string, ListedInvoice>> = {
  lamp: {
    body: { amount: '10', description: 'A red Lamp', reference: 'R-1' },
    createdAt: '2026-01-31T00:00:00Z',
  },
  chair: {
    body: { amount: '10.0', paymentMethodID: 2, description: '100% wood_' },
    createdAt: '2026-01-31T12:00:00Z',
    change: { state: 'paid', paidAt: now },
  },
  table: {
    body: { amount: '9.99999999', paymentMethodID: 3, paymentMethodIDs: [1], description: 'back\\slash' },
    createdAt: '2026-01-31T23:59:59.999Z',
    change: { state: 'expired' },
  },
  sofa: {
    body: { amount: '200', reference: '100 percent' },
    createdAt: '2026-02-01T00:00:00Z',
    change: { type: 'collect', collectState: 'collecting' },
  },
  rug: {
    body: { amount: '3', paymentMethodID: 3 },
    createdAt: '2026-02-02T00:00:00Z',
    change: { type: 'reusable', amlOk: false },
  },
  clock: {
    body: { amount: '1000' },
    createdAt: '2026-02-03T00:00:00Z',
    change: { type: 'withdraw', archivedAt: now },
  },
  ghost: { body: { amount: '10' }, createdAt: '2026-02-04T00:00:00Z', change: { deletedAt: now } },
}

beforeAll(async () => {
  seller = await api.openSeller()
  for (const [name, { body, createdAt, change }] of Object.entries(params)) {
    const id = await seller.createInvoice(body)
    await invoiceRecords.change(database.db, { id }, { createdAt, ...change })
    ids.set(name, id)
  }
  const other = await api.openSeller()
  await other.createInvoice({ description: 'A red Lamp of another shop' })
})

const list = (query: string) => seller.call('GET', `/invoices${query}`)

/** Returns the names of the invoices that a query lists, in order, and checks the exact total. */
async function named(query: string): Promise<string[]> {
  const { status, body, text } = await list(query)
  expect(status, text).toBe(200)
  expect(body.total).toBe(body.data.length)
  const names = new Map([...ids].map(([name, id]) => [id, name]))
  return body.data.map(({ id }: { id: string }) => names.get(id))
}

/** The names in the default list, newest first. */
const shown = ['rug', 'sofa', 'table', 'chair', 'lamp']

it('shows the newest first, twenty per page, without archived, deleted and foreign invoices', async () => {
  const { body } = await list('')
  expect(body).toMatchObject({ total: 5, page: 1, limit: 20 })
  expect(await named('')).toEqual(shown)
  expect(body.data.at(-1)).toEqual({
    id: ids.get('lamp'),
    amount: '10',
    type: 'onetime',
    state: 'pending',
    createdAt: '2026-01-31T00:00:00.000Z',
    paymentMethodID: 1,
    amlOk: true,
  })
  const byToken = await api.call('GET', `/merchants/${seller.merchantId}/invoices`, { token: seller.token })
  expect(byToken.body).toEqual(body)
})

it('shows the purpose and the exceptions of each invoice if details are requested', async () => {
  const { data } = (await list('?showDetails=true')).body
  expect(data.at(-1)).toMatchObject({ description: 'A red Lamp', reference: 'R-1', exceptions: [] })
  expect(data[0]).toMatchObject({ description: null, reference: null })
  expect((await list('?showDetails=false')).body).toEqual((await list('')).body)
  expect((await list('?showDetails=perhaps')).status).toBe(400)
})

describe('each filter on its own', () => {
  it.each([
    ['types[]=onetime', ['table', 'chair', 'lamp']],
    ['types[]=onetime&types[]=collect', ['sofa', 'table', 'chair', 'lamp']],
    ['types=reusable', ['rug']],
    ['types=reusable&types=collect', ['rug', 'sofa']],
    ['types%5B%5D=reusable', ['rug']],
    ['types=reusable,collect', ['rug', 'sofa']],
    ['types[]=reusable%2Ccollect,&types[]=withdraw', ['rug', 'sofa']],
    ['states=paid,expired', ['table', 'chair']],
    ['tokens=2,USDC,,', ['chair']],
    ['types=,', shown],
    ['dateFrom=2026-02-01T00:00:00', ['rug', 'sofa']],
    ['dateFrom=20260201T000000Z', ['rug', 'sofa']],
    ['dateFrom=20260201&dateTo=20260201T2359', ['sofa']],
    ['dateTo=20260131', ['table', 'chair', 'lamp']],
    ['types[]=withdraw', []],
    ['states[]=pending', ['rug', 'sofa', 'lamp']],
    ['states[]=paid&states[]=expired', ['table', 'chair']],
    ['tokens[]=USDT', ['sofa', 'table', 'lamp']],
    ['tokens[]=usdc', ['chair']],
    ['tokens[]=3', ['rug', 'table']],
    ['tokens[]=ETH&tokens[]=2', ['rug', 'table', 'chair']],
    ['tokens[]=DOGE', []],
    ['tokens[]=DOGE&tokens[]=2', ['chair']],
    ['tokens[]=99999999999999999999', []],
    ['amountFrom=10', ['sofa', 'chair', 'lamp']],
    ['amountFrom=9.99999999', ['sofa', 'table', 'chair', 'lamp']],
    ['amountTo=10', ['rug', 'table', 'chair', 'lamp']],
    ['amountTo=9.99999999', ['rug', 'table']],
    ['dateFrom=2026-02-01T00:00:00Z', ['rug', 'sofa']],
    ['dateFrom=2026-02-01', ['rug', 'sofa']],
    ['dateFrom=2026-02-01T01:00:00%2B01:00', ['rug', 'sofa']],
    ['dateFrom=2026-02-01T01:00:00+01:00', ['rug', 'sofa']],
    ['dateFrom=2026-01-31T23:59:59.9995Z', ['rug', 'sofa', 'table']],
    ['dateTo=2026-01-31', ['table', 'chair', 'lamp']],
    ['dateTo=2026-01-31T12:00:00Z', ['chair', 'lamp']],
    ['dateTo=2026-01-31T11:59:59.999Z', ['lamp']],
    ['dateFrom=0000-01-01', shown],
    ['dateTo=9999-12-31T23:59:59-23:59', shown],
    ['collectStates[]=collecting', ['sofa']],
    ['collectStates[]=sweeping&collectStates[]=completed', []],
    ['showArchived=true', ['clock', ...shown]],
    ['showArchived=false', shown],
    ['amlOk=true', ['sofa', 'table', 'chair', 'lamp']],
    ['amlOk=false', ['rug']],
    ['search=lamp', ['lamp']],
    ['search=r-1', ['lamp']],
    ['search=red+LAMP', ['lamp']],
    ['search=nothing+of+it', []],
  ])('narrows by %s', async (query, names) => {
    expect(await named(`?${query}`)).toEqual(names)
  })
})

describe('search', () => {
  it.each([
    ['lamp+red', ['lamp']],
    ['LAM+re', ['lamp']],
    ['1+amp', ['lamp']],
    ['r-1+lamp+a', ['lamp']],
    ['red+chair', []],
    ['lamp++red+lamp', ['lamp']],
    ['%09lamp%0Ared%C2%A0', ['lamp']],
    ['100', ['sofa', 'chair']],
    ['cent+100', ['sofa']],
    ['d+0', ['chair']],
    ['-1', ['lamp']],
    ['t+00', ['sofa']],
    ['+', shown],
  ])(
    'F3 finds invoices that contain every word, in any order and in the middle of a word: %s',
    async (text, names) => {
      expect(await named(`?search=${text}`)).toEqual(names)
      expect(await named(`?search=${text}&amlOk=true`)).toEqual(names.filter((name) => name !== 'rug'))
    },
  )

  it('F3 applies to the export as to the list', async () => {
    const { text } = await seller.call('GET', '/invoices/export?search=lamp+red')
    expect(text.trim().split('\r\n')).toHaveLength(2)
    expect(text).toContain(ids.get('lamp'))
  })

  it('F3 refuses more words than the maximum', async () => {
    const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join('+')
    expect(await named(`?search=${words(20)}`)).toEqual([])
    const { status, body } = await list(`?search=${words(21)}`)
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [{ pointer: 'query/search', detail: 'must have at most 20 words' }],
    })
  })
})

describe('search takes every character literally', () => {
  it.each([
    ['%25', ['chair']],
    ['100%25', ['chair']],
    ['_', ['chair']],
    ['wood_', ['chair']],
    ['%5C', ['table']],
    ['back%5Cslash', ['table']],
    ["'", []],
    ['%25%25', []],
    ["');--", []],
  ])('search=%s', async (text, names) => {
    expect(await named(`?search=${text}`)).toEqual(names)
  })
})

describe('filters together', () => {
  it('narrow each other', async () => {
    expect(await named('?types[]=onetime&tokens[]=USDT&states[]=pending&search=lamp')).toEqual(['lamp'])
    expect(await named('?types[]=onetime&tokens[]=USDC&states[]=pending')).toEqual([])
    const all = [
      'types[]=withdraw&states[]=pending&tokens[]=1&amountFrom=1000&amountTo=1000&dateFrom=2026-02-03',
      'dateTo=2026-02-03&showArchived=true&amlOk=true&limit=1&page=1&order=asc&orderBy=amount',
    ]
    expect(await named(`?${all.join('&')}`)).toEqual(['clock'])
    expect(await named(`?${all.join('&')}&collectStates[]=collecting`)).toEqual([])
    expect(await named(`?${all.join('&')}&search=x`)).toEqual([])
  })

  it('do not narrow when empty', async () => {
    const names = ['types', 'states', 'tokens', 'collectStates']
    const empty = [...names.map((name) => `${name}[]=`), 'amountFrom=', 'amountTo=', 'dateFrom=', 'dateTo=']
    const all = [...empty, 'showArchived=', 'amlOk=', 'search=', 'limit=', 'page=', 'order=', 'orderBy=']
    expect(await named(`?${all.join('&')}`)).toEqual(shown)
  })
})

describe('order', () => {
  it.each([
    ['orderBy=createdAt&order=desc', shown],
    ['orderBy=createdAt&order=asc', shown.toReversed()],
    ['order=asc', shown.toReversed()],
  ])('sorts by %s', async (query, names) => {
    expect(await named(`?${query}`)).toEqual(names)
  })

  it('sorts by amount as a number, and by id if amounts are equal', async () => {
    const ascending = await named('?orderBy=amount&order=asc')
    const first = ids.get('lamp') ?? ''
    const second = ids.get('chair') ?? ''
    const tied = first < second ? ['lamp', 'chair'] : ['chair', 'lamp']
    expect(ascending).toEqual(['rug', 'table', ...tied, 'sofa'])
    expect(await named('?orderBy=amount')).toEqual(ascending.toReversed())
  })
})

describe('pages', () => {
  it('contain every invoice once, also among equal ones, and the last page is shorter', async () => {
    const many = await api.openSeller()
    await Promise.all(Array.from({ length: 23 }, () => many.createInvoice()))
    await invoiceRecords.change(database.db, { merchantId: many.merchantId }, { createdAt: '2026-01-01' })
    for (const order of ['orderBy=amount&order=asc', 'orderBy=createdAt&order=desc']) {
      const seen: string[] = []
      for (let page = 1; page <= 4; page++) {
        const { body } = await many.call('GET', `/invoices?limit=7&page=${page}&${order}`)
        expect(body).toMatchObject({ total: 23, page, limit: 7 })
        expect(body.data).toHaveLength(page === 4 ? 2 : 7)
        seen.push(...body.data.map(({ id }: { id: string }) => id))
      }
      expect(new Set(seen).size).toBe(23)
    }
    const beyond = await many.call('GET', '/invoices?page=1000000&limit=1000')
    expect(beyond.body).toMatchObject({ data: [], total: 23 })
  })

  it('hold at most 1000 records, and a larger size is refused instead of reduced', async () => {
    expect((await list('?limit=1000')).body.limit).toBe(1000)
    expect((await list('?limit=1001')).status).toBe(400)
  })
})

describe('400', () => {
  it.each([
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=1e2',
    'limit=0x10',
    'limit=+1',
    'limit=ten',
    'limit=１',
    'page=0',
    'page=1000001',
    'page=99999999999999999999',
    'order=up',
    'order=DESC',
    'orderBy=state',
    'types[]=Onetime',
    'types[]=onetime&types[]=x',
    'states[]=confirmed',
    'collectStates[]=pending',
    'amountFrom=1e5',
    'amountFrom=-1',
    'amountTo=1,0',
    'amountTo=.5',
    'amountTo=%D9%A3',
    'dateFrom=yesterday',
    'dateFrom=2026-02-30',
    'dateTo=2026-01-31T25:00:00Z',
    'dateTo=1767225600',
    'showArchived=1',
    'amlOk=TRUE',
    'limit=1&limit=2',
    'search=a&search=b',
    'search[]=a',
    'search=%00',
    'search=%ff',
    'unknown=1',
    'Limit=1',
    '__proto__=1',
    'constructor=1',
    'limit[]=1',
    'types[0]=onetime',
  ])('refuses %s, naming the parameter', async (query) => {
    const { status, headers, body } = await list(`?${query}`)
    expect(status).toBe(400)
    expect(headers.get('content-type')).toBe('application/problem+json')
    const [name = ''] = query.split(/[[=]/)
    expect(body.errors[0].pointer.startsWith(`query/${name}`)).toBe(true)
  })
})
