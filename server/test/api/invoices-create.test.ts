import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { createInvoice } from '../../src/payments/invoices/create-invoice.ts'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { useDatabase } from '../support/database.ts'
import { lifetimeOf } from '../support/payments/life.ts'
import { invoiceRecords, limitRecords, rateRecords } from '../support/payments/records.ts'
import { now } from '../support/records/values.ts'
import { takePrices } from '../support/shop.ts'
import { type CallOptions, publicUrl } from './api.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller

const good = { amount: '10.50', type: 'onetime', paymentMethodID: 1 }

async function create(json: unknown, options: CallOptions = {}) {
  seller ??= await api.openSeller()
  return seller.call('POST', '/invoices', { json, ...options })
}

async function problemOf(json: unknown) {
  const { status, headers, body } = await create(json)
  expect(headers.get('content-type')).toBe('application/problem+json')
  return {
    status,
    code: body.code,
    pointers: body.errors?.map(({ pointer }: { pointer: string }) => pointer),
  }
}

const refused = (...pointers: string[]) => ({ status: 400, code: 'invalid-request', pointers })

describe('201', () => {
  it('answers the id and the checkout URL, to key and token, and needs no price', async () => {
    const answer = await create(good)
    expect(answer.status).toBe(201)
    const { id } = answer.body
    expect(answer.body).toEqual({ id, checkoutURL: `${publicUrl}/pay/${id}` })
    expect((await seller.call('GET', `/invoices/${id}`)).body.checkoutURL).toBe(answer.body.checkoutURL)
    await rateRecords.remove(database.db)
    const byToken = await create(good, { key: undefined, token: seller.token })
    expect(byToken.status).toBe(201)
  })

  it('stores every field as it was sent', async () => {
    const sent = {
      ...good,
      amount: '123456789012.12345678',
      description: 'Lampe “Ö” 💡 \n line 2',
      reference: 'order #1',
      paymentMethodIDs: [3, 1, 2],
      expiresInMinutes: 525_600,
    }
    const { body } = await create(sent)
    const row = await invoiceRecords.one(api.shop.db, { id: body.id })
    expect(await lifetimeOf(api.shop.db, body.id)).toMatchObject({ days: 365 })
    expect(row).toMatchObject({
      amount: sent.amount,
      amountUsd: '12345678901212345678',
      type: 'onetime',
      state: 'pending',
      description: sent.description,
      reference: sent.reference,
      paymentMethodId: 1,
      paymentMethodIds: [1, 3, 2],
    })
  })

  it('lets a onetime invoice expire after 60 minutes by default', async () => {
    const { body } = await create(good)
    expect(await lifetimeOf(api.shop.db, body.id)).toMatchObject({ hours: 1 })
  })

  it.each([
    ['reusable', null],
    ['collect', { days: 30 }],
    ['withdraw', { days: 7 }],
  ])('gives a %s invoice the expiry of its type', async (type, lifetime) => {
    const { status, body } = await create({ ...good, type })
    expect(status).toBe(201)
    const row = await invoiceRecords.one(api.shop.db, { id: body.id }, 'type', 'state', 'collectState')
    const collectState = type === 'collect' ? 'collecting' : null
    expect(row).toEqual({ type, state: 'pending', collectState })
    const given = await lifetimeOf(api.shop.db, body.id)
    if (lifetime === null) expect(given).toBeNull()
    else expect(given).toMatchObject(lifetime)
  })

  it('lets a merchant set the expiry of a reusable invoice', async () => {
    const { body } = await create({ ...good, type: 'reusable', expiresInMinutes: 90 })
    expect(await lifetimeOf(api.shop.db, body.id)).toMatchObject({ hours: 1, minutes: 30 })
  })

  it('returns the claim of a withdraw invoice, again for the same reference, and stores only its hash', async () => {
    const json = { ...good, type: 'withdraw', reference: 'refund 1' }
    const { status, body } = await create(json)
    expect(status).toBe(201)
    const [, token = ''] = body.claimURL.split('#claim=')
    expect(body.claimURL).toBe(`${publicUrl}/pay/${body.id}#claim=${token}`)
    expect(body.checkoutURL).toBe(`${publicUrl}/pay/${body.id}`)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect((await create(json)).body).toEqual(body)
    expect((await create({ ...json, reference: 'refund 2' })).body.claimURL).not.toContain(token)
    const row = await invoiceRecords.one(api.shop.db, { id: body.id }, 'claimHash')
    expect(row.claimHash).toEqual(createHash('sha256').update(token).digest())
    const held = await ledgerAccountRecords.all(database.db, { ownerId: seller.merchantId })
    expect(held).toEqual([])
  })

  it('accepts a redirectURL, also to a shop under development', async () => {
    for (const redirectURL of ['https://shop.example/thanks?order=7#top', 'http://localhost:8080/']) {
      const { status, body } = await create({ ...good, redirectURL })
      expect(status).toBe(201)
      const row = await invoiceRecords.one(api.shop.db, { id: body.id }, 'redirectUrl')
      expect(row).toEqual({ redirectUrl: redirectURL })
    }
  })

  it('treats null in an optional field as not sent', async () => {
    const nulls = {
      description: null,
      reference: null,
      paymentMethodIDs: null,
      expiresInMinutes: null,
      redirectURL: null,
    }
    expect((await create({ ...good, ...nulls })).status).toBe(201)
  })

  it('accepts fields at their limits', async () => {
    const wide = { ...good, description: 'x'.repeat(1000), reference: 'y'.repeat(200) }
    expect((await create(wide)).status).toBe(201)
    expect((await create({ ...good, amount: '0.00000001' })).status).toBe(201)
    expect((await create({ ...good, expiresInMinutes: 1 })).status).toBe(201)
  })
})

