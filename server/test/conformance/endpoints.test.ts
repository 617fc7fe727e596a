/** Calls every endpoint of the specification's own table, read from the specification. */
import { describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { type Seller, useShopApi } from '../api/shop-api.ts'
import { useDatabase } from '../support/database.ts'
import { readSpecification } from './statements.ts'

const api = useShopApi(useDatabase())

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly auth: string
  readonly success: string
}

const endpoints: readonly Endpoint[] = readSpecification()
  .filter(({ section, text }) => section === 'Endpoints / Summary' && /^[A-Z]+ · \//.test(text))
  .map(({ text }) => {
    const [method = '', path = '', auth = '', success = ''] = text.split(' · ')
    return { method, path, auth, success }
  })

const externalAddress = `0x${'c0ffee'.repeat(6)}c0de`
const webhook = { url: 'https://shop.example/hook', secret: 's'.repeat(32) }

/** The bodies of the endpoints that take one. */
const bodies: Readonly<Record<string, object>> = {
  'POST /merchants': { name: 'Second shop' },
  'PUT /merchants/{merchantID}': { name: 'Another name' },
  'POST /merchants/{merchantID}/invoices': { amount: '10', type: 'onetime', paymentMethodID: 1 },
  'POST /merchants/{merchantID}/withdrawals': { address: externalAddress, amount: '2', paymentMethodID: 1 },
  'POST /weebhook/{merchantID}': webhook,
}

const queries: Readonly<Record<string, string>> = {
  'GET /merchants/{merchantID}/fees': '?type=onetime',
  'GET /merchants/{merchantID}/fees/amount': '?type=onetime&amount=10',
}

/** Returns new ids for the parameters of the path of one request. */
async function paramsOf(
  { method, path }: Endpoint,
  seller: Seller,
): Promise<Readonly<Record<string, string>>> {
  const { merchantId: merchantID, token } = seller
  if (path.endsWith('/withdrawals')) await pay(seller)
  if (`${method} ${path}` === 'GET /weebhook/{merchantID}') {
    await api.call('POST', `/weebhook/${merchantID}`, { token, json: webhook })
  }
  return {
    merchantID,
    methodID: '1',
    ...(path.includes('{invoiceID}') && { invoiceID: await seller.createInvoice() }),
    ...(path.includes('{transactionID}') && { transactionID: await pay(seller) }),
  }
}

/** Pays an invoice of 10 USD until the payment is confirmed, and returns the id of the transaction. */
async function pay(seller: Seller): Promise<string> {
  const invoiceId = await seller.createInvoice()
  const { address } = await api.shop.addressFor(invoiceId)
  await api.blocks.mine([api.blocks.pay(address, 10_000_000n)])
  await api.blocks.mine()
  const { data } = (await seller.call('POST', '/transactions/list')).body
  return required(data[0], 'the transaction').id
}

async function request(endpoint: Endpoint, credential: 'none' | 'bearer' | 'key') {
  const seller = await api.openSeller()
  const params = await paramsOf(endpoint, seller)
  const name = `${endpoint.method} ${endpoint.path}`
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, param) => required(params[param], param))
  const sent = { none: {}, bearer: { token: seller.token }, key: { key: seller.key } }[credential]
  return api.call(endpoint.method, `${path}${queries[name] ?? ''}`, { ...sent, json: bodies[name] })
}

describe('the table of endpoints', () => {
  it('has the 26 endpoints of the specification', () => {
    expect(endpoints).toHaveLength(26)
  })

  it.each(endpoints)('$method $path answers $success to a Bearer token', async (endpoint) => {
    const { status, body, text } = await request(endpoint, 'bearer')
    expect(endpoint.success.match(/\d{3}/g)).toContain(String(status))
    if (status === 204 || endpoint.success.includes('no body')) expect(text).toBe('')
    else
      expect(Array.isArray(body)).toBe(
        endpoint.success.includes('array') || endpoint.path.endsWith('/addresses'),
      )
  })

  it.each(endpoints)(
    '$method $path accepts no credential, Bearer or a key as its row says: $auth',
    async (endpoint) => {
      const succeeds = async (credential: 'none' | 'key') => {
        const { status } = await request(endpoint, credential)
        return endpoint.success.includes(String(status)) ? 'success' : status
      }
      expect(await succeeds('none')).toBe(endpoint.auth === 'none' ? 'success' : 401)
      const isBearerOnly = endpoint.auth.startsWith('Bearer') && !endpoint.auth.includes('key')
      expect(await succeeds('key')).toBe(isBearerOnly ? 403 : 'success')
    },
  )
})
