import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { useDatabase } from '../support/database.ts'
import { addressRecords } from '../support/payments/records.ts'
import { publicUrl } from './api.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller

beforeAll(async () => {
  seller = await api.openSeller()
})

const get = async (id: string) => (await seller.call('GET', `/invoices/${id}`)).body

async function pay(invoiceId: string, amountMinor: bigint, methodId = 1) {
  const { address } = await api.shop.addressFor(invoiceId, methodId)
  const transfer = api.blocks.pay(address, amountMinor, methodId)
  await api.blocks.mine([transfer])
  return transfer.txHash
}

describe('200', () => {
  it('is the complete record of a new invoice', async () => {
    const sent = {
      amount: '25.50',
      description: 'A lamp',
      reference: 'order 1',
      redirectURL: 'https://shop.example/thanks',
      paymentMethodIDs: [3],
    }
    const id = await seller.createInvoice(sent)
    const { status, body } = await seller.call('GET', `/invoices/${id}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id,
      amount: '25.50',
      type: 'onetime',
      state: 'pending',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      paymentMethodID: 1,
      amlOk: true,
      amountPaid: '0',
      exceptions: [],
      collectState: null,
      description: 'A lamp',
      reference: 'order 1',
      redirectURL: 'https://shop.example/thanks',
      paymentMethodIDs: [1, 3],
      expiresAt: new Date(Date.parse(body.createdAt) + 3_600_000).toISOString(),
      paidAt: null,
      closedAt: null,
      archived: false,
      checkoutURL: `${publicUrl}/pay/${id}`,
      addresses: [],
      transactions: [],
      transactionsTotal: 0,
    })
    expect(
      (await seller.call('GET', `/invoices/${id}`, { key: undefined, token: seller.token })).body,
    ).toEqual(body)
  })

  it('has the assigned addresses, as on the address routes, and assigns none itself', async () => {
    const id = await seller.createInvoice({ paymentMethodIDs: [3] })
    const shown = (await api.addressOf(id, 3)).body
    const { addresses } = await get(id)
    expect(addresses).toEqual([{ ...shown, paymentMethodID: 3, symbol: 'ETH', uri: expect.any(String) }])
  })

  it('shows the received payments, by transaction and in USD at their quotes', async () => {
    const id = await seller.createInvoice({ amount: '10', paymentMethodIDs: [3] })
    const first = await pay(id, 4_000_000n)
    expect(await get(id)).toMatchObject({ state: 'pending', amountPaid: '4', exceptions: ['underpaid'] })
    const { amountMinor } = await api.shop.addressFor(id, 3)
    const second = await pay(id, amountMinor, 3)
    const paid = await get(id)
    expect(paid).toMatchObject({
      state: 'paid',
      amountPaid: '10',
      exceptions: [],
      transactionsTotal: 2,
      transactions: [
        { invoiceID: id, txHash: second, currency: 'ETH', paymentMethodID: 3, amount: '0.0024' },
        { invoiceID: id, txHash: first, currency: 'USDT', paymentMethodID: 1, amount: '4' },
      ],
    })
    expect(paid.paidAt).not.toBeNull()
    const [newest] = paid.transactions
    expect((await seller.call('GET', `/transactions/${newest.id}`)).body).toEqual({
      ...newest,
      amlOk: true,
      seenIn: 'block',
      replacedBy: null,
    })
  })

  it('shows the newest of many transactions and counts all of them', async () => {
    const id = await seller.createInvoice({ type: 'collect', amount: '1000' })
    const { address } = await api.shop.addressFor(id)
    await api.blocks.mine(Array.from({ length: 120 }, () => api.blocks.pay(address, 1_000_000n)))
    const { transactions, transactionsTotal, amountPaid, collectState } = await get(id)
    expect(transactions).toHaveLength(100)
    expect({ transactionsTotal, amountPaid, collectState }).toEqual({
      transactionsTotal: 120,
      amountPaid: '120',
      collectState: 'collecting',
    })
  })
})

describe('404', () => {
  it('answers a missing, a malformed, a foreign and a deleted invoice alike', async () => {
    const other = await api.openSeller()
    const deleted = await seller.createInvoice()
    await seller.call('DELETE', `/invoices/${deleted}`)
    for (const id of [newId(), 'x', await other.createInvoice(), deleted]) {
      const { status, body } = await seller.call('GET', `/invoices/${id}`)
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not-found' })
    }
  })
})

it('never shows an address without a valid MAC', async () => {
  const id = await seller.createInvoice()
  await api.addressOf(id)
  await addressRecords.change(
    database.owner,
    { invoiceId: id },
    { address: '0x00000000000000000000000000000000deadbeef' },
  )
  const { status, text } = await seller.call('GET', `/invoices/${id}`)
  expect(status).toBe(500)
  expect(text.toLowerCase()).not.toContain('deadbeef')
})
