/** Tests the fees and limits that operators set through the /operator routes. */
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { useDatabase } from '../support/database.ts'
import { accountRecords, auditRecords } from '../support/people/records.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database, { isFollowed: false })

let operator = { token: '', accountId: '' }
beforeAll(async () => {
  const { token } = await api.register()
  const accountId = String(decodeJwt(token).sub)
  await accountRecords.change(database.owner, { id: accountId }, { isOperator: true })
  operator = { token, accountId }
})

const call = (method: string, path: string, json?: unknown) =>
  api.call(method, `/operator/${path}`, { token: operator.token, ...(json !== undefined && { json }) })
const pointerOf = async (answer: ReturnType<typeof call>) => {
  const { status, body } = await answer
  return [status, body.errors?.[0]?.pointer]
}

describe('/operator/fees and /operator/limits', () => {
  it.each(['fees', 'limits'])(
    'are closed to everybody but operators, before the request is read: %s',
    async (what) => {
      const { token, key } = await api.openSeller()
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const statusFor = async (options: object) =>
          (await api.call(method, `/operator/${what}?junk=1`, options)).status
        expect([await statusFor({}), await statusFor({ key }), await statusFor({ token })]).toEqual([
          401, 403, 403,
        ])
        expect(await statusFor({ token: operator.token })).toBe(400)
      }
    },
  )
})

describe('an operator’s fee', () => {
  const feeOf = async ({ call: ask }: Seller, query: string) => (await ask('GET', `/fees?${query}`)).body

  it('applies to its merchant at once, is listed and audited, and can be removed', async () => {
    const seller = await api.openSeller()
    const target = { type: 'collect', merchantID: seller.merchantId, paymentMethodID: 1 }
    const set = await call('PUT', 'fees', { ...target, percent: '0.75', flat: '0.25' })
    expect(set.status).toBe(200)
    const shown = { ...target, merchantName: 'Shop' }
    expect(set.body).toEqual({ ...shown, percent: '0.75', flat: '0.25', currency: 'USDT' })
    expect(await feeOf(seller, 'type=collect&paymentMethodID=1')).toMatchObject({
      percent: '0.75',
      flat: '0.25',
    })
    expect(await feeOf(seller, 'type=onetime&paymentMethodID=1')).toMatchObject({ percent: '1' })
    const again = await call('PUT', 'fees', { ...target, percent: '2', flat: '0.5', currency: 'USD' })
    expect(again.body).toMatchObject({ percent: '2', flat: '0.5', currency: 'USD' })
    const listed = await call('GET', `fees?merchantID=${seller.merchantId}`)
    expect(listed.body).toEqual({ data: [again.body], total: 1, page: 1, limit: 20 })
    const query = `fees?type=collect&merchantID=${seller.merchantId}&paymentMethodID=1`
    expect((await call('DELETE', query)).status).toBe(204)
    expect((await call('DELETE', query)).status).toBe(204)
    expect(await feeOf(seller, 'type=collect&paymentMethodID=1')).toMatchObject({ percent: '1', flat: '0.1' })
    expect(await auditOf(seller)).toEqual([
      ['fee.set', operator.accountId, '0.75'],
      ['fee.set', operator.accountId, '2'],
      ['fee.unset', operator.accountId, undefined],
    ])
  })

  it("for all merchants in one method gives way to a merchant's own fee", async () => {
    const special = await api.openSeller()
    const plain = await api.openSeller()
    await call('PUT', 'fees', { type: 'reusable', paymentMethodID: 2, percent: '3' })
    await call('PUT', 'fees', { type: 'reusable', merchantID: special.merchantId, percent: '0.5' })
    const percentOf = async (seller: Seller) =>
      (await feeOf(seller, 'type=reusable&paymentMethodID=2')).percent
    expect([await percentOf(special), await percentOf(plain)]).toEqual(['0.5', '3'])
  })

  it.each([
    [{ percent: '1' }, '/type'],
    [{ type: 'onetime' }, '/percent'],
    [{ type: 'onetime', percent: '100.01' }, '/percent'],
    [{ type: 'onetime', percent: '1.234' }, '/percent'],
    [{ type: 'onetime', percent: '-1' }, '/percent'],
    [{ type: 'onetime', percent: '1', merchantID: newId() }, '/merchantID'],
    [{ type: 'onetime', percent: '1', merchantID: 'shop' }, '/merchantID'],
    [{ type: 'onetime', percent: '1', paymentMethodID: 99 }, '/paymentMethodID'],
    [{ type: 'onetime', percent: '1', flat: '1', currency: 'USDT' }, '/currency'],
    [{ type: 'onetime', percent: '1', flat: '1', paymentMethodID: 1, currency: 'ETH' }, '/currency'],
    [{ type: 'onetime', percent: '1', flat: '0.1234567', paymentMethodID: 1 }, '/flat'],
    [{ type: 'onetime', percent: '1', flat: '0.123456789' }, '/flat'],
    [{ type: 'withdrawal', percent: '1', flat: '1' }, '/flat'],
    [{ type: 'withdrawal', percent: '1', flat: '1', paymentMethodID: 1, currency: 'USD' }, '/flat'],
    [{ type: 'onetime', percent: '1', fee: '1' }, '/fee'],
  ])('is refused as %j, naming the field', async (json, pointer) => {
    expect(await pointerOf(call('PUT', 'fees', json))).toEqual([400, pointer])
  })
})