describe('400', () => {
  const noDecimals = [
    '1e5',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '٣',
    '0x1',
    '1.',
    '.5',
    'NaN',
    'Infinity',
    '-0',
    '1,0',
    '',
    '01',
    '1_0',
    '1n',
    '１',
    '1\u00a0',
    '0.000000001',
    '1234567890123',
    '9'.repeat(30),
    `1${'0'.repeat(30)}`,
    '1.2.3',
  ]
  it.each(noDecimals)('refuses the amount %j', async (amount) => {
    expect(await problemOf({ ...good, amount })).toEqual(refused('/amount'))
  })

  it.each(['0', '0.0', '0.00000000'])(
    'refuses the amount %j, because it asks for nothing',
    async (amount) => {
      expect(await problemOf({ ...good, amount })).toEqual(refused('/amount'))
    },
  )

  it.each([10, 10.5, true, ['10'], { value: '10' }, 1e21])('refuses %j as an amount', async (amount) => {
    expect(await problemOf({ ...good, amount })).toEqual(refused('/amount'))
  })

  it.each(['amount', 'type', 'paymentMethodID'])('requires %s and names it', async (name) => {
    expect(await problemOf({ ...good, [name]: undefined })).toEqual(refused(`/${name}`))
    expect(await problemOf({ ...good, [name]: null })).toEqual(refused(`/${name}`))
  })

  it.each([
    ['/type', { type: 'Onetime' }],
    ['/type', { type: 7 }],
    ['/paymentMethodID', { paymentMethodID: '1' }],
    ['/paymentMethodID', { paymentMethodID: 1.5 }],
    ['/paymentMethodID', { paymentMethodID: 0 }],
    ['/paymentMethodID', { paymentMethodID: -1 }],
    ['/paymentMethodID', { paymentMethodID: 2_147_483_648 }],
    ['/paymentMethodID', { paymentMethodID: 4 }],
    ['/paymentMethodIDs', { paymentMethodIDs: [2, 4] }],
    ['/paymentMethodIDs', { paymentMethodIDs: 2 }],
    ['/paymentMethodIDs/0', { paymentMethodIDs: ['2'] }],
    ['/paymentMethodIDs', { paymentMethodIDs: Array.from({ length: 21 }, () => 2) }],
    ['/description', { description: 'x'.repeat(1001) }],
    ['/description', { description: 5 }],
    ['/description', { description: 'a\u0000b' }],
    ['/reference', { reference: '' }],
    ['/reference', { reference: 'x'.repeat(201) }],
    ['/expiresInMinutes', { expiresInMinutes: 0 }],
    ['/expiresInMinutes', { expiresInMinutes: 525_601 }],
    ['/expiresInMinutes', { expiresInMinutes: '60' }],
    ['/expiresInMinutes', { expiresInMinutes: 1.5 }],
    ['/paymentMethodIDs', { type: 'withdraw', paymentMethodIDs: [3] }],
    ['/expiresInMinutes', { type: 'withdraw', expiresInMinutes: 90 * 24 * 60 + 1 }],
    ['/expiresInMinutes', { type: 'collect', expiresInMinutes: 525_601 }],
    ['/redirectURL', { redirectURL: '' }],
    ['/redirectURL', { redirectURL: 7 }],
    ['/redirectURL', { redirectURL: '/thanks' }],
    ['/redirectURL', { redirectURL: 'shop.example/thanks' }],
    ['/redirectURL', { redirectURL: 'https:claim' }],
    ['/redirectURL', { redirectURL: 'https:/claim' }],
    ['/redirectURL', { redirectURL: 'https:///claim.example' }],
    ['/redirectURL', { redirectURL: 'javascript:alert(1)' }],
    ['/redirectURL', { redirectURL: 'data:text/html,x' }],
    ['/redirectURL', { redirectURL: 'ftp://shop.example' }],
    ['/redirectURL', { redirectURL: 'java\nscript:alert(1)' }],
    ['/redirectURL', { redirectURL: ' https://shop.example' }],
    ['/redirectURL', { redirectURL: 'https:\\\\shop.example' }],
    ['/redirectURL', { redirectURL: 'https://bank.example@shop.example' }],
    ['/redirectURL', { redirectURL: 'https://:secret@shop.example' }],
    ['/redirectURL', { redirectURL: `https://shop.example/${'x'.repeat(1980)}` }],
    ['/__proto__', JSON.parse('{"__proto__": {"amount": "1"}}')],
  ])('names %s in %j', async (pointer, change) => {
    const json = { ...good }
    for (const name of Object.keys(change)) Object.defineProperty(json, name, descriptorOf(change[name]))
    expect(await problemOf(json)).toEqual(refused(pointer))
  })

  it.each([
    ['state', 'paid'],
    ['amlOk', true],
    ['id', newId()],
    ['createdAt', '2020-01-01T00:00:00.000Z'],
    ['paidAt', '2020-01-01T00:00:00.000Z'],
    ['merchantID', newId()],
    ['exceptions', []],
    ['archived', true],
    ['collectState', 'completed'],
    ['claimURL', 'https://pay.example'],
    ['amountPaid', '10'],
  ])('C14 refuses a client that sets %s itself, and makes no invoice', async (name, value) => {
    const reference = `mass assignment of ${name}`
    expect(await problemOf({ ...good, reference, [name]: value })).toEqual(refused(`/${name}`))
    const { total } = (await seller.call('GET', `/invoices?search=${encodeURIComponent(reference)}`)).body
    expect(total).toBe(0)
  })

  it('names every field that is wrong at once', async () => {
    expect(await problemOf({ amount: 1, type: 'x', more: 1 })).toMatchObject({
      pointers: expect.arrayContaining(['/amount', '/type', '/paymentMethodID', '/more']),
    })
  })

  it.each([[[]], ['text'], [5], [[good]]])('refuses the body %j', async (json) => {
    expect((await create(json)).status).toBe(400)
  })

  it('refuses an empty body, a body that is not JSON, and query parameters', async () => {
    expect((await seller.call('POST', '/invoices')).status).toBe(400)
    expect((await seller.call('POST', '/invoices?limit=1', { json: good })).status).toBe(400)
  })

  function descriptorOf(value: unknown): PropertyDescriptor {
    return { value, enumerable: true, configurable: true, writable: true }
  }
})

