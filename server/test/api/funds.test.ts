import { expect, it } from 'vitest'
import { ledgerAccountRecords } from '../support/books/records.ts'
import { useDatabase } from '../support/database.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)

const funds = (usdt: string, usdc: string, eth: string) => [
  { paymentMethodID: 1, balance: usdt, symbol: 'USDT' },
  { paymentMethodID: 2, balance: usdc, symbol: 'USDC' },
  { paymentMethodID: 3, balance: eth, symbol: 'ETH' },
]

it('GET funds has an entry for every payment method, zeros included', async () => {
  const seller = await api.openSeller()
  const answer = await seller.call('GET', '/funds')
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: funds('0', '0', '0') })
})

it('GET funds shows confirmed deposits less the fee, to key and token alike, equal to list-merchants', async () => {
  const seller = await api.openSeller()
  const invoiceId = await seller.createInvoice({ amount: '25', paymentMethodIDs: [3] })
  const inTether = await api.shop.addressFor(invoiceId, 1)
  await api.blocks.mine([api.blocks.pay(inTether.address, 25_000_000n)])
  expect((await seller.call('GET', '/funds')).body).toEqual(funds('0', '0', '0'))
  await api.blocks.mine()
  const expected = funds('24.65', '0', '0')
  expect((await seller.call('GET', '/funds')).body).toEqual(expected)
  const { token, merchantId, key } = seller
  expect((await api.call('GET', `/merchants/${merchantId}/funds`, { token })).body).toEqual(expected)
  for (const credential of [{ token }, { key }]) {
    const listed = await api.call('GET', '/merchants', credential)
    expect(listed.body).toEqual([{ id: merchantId, name: 'Shop', balances: expected }])
  }
})

it('GET funds shows at most 8 decimal places, rounded down', async () => {
  const seller = await api.openSeller()
  await ledgerAccountRecords.add(database.db, {
    name: 'available',
    ownerId: seller.merchantId,
    asset: 'ethereum/ETH',
    debits: 0n,
    credits: '1234567899999999999',
  })
  expect((await seller.call('GET', '/funds')).body).toEqual(funds('0', '0', '1.23456789'))
})

it('GET funds refuses a request without a credential, with a foreign key or account, or for an unknown merchant', async () => {
  const seller = await api.openSeller()
  const other = await api.openSeller()
  const path = `/merchants/${seller.merchantId}/funds`
  expect((await api.call('GET', path)).status).toBe(401)
  expect((await api.call('GET', path, { key: other.key })).status).toBe(403)
  expect((await api.call('GET', path, { token: other.token })).status).toBe(403)
  const unknown = '/merchants/0197a1f1-0000-7000-8000-000000000000/funds'
  expect((await api.call('GET', unknown, { token: seller.token })).status).toBe(404)
  expect((await api.call('GET', unknown, { key: seller.key })).status).toBe(403)
})
