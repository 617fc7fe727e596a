import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { useDatabase } from '../support/database.ts'
import { accountRecords, auditRecords, memberRecords, merchantRecords } from '../support/people/records.ts'
import { now } from '../support/records/values.ts'
import { useApi } from './api.ts'

const database = useDatabase()
const api = useApi(database)

/** The merchant-scoped routes that this file tests. */
const scoped = [
  ['POST', '/key/generate/:id', 'bearer'],
  ['GET', '/key/info/:id', 'bearer'],
  ['DELETE', '/key/revoke/:id', 'bearer'],
  ['GET', '/merchants/:id', 'any'],
  ['PUT', '/merchants/:id', 'any'],
  ['POST', '/weebhook/:id', 'bearer'],
  ['GET', '/weebhook/:id', 'bearer'],
  ['DELETE', '/weebhook/:id', 'bearer'],
  ['GET', '/merchants/:id/members', 'bearer'],
  ['POST', '/merchants/:id/members', 'bearer'],
  ['PUT', `/merchants/:id/members/${newId()}`, 'bearer'],
  ['DELETE', `/merchants/:id/members/${newId()}`, 'bearer'],
  ['PUT', '/ipAddress/:id', 'bearer'],
  ['DELETE', '/ipAddress/:id', 'bearer'],
] as const

describe('access to a merchant', () => {
  it.each(scoped)(
    '%s %s answers 401, 403 and 404 in that order before it reads the request',
    async (method, path, auth) => {
      const alice = await api.register()
      const bob = await api.register()
      const own = await api.makeMerchant(alice.token)
      const foreign = await api.makeMerchant(bob.token)
      const deleted = await api.makeMerchant(alice.token)
      await merchantRecords.change(database.db, { id: deleted }, { deletedAt: now })
      const key = await api.makeKey(alice.token, own)
      const bad = method === 'GET' ? {} : { json: { nonsense: true } }
      const status = async (id: string, credential: object) =>
        (await api.call(method, path.replace(':id', id), { ...bad, ...credential })).status

      for (const id of [own, foreign, newId(), 'nonsense', '%zz', `${own}%00`]) {
        expect([id, await status(id, {})]).toEqual([id, 401])
        expect([id, await status(id, { token: 'bad' })]).toEqual([id, 401])
        expect([id, await status(id, { key: 'bad' })]).toEqual([id, 401])
        expect([id, await status(id, { token: 'bad', key })]).toEqual([id, 401])
      }
      for (const id of [foreign, newId(), deleted, 'nonsense', '%zz', 'a'.repeat(3000)]) {
        expect([id, await status(id, { key })]).toEqual([id, 403])
      }
      if (auth === 'bearer') expect(await status(own, { key })).toBe(403)
      expect(await status(foreign, { token: alice.token })).toBe(403)
      for (const id of [newId(), deleted, 'nonsense', '%zz', '%00', 'a'.repeat(3000)]) {
        expect([id, await status(id, { token: alice.token })]).toEqual([id, 404])
      }
      if (method !== 'GET') expect(await status(own, { token: alice.token })).toBe(400)
    },
  )

  it('answers unknown, deleted and malformed merchants alike', async () => {
    const { token } = await api.register()
    const answers = await Promise.all(
      [newId(), 'nonsense'].map((id) => api.call('GET', `/merchants/${id}`, { token })),
    )
    const [unknown, malformed] = answers.map(({ body }) => ({ ...body, requestID: '' }))
    expect(unknown).toEqual(malformed)
  })

  it('lets a viewer only read', async () => {
    const owner = await api.register()
    const viewer = await api.register()
    const id = await api.makeMerchant(owner.token)
    await memberRecords.add(database.db, {
      accountId: decodeJwt(viewer.token).sub,
      merchantId: id,
      role: 'viewer',
    })
    const { token } = viewer
    expect((await api.call('GET', `/merchants/${id}`, { token })).status).toBe(200)
    expect((await api.call('GET', `/key/info/${id}`, { token })).status).toBe(404)
    expect((await api.call('PUT', `/merchants/${id}`, { token, json: {} })).status).toBe(403)
    expect((await api.call('POST', `/key/generate/${id}`, { token })).status).toBe(403)
    expect((await api.call('DELETE', `/weebhook/${id}`, { token })).status).toBe(403)
  })

  it('is not granted to an operator as such', async () => {
    const owner = await api.register()
    const operator = await api.register()
    const id = await api.makeMerchant(owner.token)
    await accountRecords.change(database.db, { id: decodeJwt(operator.token).sub }, { isOperator: true })
    expect((await api.call('GET', `/merchants/${id}`, { token: operator.token })).status).toBe(403)
  })
})