describe('422', () => {
  it("refuses a collection below the merchant's minimum, naming the minimum", async () => {
    const { status, body } = await create({ ...good, type: 'collect', amount: '0.99' })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'below-minimum' })
    expect(body.detail).toContain('at least 1 USD')
    expect((await create({ ...good, type: 'collect', amount: '1' })).status).toBe(201)
    expect((await create({ ...good, type: 'onetime', amount: '0.01' })).status).toBe(201)
  })
})

describe('422 of a withdraw invoice', () => {
  it('F2 refuses one below minWithdraw, naming the minimum, with the same problem as a withdrawal', async () => {
    const { status, body } = await create({ ...good, type: 'withdraw', amount: '0.99999999' })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'below-minimum' })
    expect(body.detail).toBe('/amount: a withdraw invoice must pay out at least 1 USD.')
    expect((await create({ ...good, type: 'withdraw', amount: '1' })).status).toBe(201)
    expect((await create({ ...good, type: 'reusable', amount: '0.01' })).status).toBe(201)
  })

  it('F2 applies the minimum that was set for the merchant and the method', async () => {
    const shop = await api.openSeller()
    await limitRecords.add(database.db, {
      id: newId(),
      merchantId: shop.merchantId,
      paymentMethodId: 2,
      type: 'withdraw',
      minimumMinor: 7_000_000n,
    })
    const outcome = async (paymentMethodID: number, amount: string) =>
      (await shop.call('POST', '/invoices', { json: { amount, type: 'withdraw', paymentMethodID } })).status
    expect([await outcome(2, '6.99'), await outcome(2, '7'), await outcome(1, '1')]).toEqual([422, 201, 201])
  })
})

