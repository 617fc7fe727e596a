import { describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { balancesIn, expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { withdrawalRecords } from '../support/outgoing/records.ts'
import { invoiceRecords, rateRecords } from '../support/payments/records.ts'
import { idempotencyRecords } from '../support/people/records.ts'
import { containing, fromNow, moved, now } from '../support/records/values.ts'
import { sendWithdrawals } from '../support/sent-withdrawals.ts'
import { settleWithdrawals } from '../support/settled-withdrawals.ts'
import { eventRecords } from '../support/webhooks/records.ts'
import type { Answer } from './api.ts'
import { logInBrowser } from './browser.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const outside = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const elsewhere = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'

interface OpenClaim {
  readonly invoiceId: string
  readonly token: string
}

async function openClaim(seller: Seller, over = {}): Promise<OpenClaim> {
  const json = { amount: '20', type: 'withdraw', paymentMethodID: 1, ...over }
  const { body } = await seller.call('POST', '/invoices', { json })
  return { invoiceId: body.id, token: new URL(body.claimURL).hash.replace('#claim=', '') }
}

function claim({ invoiceId, token }: OpenClaim, address = outside): Promise<Answer> {
  return api.call('POST', `/public/invoices/${invoiceId}/claim`, { json: { token, address } })
}

const problemOf = ({ status, body }: Answer) => [status, body.code]
const stateOf = async (seller: Seller, { invoiceId }: OpenClaim) =>
  (await seller.call('GET', '/invoices')).body.data.find(({ id }: { id: string }) => id === invoiceId)?.state

async function settle(seller: Seller, id: string, outcome: 'completed' | 'failed'): Promise<void> {
  await sendWithdrawals(api.shop, [id], () => '0xpaid')
  await inTransaction(database.db, (tx) => settleWithdrawals(api.shop.methods, tx, [id], outcome))
  await expectSoundBooks(api.shop)
  expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ held: 0n })
}

describe('the merchant’s view of a claim', () => {
  const linkOf = (seller: Seller, { invoiceId }: OpenClaim) =>
    seller.call('POST', `/invoices/${invoiceId}/claim-link`)
  const payoutOf = async (seller: Seller, { invoiceId }: OpenClaim) =>
    (await seller.call('GET', `/invoices/${invoiceId}/payout`)).body.withdrawal

  it('shows the link again, with the same token, until the claim is paid out', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    const { status, body } = await linkOf(seller, open)
    expect(status).toBe(200)
    expect(new URL(body.claimURL).hash).toBe(`#claim=${open.token}`)
    const claimed = await claim(open)
    await settle(seller, claimed.body.id, 'completed')
    expect(problemOf(await linkOf(seller, open))).toEqual([409, 'invoice-not-payable'])
  })

  it('shows the link to no viewer, no other merchant, and no cookie without a proof', async () => {
    const seller = await api.openSeller()
    const other = await api.openSeller()
    const open = await openClaim(seller)
    expect((await linkOf(other, open)).status).toBe(404)
    const path = `/merchants/${seller.merchantId}/invoices/${open.invoiceId}/claim-link`
    const member = { email: other.email, role: 'viewer' }
    await api.call('POST', `/merchants/${seller.merchantId}/members`, { token: seller.token, json: member })
    expect((await api.call('POST', path, { token: other.token })).status).toBe(403)
    const browser = await logInBrowser(api, seller)
    expect(problemOf(await browser.call('POST', path))).toEqual([403, 'proof-required'])
    expect((await browser.callProven('POST', path)).status).toBe(200)
    expect((await seller.call('POST', `/invoices/${await seller.createInvoice()}/claim-link`)).status).toBe(
      404,
    )
  })

  it('names the withdrawal that pays the claim; it names none before, and none after a failure', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    expect(await payoutOf(seller, open)).toBe(null)
    const { body } = await claim(open)
    const { id, address, net, state, invoiceID } = await payoutOf(seller, open)
    expect({ id, address, net, state, invoiceID }).toEqual({
      id: body.id,
      address: outside,
      net: '20',
      state: 'pending',
      invoiceID: open.invoiceId,
    })
    await settle(seller, id, 'failed')
    expect(await payoutOf(seller, open)).toBe(null)
    const other = await api.openSeller()
    expect((await other.call('GET', `/invoices/${open.invoiceId}/payout`)).status).toBe(404)
  })
})

