import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { useDatabase } from '../support/database.ts'
import { addressRecords, invoiceRecords, rateRecords } from '../support/payments/records.ts'
import { fromNow } from '../support/records/values.ts'
import { takePrices } from '../support/shop.ts'
import type { CallOptions } from './api.ts'
import { chainId, type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller

beforeAll(async () => {
  seller = await api.openSeller()
})

const addressesOf = (id: string, options: CallOptions = { key: seller.key }) =>
  api.call('GET', `/public/invoices/${id}/addresses`, options)

describe('200', () => {
  it('is a bare array with one entry for each method, equal to the answer of the route for one address', async () => {
    const id = await seller.createInvoice({ amount: '25', paymentMethodIDs: [3] })
    const { status, body } = await addressesOf(id)
    expect(status).toBe(200)
    const [tether, ether] = body
    expect(body).toHaveLength(2)
    expect(tether).toEqual({
      ...(await api.addressOf(id, 1)).body,
      paymentMethodID: 1,
      symbol: 'USDT',
      uri: expect.any(String),
    })
    expect(ether).toMatchObject({ ...(await api.addressOf(id, 3)).body, paymentMethodID: 3, symbol: 'ETH' })
    expect((await addressesOf(id, { token: seller.token })).body).toEqual(body)
  })

  it('carries links that open a wallet with asset, chain, address and amount (EIP-681)', async () => {
    const id = await seller.createInvoice({ amount: '25', paymentMethodIDs: [3] })
    const [tether, ether] = (await addressesOf(id)).body
    const { contract } = (await api.call('GET', '/payment-methods')).body[0]
    expect(tether.uri).toBe(
      `ethereum:${contract}@${chainId}/transfer?address=${tether.address}&uint256=25000000`,
    )
    expect(ether.uri).toBe(`ethereum:${ether.address}@${chainId}?value=10000000000000000`)
  })

  it('leaves out a method without a rate, and answers 503 if no method has one', async () => {
    const id = await seller.createInvoice({ paymentMethodIDs: [3] })
    await rateRecords.remove(database.db, { symbol: 'ETH' })
    expect((await addressesOf(id)).body).toMatchObject([{ paymentMethodID: 1 }])
    await rateRecords.remove(database.db)
    const other = await addressesOf(await seller.createInvoice({ paymentMethodIDs: [3] }))
    expect({ status: other.status, code: other.body.code }).toEqual({ status: 503, code: 'rate-unavailable' })
    await takePrices(api.shop)
    expect((await addressesOf(id)).body).toHaveLength(2)
  })

  it('assigns one address per method to 40 requests at once', async () => {
    const id = await seller.createInvoice({ paymentMethodIDs: [2, 3] })
    const answers = await Promise.all(Array.from({ length: 40 }, () => addressesOf(id)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const rows = await addressRecords.count(api.shop.db, { invoiceId: id })
    expect(rows).toBe(3)
  })
})

describe('refusals', () => {
  it('requires a credential, although the route for one address needs none', async () => {
    const id = await seller.createInvoice()
    const answer = await addressesOf(id, {})
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    expect((await addressesOf(id, { key: 'junk' })).status).toBe(401)
  })

  it('answers a foreign invoice exactly like a missing one, so ids cannot be probed', async () => {
    const id = await seller.createInvoice()
    const other = await api.openSeller()
    for (const credential of [{ key: other.key }, { token: other.token }]) {
      const foreign = await addressesOf(id, credential)
      const missing = await addressesOf(newId(), credential)
      expect(foreign.status).toBe(404)
      expect({ ...foreign.body, requestID: '' }).toEqual({ ...missing.body, requestID: '' })
    }
    expect((await addressesOf('x')).status).toBe(404)
  })

  it('answers the key of one merchant nothing about another merchant of the same account', async () => {
    const secondId = await api.makeMerchant(seller.token)
    const key = await api.makeKey(seller.token, secondId)
    const id = await seller.createInvoice()
    expect((await addressesOf(id, { key })).status).toBe(404)
    expect((await addressesOf(id, { token: seller.token })).status).toBe(200)
  })

  it('answers 409 for an expired invoice that never had an address, 422 below the minimum', async () => {
    const expired = await seller.createInvoice()
    await invoiceRecords.change(
      database.db,
      { id: expired },
      { createdAt: fromNow('-2 hours'), expiresAt: fromNow('-1 hour') },
    )
    expect((await addressesOf(expired)).body.code).toBe('invoice-not-payable')
    const small = await seller.createInvoice({ amount: '0.01' })
    expect((await addressesOf(small)).body.code).toBe('below-minimum')
  })
})
