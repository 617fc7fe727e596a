import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { makeOperator } from '../support/appoint.ts'
import { expectSoundBooks } from '../support/books.ts'
import { useDatabase } from '../support/database.ts'
import { withdrawalRecords } from '../support/outgoing/records.ts'
import { auditRecords } from '../support/people/records.ts'
import { present } from '../support/records/values.ts'
import { openApprovals, settleBooks } from '../withdrawals/approvals.ts'
import type { CallOptions } from './api.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const outside = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
let operator: CallOptions
let otherOperator: CallOptions

beforeAll(async () => {
  operator = await openOperator()
  otherOperator = await openOperator()
})

async function openOperator(): Promise<CallOptions> {
  const { email } = await api.register()
  await makeOperator(database.db, email)
  const login = { email, password: 'correct horse battery staple' }
  return { token: (await api.call('POST', '/auth/login', { json: login })).body.token }
}

/** Orders a withdrawal of 50 USDT, above an approval threshold of 10 USD. */
async function openWaiting(): Promise<{ seller: Seller; id: string; approve(): Promise<void> }> {
  const seller = await api.openFunded()
  const json = { address: outside, amount: '50', paymentMethodID: 1 }
  const { body } = await seller.call('POST', '/withdrawals', { json })
  await settleBooks(api.shop)
  const { approve } = await openApprovals(api.shop, { approvalAboveUsd: 10n * 10n ** 8n })
  await approve()
  return { seller, id: body.id, approve }
}

const decide = (id: string, verb: string, by: CallOptions, json: object = {}) =>
  api.call('POST', `/operator/approvals/${id}/${verb}`, { ...by, json })

describe('an operator', () => {
  it('sees withdrawals that wait for approval with their value, and of several approvals at once one succeeds', async () => {
    const { seller, id, approve } = await openWaiting()
    expect((await seller.call('GET', `/withdrawals/${id}`)).body).toMatchObject({
      stage: 'queued',
      waitsFor: 'operator',
    })
    const { body } = await api.call('GET', '/operator/approvals?limit=1000', operator)
    const entry = body.data.find(({ withdrawal }: { withdrawal: { id: string } }) => withdrawal.id === id)
    expect(entry).toMatchObject({
      merchantID: seller.merchantId,
      merchantName: 'Shop',
      symbol: 'USDT',
      worthUSD: '50',
      isReleased: false,
      withdrawal: { id, address: outside, amount: '50', waitsFor: 'operator' },
    })
    const answers = await Promise.all([
      decide(id, 'approve', operator, { reason: 'called them' }),
      decide(id, 'approve', otherOperator),
    ])
    expect(answers.map(({ status, body: { isReleased } }) => [status, isReleased])).toEqual([
      [200, true],
      [200, true],
    ])
    await approve()
    expect((await seller.call('GET', `/withdrawals/${id}`)).body).toMatchObject({ stage: 'approved' })
    expect((await decide(id, 'approve', otherOperator)).status).toBe(200)
    const released = { subject: id, action: 'withdrawal.released' }
    expect(await auditRecords.count(database.db, released)).toBe(1)
    expect(await auditRecords.count(database.db, { ...released, accountId: present })).toBe(1)
  })

  it('rejects a withdrawal: it fails, its money returns to the balance, and the merchant sees the reason', async () => {
    const { seller, id } = await openWaiting()
    const reason = 'not yours'
    for (const by of [operator, otherOperator]) {
      const { status, body } = await decide(id, 'reject', by, { reason })
      expect([status, body.withdrawal.state]).toEqual([200, 'failed'])
    }
    expect((await seller.call('GET', `/withdrawals/${id}`)).body).toMatchObject({
      state: 'failed',
      stage: null,
      reason: 'operator',
      explanation: reason,
    })
    const { status, body } = await decide(id, 'approve', operator)
    expect([status, body.code]).toEqual([409, 'withdrawal-ended'])
    const { body: events } = await seller.call('GET', '/events')
    expect(events.data?.at(-1) ?? events.at(-1)).toMatchObject({
      type: 'withdrawal.failed',
      data: { withdrawalID: id, reason: 'operator', explanation: reason },
    })
    await expectSoundBooks(api.shop)
  })

  it('cannot reject a withdrawal that is already being sent, or one that does not exist', async () => {
    const { id } = await openWaiting()
    await withdrawalRecords.change(database.db, { id }, { stage: 'planned', waitsFor: null })
    const underWay = await decide(id, 'reject', operator, { reason: 'late' })
    expect([underWay.status, underWay.body.code]).toEqual([409, 'withdrawal-under-way'])
    for (const unknown of [newId(), 'nonsense']) {
      expect((await decide(unknown, 'reject', operator, { reason: 'x' })).status).toBe(404)
      expect((await decide(unknown, 'approve', operator)).status).toBe(404)
    }
    expect((await decide(id, 'reject', operator)).status).toBe(400)
  })

  it('is the only one who may approve or reject', async () => {
    const { seller, id } = await openWaiting()
    for (const by of [{ token: seller.token }, { key: seller.key }]) {
      expect((await decide(id, 'approve', by)).status).toBe(403)
      expect((await api.call('GET', '/operator/approvals', by)).status).toBe(403)
    }
    expect((await decide(id, 'approve', {})).status).toBe(401)
  })
})