describe('POST claim', () => {
  it('pays the whole amount to the payee, and holds the amount and the fee on top', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    const { status, body } = await claim(open)
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.any(String),
        address: outside,
        amount: '20',
        paymentMethodID: 1,
        symbol: 'USDT',
        state: 'pending',
        createdAt: expect.any(String),
        txHash: null,
      },
    })
    const listed = (await seller.call('GET', '/withdrawals/pending')).body
    expect(listed).toMatchObject([
      { id: body.id, amount: '20.3', fee: '0.3', net: '20', invoiceID: open.invoiceId },
    ])
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({
      available: 78_600_000n,
      held: 20_300_000n,
    })
    await expectSoundBooks(api.shop)
  })

  it('pays a claim only once, even if somebody with write access to the database opens it again', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    const { body } = await claim(open)
    await settle(seller, body.id, 'completed')
    await withdrawalRecords.change(database.db, { id: body.id }, { invoiceId: null })
    await invoiceRecords.change(
      database.db,
      { id: open.invoiceId },
      { claimedAt: null, state: 'pending', paidAt: null, paidPeriods: 0 },
    )
    expect((await claim(open, elsewhere)).status).toBe(500)
    expect(await balancesIn(api.shop, seller.merchantId)).toMatchObject({ available: 78_600_000n, held: 0n })
    await withdrawalRecords.change(database.db, { id: body.id }, { invoiceId: open.invoiceId })
    await invoiceRecords.change(
      database.db,
      { id: open.invoiceId },
      { claimedAt: now, state: 'paid', paidAt: now, paidPeriods: 1 },
    )
  })

  it('uses the current price', async () => {
    const seller = await api.openSeller()
    const { address } = await api.shop.addressFor(await seller.createInvoice({ paymentMethodID: 3 }), 3)
    await api.blocks.mine([api.blocks.pay(address, 10n ** 18n, 3)])
    await api.blocks.mine()
    const open = await openClaim(seller, { paymentMethodID: 3 })
    const { body } = await claim(open)
    const prices = await rateRecords.all(api.shop.db, { symbol: 'ETH' }, 'price')
    const { price } = required(prices.at(-1), 'a price')
    // 20 USD at a price in 10^-12 USD per ETH, rounded up to 6 places.
    const micros = (20n * 10n ** 18n + BigInt(price) - 1n) / BigInt(price)
    expect(body.amount).toBe(`0.${micros.toString().padStart(6, '0').replace(/0+$/, '')}`)
    await expectSoundBooks(api.shop)
  })

  it('answers a wrong token like a missing invoice, whatever else the request contains', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    const plain = await seller.createInvoice()
    const missing = await claim({ ...open, invoiceId: newId() }, 'nonsense')
    for (const wrong of [
      { ...open, token: 'x' },
      { invoiceId: plain, token: open.token },
    ]) {
      for (const address of [outside, 'nonsense']) {
        const answer = await claim(wrong, address)
        expect({ ...answer.body, requestID: '' }).toEqual({ ...missing.body, requestID: '' })
        expect(answer.status).toBe(404)
      }
    }
    expect((await api.call('POST', `/public/invoices/${open.invoiceId}/claim`, { json: {} })).status).toBe(
      400,
    )
  })

  it('stores nothing for anonymous callers: a wrong token with an Idempotency-Key leaves no row', async () => {
    const { invoiceId } = await openClaim(await api.openFunded())
    for (const id of [invoiceId, newId()]) {
      const headers = { 'idempotency-key': newId() }
      const json = { token: 'x', address: outside }
      const answer = await api.call('POST', `/public/invoices/${id}/claim`, { json, headers })
      expect(answer.status).toBe(404)
      const kept = await idempotencyRecords.all(database.db, { scopeId: id })
      expect(kept).toHaveLength(0)
    }
  })

  it('E28 answers the same withdrawal to a repeat with the same address, and 409 to one with another', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    const first = await claim(open)
    expect((await claim(open, outside.toLowerCase())).body).toEqual(first.body)
    expect(problemOf(await claim(open, elsewhere))).toEqual([409, 'invoice-not-payable'])
    expect((await seller.call('GET', '/withdrawals')).body.total).toBe(1)
  })

  it('pays one of 20 payees that claim at once with different addresses', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    const addresses = Array.from({ length: 20 }, (_, index) => `0x${(index + 16).toString(16).repeat(20)}`)
    const answers = await Promise.all(addresses.map((address) => claim(open, address)))
    // 0x11.. and 0x22.. are refused, because they are the contracts of the test tokens.
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.every(({ status }) => [201, 409, 422].includes(status))).toBe(true)
    expect((await seller.call('GET', '/withdrawals')).body.total).toBe(1)
    await expectSoundBooks(api.shop)
  })

  it("stays open if the merchant's balance is too low, and hides that balance from the payee", async () => {
    const seller = await api.openSeller()
    const open = await openClaim(seller)
    const { status, body } = await claim(open)
    expect([status, body.code]).toEqual([422, 'insufficient-balance'])
    expect(body.detail).not.toMatch(/\d/)
    await api.fund(seller)
    expect((await claim(open)).status).toBe(201)
  })

  it('stays open after an invalid address or without a price', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    expect(problemOf(await claim(open, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'))).toEqual([
      422,
      'invalid-address',
    ])
    await rateRecords.change(database.db, { symbol: 'USDT' }, { takenAt: moved('-1 hour') })
    const unpriced = await claim(open)
    await rateRecords.change(database.db, { symbol: 'USDT' }, { takenAt: moved('1 hour') })
    expect(problemOf(unpriced)).toEqual([503, 'rate-unavailable'])
    expect(unpriced.headers.get('retry-after')).toBe('10')
    expect((await claim(open)).status).toBe(201)
  })

  it('ends with the invoice', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    await invoiceRecords.change(
      database.db,
      { id: open.invoiceId },
      { createdAt: moved('-8 days'), expiresAt: fromNow('-1 second') },
    )
    expect(problemOf(await claim(open))).toEqual([409, 'invoice-not-payable'])
    expect((await seller.call('GET', '/withdrawals')).body.total).toBe(0)
  })
})