describe('a request that is retried', () => {
  it('creates the same invoice, with the id that was generated for it', async () => {
    const merchantId = await api.shop.openMerchant()
    const input = { id: newId(), merchantId, type: 'onetime', amount: '10', paymentMethodId: 1 } as const
    const ids = await Promise.all(Array.from({ length: 20 }, () => createInvoice(api.shop, input)))
    expect(new Set(ids)).toEqual(new Set([input.id]))
    const rows = await invoiceRecords.count(api.shop.db, { merchantId })
    expect(rows).toBe(1)
  })
})

it('C08 gives 1,000 equal invoices created at once addresses of their own, and credits each with its own payment', async () => {
  const shop = await api.openSeller()
  await takePrices(api.shop)
  const ids: string[] = []
  const addresses: string[] = []
  for (let batch = 0; batch < 10; batch++) {
    while ((await api.shop.poolOf('ethereum').refill()) > 0);
    const made = await Promise.all(Array.from({ length: 100 }, () => shop.createInvoice()))
    const given = await Promise.all(made.map((id) => api.addressOf(id)))
    ids.push(...made)
    addresses.push(...given.map(({ body }) => body.address.toLowerCase()))
  }
  expect(new Set(ids).size).toBe(1_000)
  expect(new Set(addresses).size).toBe(1_000)
  const paid = new Set(ids.filter((_, index) => index % 3 === 0))
  const transfers = addresses
    .filter((_, index) => index % 3 === 0)
    .map((address) => api.blocks.pay(address, 10_000_000n))
  await api.blocks.mine(transfers)
  const rows = await invoiceRecords.all(database.db, { merchantId: shop.merchantId }, 'id', 'state')
  expect(rows).toHaveLength(1_000)
  for (const { id, state } of rows) expect(state).toBe(paid.has(id) ? 'paid' : 'pending')
}, 60_000)

describe('401, 403 and 404, before the body is read', () => {
  it('refuses a missing credential, a foreign one and an unknown merchant', async () => {
    const other = await api.openSeller()
    const path = `/merchants/${seller.merchantId}/invoices`
    const json = { nonsense: true }
    expect((await api.call('POST', path, { json })).status).toBe(401)
    expect((await api.call('POST', path, { json, key: `${seller.key}0` })).status).toBe(401)
    expect((await api.call('POST', path, { json, key: other.key })).status).toBe(403)
    expect((await api.call('POST', path, { json, token: other.token })).status).toBe(403)
    const unknown = `/merchants/${newId()}/invoices`
    expect((await api.call('POST', unknown, { json, token: seller.token })).status).toBe(404)
    expect((await api.call('POST', unknown, { json, key: seller.key })).status).toBe(403)
  })
})

describe('a reference', () => {
  it('returns the same invoice for the same body, and 409 for a body that differs in any field', async () => {
    const json = { ...good, description: 'A lamp', reference: 'order 7', paymentMethodIDs: [2] }
    const first = await create(json)
    const again = await create(json)
    expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: first.body })
    const others = [
      { amount: '10.5' },
      { paymentMethodID: 3 },
      { paymentMethodIDs: [3] },
      { paymentMethodIDs: [] },
      { description: 'A lamp.' },
      { description: undefined },
      { expiresInMinutes: 61 },
      { redirectURL: 'https://shop.example' },
      { type: 'reusable' },
    ]
    for (const change of others) {
      const answer = await create({ ...json, ...change })
      expect({ status: answer.status, code: answer.body.code, change }).toEqual({
        status: 409,
        code: 'reference-taken',
        change,
      })
    }
  })

  it('is free again once its invoice is deleted', async () => {
    const json = { ...good, reference: 'order 10' }
    const first = await create(json)
    await invoiceRecords.change(database.db, { id: first.body.id }, { deletedAt: now })
    const second = await create({ ...json, amount: '11' })
    expect(second.status).toBe(201)
    expect(second.body.id).not.toBe(first.body.id)
  })

  it('is unique within one merchant only', async () => {
    const json = { ...good, reference: 'order 8' }
    const mine = await create(json)
    const other = await api.openSeller()
    const theirs = await other.call('POST', '/invoices', { json: { ...json, amount: '99' } })
    expect(theirs.status).toBe(201)
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  it('creates one invoice for 50 requests at once', async () => {
    const json = { ...good, reference: 'order 9' }
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(json)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    const { total } = (await seller.call('GET', '/invoices?search=order+9')).body
    expect(total).toBe(1)
  })
})
