/** Tests Idempotency-Key through the API: what a client can rely on when an answer is lost. */
import { describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { idempotencyRecords } from '../support/people/records.ts'
import { now } from '../support/records/values.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const invoice = { amount: '12.50', type: 'onetime', paymentMethodID: 1 }

describe('Idempotency-Key', () => {
  it('M15 creates one invoice for many equal requests at once', async () => {
    const seller = await api.openSeller()
    const options = { json: invoice, headers: { 'idempotency-key': 'order-1' } }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => seller.call('POST', '/invoices', options)),
    )
    const listed = await seller.call('GET', '/invoices')
    expect(listed.body.total).toBe(1)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 201, body: { id: listed.body.data[0].id } })
  })

  it('refuses a different invoice under a used key, and accepts it under a new key', async () => {
    const seller = await api.openSeller()
    const call = (key: string, amount: string) =>
      seller.call('POST', '/invoices', { json: { ...invoice, amount }, headers: { 'idempotency-key': key } })
    const answers = [await call('a', '1'), await call('a', '2'), await call('b', '2')]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [201, undefined],
      [409, 'idempotency-conflict'],
      [201, undefined],
    ])
  })

  it('keeps keys of different merchants apart', async () => {
    const sellers = [await api.openSeller(), await api.openSeller()]
    const options = { json: invoice, headers: { 'idempotency-key': 'same' } }
    const answers = await Promise.all(sellers.map((seller) => seller.call('POST', '/invoices', options)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(answers[0]?.body.id).not.toBe(answers[1]?.body.id)
  })

  it('M15 creates one merchant of an account', async () => {
    const { token } = await api.register()
    const options = { token, json: { name: 'Shop' }, headers: { 'idempotency-key': 'first-shop' } }
    const answers = await Promise.all([1, 2, 3].map(() => api.call('POST', '/merchants', options)))
    const listed = await api.call('GET', '/merchants', { token })
    expect(listed.body.map(({ id }: { id: string }) => id)).toEqual([answers[0]?.body.id])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  it('M15 orders one withdrawal, also when the repeat comes after the money was spent', async () => {
    const seller = await api.openFunded()
    const json = { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', amount: '90', paymentMethodID: 1 }
    const options = { json, headers: { 'idempotency-key': 'payout-1' } }
    const answers = [
      ...(await Promise.all([1, 2, 3, 4].map(() => seller.call('POST', '/withdrawals', options)))),
      await seller.call('POST', '/withdrawals', options),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await seller.call('GET', '/withdrawals')).body.total).toBe(1)
  })

  it('M15 orders one withdrawal when its first answer was never stored', async () => {
    const seller = await api.openFunded()
    const json = { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', amount: '90', paymentMethodID: 1 }
    const options = { json, headers: { 'idempotency-key': 'payout-2' } }
    const first = await seller.call('POST', '/withdrawals', options)
    await idempotencyRecords.change(
      database.db,
      { key: 'payout-2' },
      { status: null, sealedAnswer: null, claimedUntil: now },
    )
    const again = await seller.call('POST', '/withdrawals', options)
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } })
    expect((await seller.call('GET', '/withdrawals')).body.total).toBe(1)
  })
})