describe('an operator’s limit', () => {
  const limitsOf = async ({ merchantId, token }: Seller) =>
    (await api.call('GET', `/merchants/${merchantId}/limits`, { token })).body

  it('applies to its merchant at once, each figure on its own, and can be removed', async () => {
    const seller = await api.openSeller()
    const { merchantId } = seller
    expect(
      (await call('PUT', 'limits', { merchantID: merchantId, minCollect: '5', minWithdraw: '7' })).status,
    ).toBe(204)
    await call('PUT', 'limits', { merchantID: merchantId, minCollect: '6' })
    await call('PUT', 'limits', { merchantID: merchantId, paymentMethodID: 3, minWithdraw: '0.1' })
    expect(await limitsOf(seller)).toMatchObject({
      minCollect: '6',
      minWithdraw: '7',
      methods: [{ minWithdraw: '7' }, {}, { minCollect: '0.0024', minWithdraw: '0.1' }],
    })
    const listed = await call('GET', `limits?merchantID=${merchantId}`)
    const shared = { merchantID: merchantId, merchantName: 'Shop' }
    expect(listed.body).toMatchObject({
      total: 2,
      data: [
        { ...shared, paymentMethodID: null, minCollect: '6', minWithdraw: '7', currency: 'USD' },
        { ...shared, paymentMethodID: 3, minCollect: null, minWithdraw: '0.1', currency: 'ETH' },
      ],
    })
    for (const query of [`merchantID=${merchantId}`, `merchantID=${merchantId}&paymentMethodID=3`]) {
      expect((await call('DELETE', `limits?${query}`)).status).toBe(204)
    }
    expect(await limitsOf(seller)).toMatchObject({ minCollect: '1', minWithdraw: '1' })
    const actions = (await auditOf(seller)).map(([action]) => action)
    expect(actions).toEqual([...Array(4).fill('limit.set'), ...Array(3).fill('limit.unset')])
  })

  it.each([
    [{}, '/minCollect'],
    [{ minCollect: '-1' }, '/minCollect'],
    [{ minCollect: null, minWithdraw: '1.123456789' }, '/minWithdraw'],
    [{ minWithdraw: '0.1234567', paymentMethodID: 1 }, '/minWithdraw'],
    [{ minWithdraw: '1', paymentMethodID: 99 }, '/paymentMethodID'],
    [{ minWithdraw: '1', merchantID: newId() }, '/merchantID'],
    [{ minWithdraw: '1', currency: 'USD' }, '/currency'],
  ])('is refused as %j, naming the field', async (json, pointer) => {
    expect(await pointerOf(call('PUT', 'limits', json))).toEqual([400, pointer])
  })
})

async function auditOf({ merchantId }: Seller) {
  const rows = await auditRecords.all(database.db, { merchantId }, 'action', 'accountId', 'details')
  return rows
    .filter(({ action }) => /^(fee|limit)\./.test(action))
    .map(({ action, accountId, details }) => {
      const { after } = details as { after?: { percent?: string } }
      return [action, accountId, after?.percent]
    })
}
