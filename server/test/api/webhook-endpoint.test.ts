import { describe, expect, it } from 'vitest'
import { webhookSecretContext } from '../../src/merchants/webhook-endpoint.ts'
import { useDatabase } from '../support/database.ts'
import { auditRecords } from '../support/people/records.ts'
import { fromNow, moved, now } from '../support/records/values.ts'
import { endpointRecords } from '../support/webhooks/records.ts'
import { publicUrl, sealer, startApi, useApi } from './api.ts'

const database = useDatabase()
const api = useApi(database)
const secret = 'a secret of at least 32 characters'
const url = 'https://shop.example/hook?x=1'

async function merchantOf() {
  const { token } = await api.register()
  return { token, id: await api.makeMerchant(token) }
}

interface Row {
  readonly sealedSecret: Buffer
  readonly token: string
  readonly disabledAt: Date | null
}

function endpointRow(id: string): Promise<Row | undefined> {
  return endpointRecords.first(database.db, { merchantId: id })
}

describe('POST /weebhook/{merchantID}', () => {
  it('answers the token that names this version, and GET shows url and time, never the secret', async () => {
    const { token, id } = await merchantOf()
    const set = await api.call('POST', `/weebhook/${id}`, { token, json: { url, secret } })
    expect(set.status).toBe(200)
    expect(set.body).toEqual({ token: expect.stringMatching(/^wh_[0-9a-f]{32}$/) })
    const got = await api.call('GET', `/weebhook/${id}`, { token })
    expect(got.body).toEqual({
      url,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: got.body.createdAt,
      formerSecretValidUntil: null,
      restUntil: null,
      state: 'active',
      failingSince: null,
      disabledAt: null,
      disabledReason: null,
    })
    expect((await api.call('GET', `/merchants/${id}`, { token })).body.settings.webhookUrl).toBe(url)
  })

  it('encrypts the secret for this merchant alone', async () => {
    const { token, id } = await merchantOf()
    await api.call('POST', `/weebhook/${id}`, { token, json: { url, secret } })
    const sealed = (await endpointRow(id))?.sealedSecret ?? Buffer.alloc(0)
    expect(sealed.includes(secret)).toBe(false)
    expect(sealer.open(sealed, webhookSecretContext(id)).reveal()).toBe(secret)
    expect(() => sealer.open(sealed, webhookSecretContext('other'))).toThrow()
  })

  it('replaces url, time and token, and enables the webhook again', async () => {
    const { token, id } = await merchantOf()
    const first = await api.call('POST', `/weebhook/${id}`, { token, json: { url, secret } })
    await endpointRecords.change(
      database.db,
      { merchantId: id },
      {
        disabledAt: now,
        disabledReason: 'failing',
        failingSince: now,
        failures: 3,
        lastFailureAt: now,
        restUntil: fromNow('1 hour'),
        createdAt: fromNow('-1 hour'),
      },
    )
    expect((await api.call('GET', `/weebhook/${id}`, { token })).body).toMatchObject({
      restUntil: expect.stringMatching(/Z$/),
      state: 'disabled',
      failingSince: expect.stringMatching(/Z$/),
      disabledAt: expect.stringMatching(/Z$/),
      disabledReason: 'failing',
    })
    const next = 'https://other.example/'
    const second = await api.call('POST', `/weebhook/${id}`, { token, json: { url: next, secret } })
    expect(second.body.token).not.toBe(first.body.token)
    expect(await endpointRow(id)).toMatchObject({ token: second.body.token, disabledAt: null })
    const got = await api.call('GET', `/weebhook/${id}`, { token })
    expect(got.body).toMatchObject({
      url: next,
      restUntil: null,
      state: 'active',
      failingSince: null,
      disabledAt: null,
      disabledReason: null,
    })
    expect(Date.now() - Date.parse(got.body.createdAt)).toBeLessThan(60_000)
  })

  it('Q8 shows in updatedAt when it was last created or updated', async () => {
    const { token, id } = await merchantOf()
    const shown = async () => (await api.call('GET', `/weebhook/${id}`, { token })).body
    await api.call('POST', `/weebhook/${id}`, { token, json: { url, secret } })
    await endpointRecords.change(database.db, { merchantId: id }, { createdAt: moved('-1 hour') })
    const before = await shown()
    expect(before.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(before.updatedAt).toBe(before.createdAt)
    await api.call('POST', `/weebhook/${id}`, { token, json: { url: 'https://other.example/', secret } })
    const after = await shown()
    expect(Date.parse(after.updatedAt) - Date.parse(before.updatedAt)).toBeGreaterThanOrEqual(3_600_000)
    expect(after.updatedAt).toBe(after.createdAt)
  })

  it('shows until when the former secret is valid, 24 hours by default, and encrypts it like the current one', async () => {
    const { token, id } = await merchantOf()
    const set = (json: object) => api.call('POST', `/weebhook/${id}`, { token, json: { url, ...json } })
    const validUntil = async () =>
      (await api.call('GET', `/weebhook/${id}`, { token })).body.formerSecretValidUntil
    await set({ secret })
    const next = 'another secret of at least 32 characters'
    await set({ secret: next })
    const until = await validUntil()
    expect(Math.abs(Date.parse(until) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000)
    const row = await endpointRecords.first(
      database.db,
      { merchantId: id },
      'formerSealedSecret',
      'sealedSecret',
    )
    const opened = [row?.sealedSecret, row?.formerSealedSecret].map((sealed) =>
      sealer.open(sealed ?? Buffer.alloc(0), webhookSecretContext(id)).reveal(),
    )
    expect(opened).toEqual([next, secret])
    await set({ secret: next, revokeFormerSecret: null })
    expect(await validUntil()).toBe(until)
    await set({ secret: next, revokeFormerSecret: true })
    expect(await validUntil()).toBeNull()
  })

  it.each([
    [{ url, secret, revokeFormerSecret: 'true' }, '/revokeFormerSecret'],
    [{ url, secret: 'x'.repeat(31) }, '/secret'],
    [{ url, secret: 'x'.repeat(513) }, '/secret'],
    [{ url }, '/secret'],
    [{ secret }, '/url'],
    [{ url: 'nonsense', secret }, '/url'],
    [{ url: 'http://shop.example/', secret }, '/url'],
    [{ url: 'https://user:pw@shop.example/', secret }, '/url'],
    [{ url: 'https://127.0.0.1/', secret }, '/url'],
    [{ url: 'https://169.254.169.254/', secret }, '/url'],
    [{ url: `${publicUrl}/merchants`, secret }, '/url'],
    [{ url: `https://shop.example/${'a'.repeat(2000)}`, secret }, '/url'],
    [{ url, secret, events: [] }, '/events'],
  ])('answers 400 for %o and names the field', async (json, pointer) => {
    const { token, id } = await merchantOf()
    const answer = await api.call('POST', `/weebhook/${id}`, { token, json })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].pointer).toBe(pointer)
    expect(answer.text).not.toContain(secret)
  })

  it.each([
    'http://shop.example/',
    'ftp://shop.example/',
    'ws://shop.example/',
    'https://user:pw@shop.example/',
    ...[22, 25, 80, 3000, 5433, 6379, 8545].flatMap((port) => [
      `https://shop.example:${port}/`,
      `https://1.1.1.1:${port}/`,
    ]),
    'file:///etc/passwd',
    'gopher://shop.example/',
    'https://user@shop.example/',
    'https://@shop.example:22/',
  ])('F18 answers 400 for %s, naming the url', async (to) => {
    const { token, id } = await merchantOf()
    const { status, body } = await api.call('POST', `/weebhook/${id}`, { token, json: { url: to, secret } })
    expect([status, body.errors[0].pointer, await endpointRow(id)]).toEqual([400, '/url', undefined])
  })

  // The size limit of bodies (413) is checked before the content, so a secret of 1 MB is not refused as one
  // of too many characters.
  it('F19 answers 400 for a secret of fewer than 32 or more than 512 characters, and 413 for one of 1 MB', async () => {
    const { token, id } = await merchantOf()
    const set = async (characters: number) => {
      const json = { url, secret: 'x'.repeat(characters) }
      return (await api.call('POST', `/weebhook/${id}`, { token, json })).status
    }
    const answered = [await set(0), await set(31), await set(513), await set(60_000), await set(1024 * 1024)]
    expect(answered).toEqual([400, 400, 400, 400, 413])
    expect(await endpointRow(id)).toBeUndefined()
    expect([await set(32), await set(512)]).toEqual([200, 200])
  })

  it('accepts http and private addresses if the settings allow them', async () => {
    const { token, id } = await merchantOf()
    const open = await startApi(database.db, { allowHttp: true, allowPrivate: true })
    const set = (to: string) => open.call('POST', `/weebhook/${id}`, { token, json: { url: to, secret } })
    expect((await set('http://127.0.0.1:4000/hook')).status).toBe(200)
    expect((await set('http://169.254.169.254/')).status).toBe(400)
    await open.close()
  })
})

describe('GET and DELETE /weebhook/{merchantID}', () => {
  it('answer 404 and 204 when there is none', async () => {
    const { token, id } = await merchantOf()
    expect((await api.call('GET', `/weebhook/${id}`, { token })).status).toBe(404)
    expect((await api.call('DELETE', `/weebhook/${id}`, { token })).status).toBe(204)
    await api.call('POST', `/weebhook/${id}`, { token, json: { url, secret } })
    const deleted = await api.call('DELETE', `/weebhook/${id}`, { token })
    expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' })
    expect((await api.call('GET', `/weebhook/${id}`, { token })).status).toBe(404)
    expect((await api.call('GET', `/merchants/${id}`, { token })).body.settings.webhookUrl).toBeNull()
    const audited = await auditRecords.all(database.db, { merchantId: id }, 'action', 'details')
    expect(audited).toEqual([
      { action: 'webhook.set', details: { origin: 'https://shop.example' } },
      { action: 'webhook.deleted', details: {} },
    ])
  })
})