describe('POST /merchants', () => {
  it('answers 201 with the id, and makes the caller the owner', async () => {
    const { token } = await api.register()
    const answer = await api.call('POST', '/merchants', {
      token,
      json: { name: 'Ünï & <b>Shop</b> 👩\u200d🚀 \u200fحانوت' },
    })
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.body)).toEqual(['id'])
    const got = await api.call('GET', `/merchants/${answer.body.id}`, { token })
    expect(got.body.name).toBe('Ünï & <b>Shop</b> 👩\u200d🚀 \u200fحانوت')
  })

  it('answers 403 to an API key and 401 to an anonymous caller', async () => {
    const { token } = await api.register()
    const key = await api.makeKey(token, await api.makeMerchant(token))
    expect((await api.call('POST', '/merchants', { key, json: { name: 'x' } })).status).toBe(403)
    expect((await api.call('POST', '/merchants', { json: { name: 'x' } })).status).toBe(401)
  })

  it.each([
    [{}, '/name'],
    [{ name: '' }, '/name'],
    [{ name: '   ' }, '/name'],
    [{ name: null }, '/name'],
    [{ name: 5 }, '/name'],
    [{ name: 'x'.repeat(201) }, '/name'],
    [{ name: '\u0000' }, '/name'],
    [{ name: 'Shop\nof Ada' }, '/name'],
    [{ name: 'Shop \u202egpj.exe' }, '/name'],
    [{ name: 'Shop \u2066of Ada' }, '/name'],
    [{ name: '\ud800' }, '/name'],
    [{ name: 'x', id: newId() }, '/id'],
    [{ name: 'x', balances: [] }, '/balances'],
  ])('answers 400 for %o and names the field', async (json, pointer) => {
    const { token } = await api.register()
    const answer = await api.call('POST', '/merchants', { token, json })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].pointer).toBe(pointer)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  })

  it('accepts a name of 200 characters of four bytes each', async () => {
    const { token } = await api.register()
    const name = '😀'.repeat(200)
    const id = await api.makeMerchant(token, name)
    expect((await api.call('GET', `/merchants/${id}`, { token })).body.name).toBe(name)
  })
})

describe('GET /merchants', () => {
  it('lists the caller’s merchants, newest first, with balances and by pages', async () => {
    const { token } = await api.register()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.unshift(await api.makeMerchant(token, name))
    const all = await api.call('GET', '/merchants', { token })
    const balances = [{ paymentMethodID: 1, balance: '0', symbol: 'USDT' }]
    expect(all.body).toEqual(ids.map((id, index) => ({ id, name: 'cba'[index], balances })))
    const second = await api.call('GET', '/merchants?limit=2&page=2', { token })
    expect(second.body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2))
    expect((await api.call('GET', '/merchants?page=1000000&limit=1000', { token })).body).toEqual([])
  })

  it('shows neither other accounts’ nor deleted merchants', async () => {
    const alice = await api.register()
    await api.makeMerchant((await api.register()).token)
    const deleted = await api.makeMerchant(alice.token)
    await merchantRecords.change(database.db, { id: deleted }, { deletedAt: now })
    expect((await api.call('GET', '/merchants', { token: alice.token })).body).toEqual([])
  })

  it('shows a key its own merchant only', async () => {
    const { token } = await api.register()
    await api.makeMerchant(token)
    const own = await api.makeMerchant(token)
    const key = await api.makeKey(token, own)
    const listed = await api.call('GET', '/merchants', { key })
    expect(listed.body.map(({ id }: { id: string }) => id)).toEqual([own])
    expect((await api.call('GET', '/merchants?page=2', { key })).body).toEqual([])
  })

  it.each(['limit=0', 'limit=1001', 'page=0', 'page=1.5', 'limit=99999999999999999999', 'orderBy=name'])(
    'answers 400 for %s',
    async (query) => {
      const { token } = await api.register()
      expect((await api.call('GET', `/merchants?${query}`, { token })).status).toBe(400)
    },
  )
})

describe('GET /merchants/{merchantID}', () => {
  it('returns id, name and settings, to a token and to the key, in any case of the id', async () => {
    const { token } = await api.register()
    const id = await api.makeMerchant(token)
    const key = await api.makeKey(token, id)
    const settings = {
      webhookUrl: null,
      ipWhitelist: [],
      paidWhen: 'included',
      tolerancePercent: '0',
      creditsWrongNetwork: false,
    }
    const expected = { id, name: 'Shop', settings }
    expect((await api.call('GET', `/merchants/${id}`, { token })).body).toEqual(expected)
    expect((await api.call('GET', `/merchants/${id.toUpperCase()}/`, { key })).body).toEqual(expected)
    const head = await api.call('HEAD', `/merchants/${id}`, { token })
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
  })

  it('refuses a key from an address outside the IP list, on every route', async () => {
    const { token } = await api.register()
    const id = await api.makeMerchant(token)
    const key = await api.makeKey(token, id)
    const allow = (list: string[]) => merchantRecords.change(database.db, { id }, { ipWhitelist: list })
    await allow(['192.0.2.1', '2001:db8::/32'])
    expect((await api.call('GET', `/merchants/${id}`, { key })).status).toBe(403)
    expect((await api.call('GET', '/merchants', { key })).status).toBe(403)
    const spoofed = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' }
    expect((await api.call('GET', `/merchants/${id}`, { key, headers: spoofed })).status).toBe(403)
    expect((await api.call('GET', `/merchants/${id}`, { token })).status).toBe(200)
    await allow(['127.0.0.0/8'])
    expect((await api.call('GET', `/merchants/${id}`, { key })).status).toBe(200)
  })
})

