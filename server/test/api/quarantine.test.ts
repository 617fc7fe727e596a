import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { makeOperator } from '../support/appoint.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { depositRecords } from '../support/payments/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
let operator = ''

beforeAll(async () => {
  const { email, token } = await api.register()
  await makeOperator(database.db, email)
  operator = token
})

/** Opens a seller with 10 USDT in quarantine, and returns the id of the transaction too. */
async function openHeld(): Promise<{ seller: Seller; id: string }> {
  const seller = await api.openSeller()
  const invoiceId = await seller.createInvoice()
  const { address } = await api.shop.addressFor(invoiceId)
  await api.blocks.mine([{ ...api.blocks.pay(address, 10_000_000n), verdict: 'listed' }])
  await api.blocks.mine()
  const { id } = await depositRecords.one(api.shop.db, { invoiceId }, 'id')
  return { seller, id }
}

const list = (query = '') => api.call('GET', `/operator/quarantine${query}`, { token: operator })
const end = (id: string, verb: string, json: unknown = {}, token = operator) =>
  api.call('POST', `/operator/quarantine/${id}/${verb}`, { token, json })

const usdtOf = async (seller: Seller) => (await seller.call('GET', '/funds')).body[0].balance

describe('GET /operator/quarantine', () => {
  it('lists held transactions, of all merchants or of one', async () => {
    const { seller, id } = await openHeld()
    await openHeld()
    expect((await list()).body.total).toBeGreaterThan(1)
    const { body } = await list(`?merchantID=${seller.merchantId.toUpperCase()}`)
    expect(body).toMatchObject({ total: 1, page: 1 })
    expect(body.data).toEqual([
      {
        transactionID: id,
        merchantID: seller.merchantId,
        merchantName: 'Shop',
        invoiceID: expect.any(String),
        amount: '10',
        currency: 'USDT',
        paymentMethodID: 1,
        txHash: expect.stringMatching(/^0x/),
        foundBy: 'transfer',
        sender: '0xpayer',
        listedAddress: null,
        reason: 'listed',
        quarantine: 'held',
        heldSince: expect.stringMatching(/Z$/),
      },
    ])
  })
})

describe('POST /operator/quarantine/{transactionID}/release|seize', () => {
  it('credits the money to the merchant, who sees it and gets an event; a repeat changes nothing', async () => {
    const { seller, id } = await openHeld()
    const shown = () => seller.call('GET', `/transactions/${id}`)
    expect((await shown()).body).toMatchObject({ state: 'confirmed', amlOk: false })
    expect(await usdtOf(seller)).toBe('0')
    const { status, body } = await end(id, 'release', { reason: 'a namesake' })
    expect({ status, quarantine: body.quarantine }).toEqual({ status: 200, quarantine: 'released' })
    expect(await usdtOf(seller)).toBe('9.8')
    expect((await shown()).body).toMatchObject({ amlOk: true })
    expect((await end(id, 'release')).status).toBe(200)
    expect(await usdtOf(seller)).toBe('9.8')
    const { status: conflict, body: problem } = await end(id, 'seize')
    expect({ conflict, code: problem.code }).toEqual({ conflict: 409, code: 'quarantine-ended' })
    const entries = await auditRecords.all(database.db, { subject: id }, 'action', 'accountId', 'details')
    expect(entries).toEqual([
      {
        action: 'quarantine.released',
        accountId: expect.any(String),
        details: expect.objectContaining({ reason: 'a namesake' }),
      },
    ])
    await expectSoundBooks(api.shop)
  })

  it('seizes the money for good', async () => {
    const { seller, id } = await openHeld()
    expect((await end(id, 'seize', { reason: null })).body).toMatchObject({ quarantine: 'seized' })
    expect(await usdtOf(seller)).toBe('0')
    expect((await list(`?merchantID=${seller.merchantId}`)).body.total).toBe(0)
    const { action } = await auditRecords.one(api.shop.db, { subject: id }, 'action')
    expect(action).toBe('quarantine.seized')
    await expectSoundBooks(api.shop)
  })

  it('answers 404 for a transaction that is not in quarantine, 403 to a caller who is not an operator, 400 for an unknown field', async () => {
    const { seller, id } = await openHeld()
    expect((await end(newId(), 'release')).status).toBe(404)
    expect((await end('x', 'seize')).status).toBe(404)
    expect((await end(id, 'release', {}, seller.token)).status).toBe(403)
    expect((await api.call('GET', '/operator/quarantine', { token: seller.token })).status).toBe(403)
    expect((await end(id, 'release', { because: 'x' })).status).toBe(400)
  })
})

it('shows the merchant in a trace why the payment was not credited', async () => {
  const { seller, id } = await openHeld()
  const { txHash: hash } = await depositRecords.one(api.shop.db, { id }, 'txHash')
  const { body } = await seller.call('GET', `/trace/${hash}`)
  expect(body.verdict).toMatchObject({ code: 'quarantined' })
})
