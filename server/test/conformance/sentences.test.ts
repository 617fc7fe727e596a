/**
 * Tests sentences of the specification that no test of one capability covers. Each test fails if its sentence
 * is broken.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { type Seller, useShopApi } from '../api/shop-api.ts'
import { balancesOf } from '../support/books/balances.ts'
import { useDatabase } from '../support/database.ts'
import { limitRecords } from '../support/payments/records.ts'
import { apiKeyRecords } from '../support/people/records.ts'
import { endpointRecords } from '../support/webhooks/records.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller

const externalAddress = `0x${'c0ffee'.repeat(6)}c0de`
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

beforeAll(async () => {
  seller = await api.openFunded()
})

const one = async (invoiceId: string) => (await seller.call('GET', `/invoices/${invoiceId}`)).body
const idsOf = async (query: string, by = seller): Promise<string[]> =>
  (await by.call('GET', `/invoices?limit=1000&${query}`)).body.data.map(({ id }: { id: string }) => id)

async function mineTo(invoiceId: string, over: { readonly verdict?: 'listed' } = {}) {
  const { address } = await api.shop.addressFor(invoiceId)
  const transfer = { ...api.blocks.pay(address, 10_000_000n), ...over }
  await api.blocks.mine([transfer])
  return transfer
}

describe('a merchant', () => {
  it('has its own invoices, balances, API key and settings, separate from another of the same account', async () => {
    const own = await api.openFunded()
    const { token } = own
    const other = await api.makeMerchant(token, 'Second shop')
    await api.call('PUT', `/ipAddress/${own.merchantId}`, { token, json: { ipAddresses: ['127.0.0.1'] } })
    const json = { url: 'https://shop.example/hook', secret: 's'.repeat(32) }
    await api.call('POST', `/weebhook/${own.merchantId}`, { token, json })
    const read = async (id: string) => ({
      invoices: (await api.call('GET', `/merchants/${id}/invoices`, { token })).body.total,
      balance: (await api.call('GET', `/merchants/${id}/funds`, { token })).body[0].balance,
      key: (await api.call('GET', `/key/info/${id}`, { token })).status,
      settings: (await api.call('GET', `/merchants/${id}`, { token })).body.settings,
    })
    expect(await read(own.merchantId)).toMatchObject({
      invoices: 1,
      balance: '98.9',
      key: 200,
      settings: { webhookUrl: json.url, ipWhitelist: ['127.0.0.1'] },
    })
    expect(await read(other)).toMatchObject({
      invoices: 0,
      balance: '0',
      key: 404,
      settings: { webhookUrl: null, ipWhitelist: [] },
    })
  })

  it('shows the allowed addresses as ipWhitelist, each as a string', async () => {
    const shop = await api.openSeller()
    const ipAddresses = ['127.0.0.1', '192.0.2.7']
    const { token, merchantId } = shop
    await api.call('PUT', `/ipAddress/${merchantId}`, { token, json: { ipAddresses } })
    const { ipWhitelist } = (await shop.call('GET', '')).body.settings
    expect(ipWhitelist).toEqual(ipAddresses)
  })

  it('is listed with its balances, one entry per method, in the form of the funds route', async () => {
    const { token, merchantId } = seller
    const listed = (await api.call('GET', '/merchants', { token })).body
    const { balances } = listed.find(({ id }: { id: string }) => id === merchantId)
    expect(balances).toEqual((await seller.call('GET', '/funds')).body)
    expect(balances.length).toBeGreaterThan(1)
    for (const entry of balances) {
      expect(Object.keys(entry).sort()).toEqual(['balance', 'paymentMethodID', 'symbol'])
      expect(entry).toMatchObject({
        paymentMethodID: expect.toSatisfy(Number.isInteger),
        balance: expect.stringMatching(/^(0|[1-9]\d*)(\.\d{1,8})?$/),
        symbol: expect.stringMatching(/^[A-Z]+$/),
      })
    }
  })

  it.each(['POST', 'PUT'])('is refused by %s with a detail that explains the error', async (method) => {
    const path = method === 'POST' ? '/merchants' : `/merchants/${seller.merchantId}`
    const { token } = seller
    for (const [name, fault] of [
      ['', /name/],
      ['x'.repeat(201), /name.*200|200.*name/],
      [5, /name.*string|string.*name/],
    ] as const) {
      const { status, body } = await api.call(method, path, { token, json: { name } })
      expect(status).toBe(400)
      expect(body.detail).toMatch(fault)
    }
  })

  it('that is deleted loses balances, invoices, key and settings, and its owner cannot restore it', async () => {
    const shop = await api.openFunded()
    const { merchantId, token, key } = shop
    const invoiceId = await shop.createInvoice()
    await api.call('PUT', `/ipAddress/${merchantId}`, { token, json: { ipAddresses: ['127.0.0.1'] } })
    const webhook = { url: 'https://shop.example/hook', secret: 's'.repeat(32) }
    expect((await api.call('POST', `/weebhook/${merchantId}`, { token, json: webhook })).status).toBe(200)
    expect((await shop.call('DELETE', '')).status).toBe(204)
    for (const path of ['', '/funds', '/limits', '/invoices', `/invoices/${invoiceId}`, '/withdrawals']) {
      expect([path, (await api.call('GET', `/merchants/${merchantId}${path}`, { token })).status]).toEqual([
        path,
        404,
      ])
    }
    expect((await shop.call('GET', '', { key })).status).toBe(401)
    expect((await api.call('GET', `/key/info/${merchantId}`, { token })).status).toBe(404)
    expect((await api.call('GET', `/weebhook/${merchantId}`, { token })).status).toBe(404)
    expect((await api.addressOf(invoiceId)).status).toBe(404)
    expect((await api.call('GET', '/merchants', { token })).body).toEqual([])
    const restored = await api.call('POST', `/operator/merchants/${merchantId}/restore`, { token })
    expect(restored.status).toBe(403)
    expect(await apiKeyRecords.count(database.db, { merchantId })).toBe(0)
    expect(await endpointRecords.count(database.db, { merchantId })).toBe(0)
    expect(await balancesOf(database.db, merchantId)).not.toHaveProperty('available')
  })
})

describe('an invoice', () => {
  it.each(['onetime', 'reusable', 'collect', 'withdraw'])(
    'of type %s shows its type everywhere',
    async (type) => {
      const id = await seller.createInvoice({ type })
      expect(await one(id)).toMatchObject({ id, type })
      expect(await idsOf(`types[]=${type}`)).toContain(id)
      const others = ['onetime', 'reusable', 'collect', 'withdraw'].filter((other) => other !== type)
      expect(await idsOf(others.map((other) => `types[]=${other}`).join('&'))).not.toContain(id)
      const { data } = (await seller.call('GET', '/invoices?limit=1000')).body
      expect(data.find((listed: { id: string }) => listed.id === id)).toMatchObject({ type })
    },
  )

  it('has amlOk false from the first payment that fails screening, and true until then', async () => {
    const clean = await seller.createInvoice()
    const tainted = await seller.createInvoice()
    await mineTo(clean)
    expect(await one(tainted)).toMatchObject({ amlOk: true })
    await mineTo(tainted, { verdict: 'listed' })
    expect([(await one(clean)).amlOk, (await one(tainted)).amlOk]).toEqual([true, false])
    const passed = await idsOf('amlOk=true')
    expect([passed.includes(clean), passed.includes(tainted)]).toEqual([true, false])
  })

  it('is found by each of its states, and by no other', async () => {
    const shop = await api.openSeller()
    const pending = await shop.createInvoice()
    const paid = await shop.createInvoice()
    await mineTo(paid)
    const expired = await shop.createInvoice({ type: 'reusable' })
    await shop.call('POST', `/invoices/${expired}/close`)
    expect(await idsOf('states[]=pending', shop)).toEqual([pending])
    expect(await idsOf('states[]=paid', shop)).toEqual([paid])
    expect(await idsOf('states[]=expired', shop)).toEqual([expired])
    expect(await idsOf('states[]=expired&states[]=paid', shop)).toEqual([expired, paid])
  })

  it('of type withdraw starts a withdrawal: once claimed, it is paid from the balance', async () => {
    const shop = await api.openFunded()
    const json = { amount: '20', type: 'withdraw', paymentMethodID: 1 }
    const { id, claimURL } = (await shop.call('POST', '/invoices', { json })).body
    expect((await shop.call('GET', '/withdrawals/pending')).body).toEqual([])
    const [, token] = claimURL.split('#claim=')
    const claim = { token, address: externalAddress }
    expect((await api.call('POST', `/public/invoices/${id}/claim`, { json: claim })).status).toBe(201)
    expect((await shop.call('GET', '/withdrawals/pending')).body).toMatchObject([
      { invoiceID: id, state: 'pending', txHash: null, net: '20', paymentMethodID: 1 },
    ])
  })
})

describe('a transaction', () => {
  it("is shown once it is broadcast, with the chain's hash, and has confirmedAt only once it is confirmed", async () => {
    const id = await seller.createInvoice()
    const shown = async () =>
      (await seller.call('POST', '/transactions/list', { json: { invoiceIDs: [id] } })).body.data
    expect(await shown()).toEqual([])
    const { txHash } = await mineTo(id)
    expect(await shown()).toMatchObject([{ txHash, state: 'pending', confirmedAt: null }])
    const [{ id: transactionID }] = await shown()
    expect((await seller.call('GET', `/transactions/${transactionID}`)).body).toMatchObject({ txHash })
    await api.blocks.mine()
    expect(await shown()).toMatchObject([{ txHash, state: 'confirmed', confirmedAt: expect.any(String) }])
  })
})

describe('a withdrawal', () => {
  const order = (by: Seller, amount: string, options = {}) =>
    by.call('POST', '/withdrawals', {
      json: { address: externalAddress, amount, paymentMethodID: 1 },
      ...options,
    })

  it('is pending after its creation, without a hash, whoever orders it', async () => {
    const shop = await api.openFunded()
    const answers = [await order(shop, '2'), await order(shop, '3', { key: undefined, token: shop.token })]
    for (const { status, body } of answers) {
      expect({ status, body }).toMatchObject({ status: 201, body: { state: 'pending', txHash: null } })
    }
    const pending = (await shop.call('GET', '/withdrawals/pending')).body
    expect(pending.map(({ id }: { id: string }) => id).sort()).toEqual(
      answers.map(({ body }) => body.id).sort(),
    )
  })

  it("and a withdraw invoice are refused below the merchant's minWithdraw, and accepted from it on", async () => {
    const shop = await api.openFunded()
    const minWithdrawOf = async ({ token, merchantId }: Seller) =>
      required(
        (await api.call('GET', `/merchants/${merchantId}/limits`, { token })).body.methods.find(
          ({ paymentMethodID }: { paymentMethodID: number }) => paymentMethodID === 1,
        ),
        'the limits of USDT',
      ).minWithdraw
    await limitRecords.add(database.db, {
      id: newId(),
      merchantId: shop.merchantId,
      paymentMethodId: 1,
      type: 'withdraw',
      minimumMinor: 7_000_000n,
    })
    expect([await minWithdrawOf(shop), await minWithdrawOf(seller)]).toEqual(['7', '1'])
    const invoice = async (by: Seller, amount: string) =>
      (await by.call('POST', '/invoices', { json: { amount, type: 'withdraw', paymentMethodID: 1 } })).status
    const outcomes = async (by: Seller, amount: string) => [
      (await order(by, amount)).status,
      await invoice(by, amount),
    ]
    expect(await outcomes(shop, '6.999999')).toEqual([422, 422])
    expect(await outcomes(shop, '7')).toEqual([201, 201])
    expect(await outcomes(seller, '6.999999')).toEqual([201, 201])
  })
})

describe('a webhook', () => {
  it('of a sandbox may use plain HTTP to this host and to private networks only', async () => {
    const { token, merchantId } = seller
    const set = async (url: string) => {
      const json = { url, secret: 's'.repeat(32) }
      return [url, (await api.call('POST', `/weebhook/${merchantId}`, { token, json })).status]
    }
    for (const url of ['http://localhost:4000/', 'http://10.0.0.1/', 'http://shop:4000/', 'https://1.1.1.1/'])
      expect(await set(url)).toEqual([url, 200])
    for (const url of ['http://1.1.1.1/', 'http://shop.example/', 'http://shop.example:4000/'])
      expect(await set(url)).toEqual([url, 400])
  })
})

describe('ids', () => {
  const paths = [
    ['GET', '/merchants/{merchantID}'],
    ['GET', '/merchants/{merchantID}/invoices'],
    ['GET', '/merchants/{merchant}/invoices/{invoiceID}'],
    ['GET', '/merchants/{merchant}/transactions/{transactionID}'],
    ['GET', '/public/invoices/{invoiceID}/method/1/address'],
    ['GET', '/public/invoices/{invoiceID}/addresses'],
    ['GET', '/key/info/{merchantID}'],
  ] as const

  /** Other forms of an id. PostgreSQL would still read some of them as the same UUID. */
  const otherEncodings = (id: string) => [
    id.replaceAll('-', ''),
    `{${id}}`,
    id.slice(1),
    `${id}0`,
    `urn:uuid:${id}`,
    '1',
  ]

  it.each(paths)('in the path of %s %s are UUIDs, and no other form names a record', async (method, path) => {
    const { token, merchantId: merchantID } = seller
    const [transaction] = (await seller.call('POST', '/transactions/list?order=asc')).body.data
    const known = new Map([
      ['merchantID', merchantID],
      ['invoiceID', transaction.invoiceID],
      ['transactionID', transaction.id],
    ])
    const [, name = ''] = /\{(\w+ID)\}/.exec(path) ?? []
    const id = required(known.get(name), name)
    const status = async (spelled: string) => {
      const to = path.replace('{merchant}', merchantID).replace(`{${name}}`, encodeURIComponent(spelled))
      return (await api.call(method, to, { token })).status
    }
    expect(await status(id)).toBe(200)
    for (const spelled of otherEncodings(id)) expect([spelled, await status(spelled)]).toEqual([spelled, 404])
  })

  it('of methods are integers: a UUID and a fraction are refused', async () => {
    const invoiceId = await seller.createInvoice()
    expect((await api.addressOf(invoiceId, '1')).status).toBe(200)
    for (const methodID of [newId(), '1.5', 'USDT', '-1']) {
      const { status } = await api.addressOf(invoiceId, methodID)
      expect([methodID, [400, 404].includes(status)]).toEqual([methodID, true])
    }
  })

  it('of records are UUIDs, those of methods integers', async () => {
    const shop = await api.openFunded()
    const withdrawal = (
      await shop.call('POST', '/withdrawals', {
        json: { address: externalAddress, amount: '2', paymentMethodID: 1 },
      })
    ).body
    const [invoice] = (await shop.call('GET', '/invoices')).body.data
    const [transaction] = (await shop.call('POST', '/transactions/list')).body.data
    for (const id of [shop.merchantId, invoice.id, transaction.id, transaction.invoiceID, withdrawal.id]) {
      expect(id).toMatch(uuid)
    }
    expect([invoice.paymentMethodID, withdrawal.paymentMethodID].every(Number.isInteger)).toBe(true)
  })
})