describe('PUT /merchants/{merchantID}', () => {
  it('renames with a token and with the key, and returns the id', async () => {
    const { token } = await api.register()
    const id = await api.makeMerchant(token)
    const key = await api.makeKey(token, id)
    const answer = await api.call('PUT', `/merchants/${id}`, { token, json: { name: 'B' } })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { id } })
    expect((await api.call('PUT', `/merchants/${id}`, { key, json: { name: 'C' } })).status).toBe(200)
    expect((await api.call('GET', `/merchants/${id}`, { token })).body.name).toBe('C')
  })

  it('accepts an empty change, and the body that GET returned', async () => {
    const { token } = await api.register()
    const id = await api.makeMerchant(token)
    const url = 'https://shop.example/hook'
    await api.call('POST', `/weebhook/${id}`, { token, json: { url, secret: 's'.repeat(32) } })
    expect((await api.call('PUT', `/merchants/${id}`, { token, json: {} })).status).toBe(200)
    expect((await api.call('PUT', `/merchants/${id}`, { token })).status).toBe(200)
    const got = await api.call('GET', `/merchants/${id}`, { token })
    expect(got.body.settings.webhookUrl).toBe(url)
    expect((await api.call('PUT', `/merchants/${id}`, { token, json: got.body })).status).toBe(200)
    const nulls = { name: null, settings: { paidWhen: null } }
    expect((await api.call('PUT', `/merchants/${id}`, { token, json: nulls })).status).toBe(200)
    expect((await api.call('GET', `/merchants/${id}`, { token })).body).toEqual(got.body)
  })

  it('changes settings with a token, audited, and never with a key', async () => {
    const { token } = await api.register()
    const id = await api.makeMerchant(token)
    const key = await api.makeKey(token, id)
    const settings = { paidWhen: 'confirmed', tolerancePercent: '0.5' }
    expect((await api.call('PUT', `/merchants/${id}`, { key, json: { name: 'X', settings } })).status).toBe(
      403,
    )
    expect((await api.call('GET', `/merchants/${id}`, { token })).body.name).toBe('Shop')
    expect((await api.call('PUT', `/merchants/${id}`, { token, json: { settings } })).status).toBe(200)
    expect((await api.call('GET', `/merchants/${id}`, { key })).body.settings).toMatchObject(settings)
    const audited = await auditRecords.all(
      database.db,
      { merchantId: id, action: 'merchant.settings_changed' },
      'accountId',
    )
    expect(audited).toEqual([{ accountId: decodeJwt(token).sub }])
  })

  it.each([{ tolerancePercent: '9' }, { webhookUrl: 'https://a.example/' }, { ipWhitelist: ['10.0.0.1'] }])(
    'answers 403 to a key that changes settings, before it checks what is wrong with %o',
    async (settings) => {
      const { token } = await api.register()
      const id = await api.makeMerchant(token)
      const key = await api.makeKey(token, id)
      expect((await api.call('PUT', `/merchants/${id}`, { key, json: { settings } })).status).toBe(403)
    },
  )

  it.each([
    [{ id: newId() }, '/id'],
    [{ ownerId: newId() }, '/ownerId'],
    [{ balances: [] }, '/balances'],
    [{ settings: { fees: {} } }, '/settings/fees'],
    [{ settings: { webhookUrl: 'https://a.example/' } }, '/settings/webhookUrl'],
    [{ settings: { ipWhitelist: ['10.0.0.1'] } }, '/settings/ipWhitelist'],
    [{ settings: { tolerancePercent: '1.01' } }, '/settings/tolerancePercent'],
    [{ settings: { tolerancePercent: '-1' } }, '/settings/tolerancePercent'],
    [{ settings: { paidWhen: 'never' } }, '/settings/paidWhen'],
    [{ name: '' }, '/name'],
  ])('G14 answers 400 for %o and names the field', async (json, pointer) => {
    const { token } = await api.register()
    const id = await api.makeMerchant(token)
    const answer = await api.call('PUT', `/merchants/${id}`, { token, json })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].pointer).toBe(pointer)
  })
})