describe('the withdrawal of a claim', () => {
  it('pays the invoice when it completes', async () => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    const { body } = await claim(open)
    await settle(seller, body.id, 'completed')
    expect(await stateOf(seller, open)).toBe('paid')
    const about = { merchantId: seller.merchantId, body: containing(open.invoiceId) }
    const events = await eventRecords.all(database.db, about, 'type')
    expect(events.map(({ type }) => type)).toEqual([
      'withdrawal.broadcast',
      'withdrawal.completed',
      'invoice.paid',
    ])
    expect((await claim(open)).body).toMatchObject({ id: body.id, state: 'completed', txHash: '0xpaid' })
    expect(problemOf(await claim(open, elsewhere))).toEqual([409, 'invoice-not-payable'])
  })

  it.each(['failed', 'cancelled'])('that is %s opens the claim again', async (outcome) => {
    const seller = await api.openFunded()
    const open = await openClaim(seller)
    const { body } = await claim(open)
    if (outcome === 'failed') await settle(seller, body.id, 'failed')
    else expect((await seller.call('DELETE', `/withdrawals/${body.id}`)).status).toBe(204)
    const again = await claim(open, elsewhere)
    expect(again).toMatchObject({ status: 201, body: { address: elsewhere } })
    expect(again.body.id).not.toBe(body.id)
    await settle(seller, again.body.id, 'completed')
    expect(await stateOf(seller, open)).toBe('paid')
  })
})
