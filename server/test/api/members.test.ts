import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import type { Role } from '../../src/platform/http/auth.ts'
import { useDatabase } from '../support/database.ts'
import { accountRecords, auditRecords, memberRecords } from '../support/people/records.ts'
import { type Person, startApi, useApi } from './api.ts'

const database = useDatabase()
const api = useApi(database)

const idOf = ({ token }: Person) => decodeJwt(token).sub ?? ''

async function openMerchant() {
  const owner = await api.register()
  return { owner, path: `/merchants/${await api.makeMerchant(owner.token)}` }
}

async function addMember(path: string, by: Person, role: Role): Promise<Person> {
  const person = await api.register()
  const json = { email: person.email, role }
  const answer = await api.call('POST', `${path}/members`, { token: by.token, json })
  if (answer.status !== 201) throw new Error(answer.text)
  return person
}

describe('GET /merchants/{merchantID}/members', () => {
  it('lists the members of the merchant to each of them, with its creator first as owner', async () => {
    const { owner, path } = await openMerchant()
    const viewer = await addMember(path, owner, 'viewer')
    for (const { token } of [owner, viewer]) {
      const answer = await api.call('GET', `${path}/members`, { token })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual([
        { accountID: idOf(owner), email: owner.email, role: 'owner', createdAt: expect.stringMatching(/Z$/) },
        {
          accountID: idOf(viewer),
          email: viewer.email,
          role: 'viewer',
          createdAt: expect.stringMatching(/Z$/),
        },
      ])
    }
  })
})

describe('POST /merchants/{merchantID}/members', () => {
  it('gives an account its role at once, and shows the account the merchant in its list', async () => {
    const { owner, path } = await openMerchant()
    const admin = await api.register()
    expect((await api.call('GET', path, { token: admin.token })).status).toBe(403)
    const json = { email: ` ${admin.email.toUpperCase()} `, role: 'admin' }
    const added = await api.call('POST', `${path}/members`, { token: owner.token, json })
    expect(added).toMatchObject({
      status: 201,
      body: { accountID: idOf(admin), email: admin.email, role: 'admin' },
    })
    expect((await api.call('PUT', path, { token: admin.token, json: { name: 'B' } })).status).toBe(200)
    expect((await api.call('GET', '/merchants', { token: admin.token })).body).toHaveLength(1)
  })

  it('answers 409 for a member, 422 for an unknown email and 400 for an unknown role', async () => {
    const { owner, path } = await openMerchant()
    const { email } = await addMember(path, owner, 'viewer')
    const post = (json: unknown) => api.call('POST', `${path}/members`, { token: owner.token, json })
    expect(await post({ email, role: 'admin' })).toMatchObject({
      status: 409,
      body: { code: 'already-member' },
    })
    expect(await post({ email: `${newId()}@example.com`, role: 'viewer' })).toMatchObject({
      status: 422,
      body: { code: 'unknown-account' },
    })
    expect(await post({ email, role: 'god' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/role' }] },
    })
    expect(await post({ email, role: 'viewer', accountID: newId() })).toMatchObject({ status: 400 })
  })

  it('refuses more members than the maximum', async () => {
    const { owner, path } = await openMerchant()
    const merchantId = path.slice('/merchants/'.length)
    const accounts = Array.from({ length: 199 }, newId).map((id) => ({
      id,
      email: `${id}@example.com`,
      passwordHash: 'x',
    }))
    await accountRecords.add(database.db, ...accounts)
    const members = accounts.map(({ id: accountId }) => ({ accountId, merchantId, role: 'viewer' }))
    await memberRecords.add(database.db, ...members)
    const { email } = await api.register()
    const answer = await api.call('POST', `${path}/members`, {
      token: owner.token,
      json: { email, role: 'viewer' },
    })
    expect(answer).toMatchObject({ status: 409, body: { code: 'too-many-members' } })
  })
})

describe('an admin', () => {
  it('adds and removes viewers, changes neither admins nor owners, and cannot promote itself', async () => {
    const { owner, path } = await openMerchant()
    const admin = await addMember(path, owner, 'admin')
    const other = await addMember(path, owner, 'admin')
    const viewer = await addMember(path, admin, 'viewer')
    const token = admin.token
    const set = (person: Person, role: Role) =>
      api.call('PUT', `${path}/members/${idOf(person)}`, { token, json: { role } })
    const remove = (person: Person) => api.call('DELETE', `${path}/members/${idOf(person)}`, { token })
    const stranger = await api.register()
    const adding = { token, json: { email: stranger.email, role: 'admin' } }
    expect((await api.call('POST', `${path}/members`, adding)).status).toBe(403)
    expect((await set(viewer, 'admin')).status).toBe(403)
    expect((await set(admin, 'owner')).status).toBe(403)
    expect((await set(other, 'viewer')).status).toBe(403)
    expect((await remove(other)).status).toBe(403)
    expect((await remove(owner)).status).toBe(403)
    expect((await remove(viewer)).status).toBe(204)
    expect((await remove(viewer)).status).toBe(404)
  })

  it('cannot learn by adding an admin whether an email has an account', async () => {
    const { owner, path } = await openMerchant()
    const { token } = await addMember(path, owner, 'admin')
    const { email } = await api.register()
    const ask = (asked: string) =>
      api.call('POST', `${path}/members`, { token, json: { email: asked, role: 'owner' } })
    const known = await ask(email)
    const unknown = await ask('nobody@example.com')
    expect(known.status).toBe(403)
    expect({ ...known.body, requestID: '' }).toEqual({ ...unknown.body, requestID: '' })
  })
})

describe('a viewer', () => {
  it('may leave, and cannot change anybody', async () => {
    const { owner, path } = await openMerchant()
    const viewer = await addMember(path, owner, 'viewer')
    const other = await addMember(path, owner, 'viewer')
    const { token } = viewer
    expect((await api.call('DELETE', `${path}/members/${idOf(other)}`, { token })).status).toBe(403)
    const json = { role: 'owner' }
    expect((await api.call('PUT', `${path}/members/${idOf(viewer)}`, { token, json })).status).toBe(403)
    expect((await api.call('POST', `${path}/members`, { token, json: {} })).status).toBe(403)
    expect((await api.call('DELETE', `${path}/members/${idOf(viewer)}`, { token })).status).toBe(204)
    expect((await api.call('GET', path, { token })).status).toBe(403)
  })
})

describe('an owner', () => {
  it('adds another owner and may then leave, but not as the last one', async () => {
    const { owner, path } = await openMerchant()
    const next = await addMember(path, owner, 'admin')
    const { token } = owner
    const own = `${path}/members/${idOf(owner)}`
    const lastOwner = { status: 409, body: { code: 'last-owner' } }
    expect(await api.call('PUT', own, { token, json: { role: 'viewer' } })).toMatchObject(lastOwner)
    expect(await api.call('DELETE', own, { token })).toMatchObject(lastOwner)
    const promoted = await api.call('PUT', `${path}/members/${idOf(next)}`, {
      token,
      json: { role: 'owner' },
    })
    expect(promoted).toMatchObject({ status: 200, body: { accountID: idOf(next), role: 'owner' } })
    expect((await api.call('DELETE', own, { token })).status).toBe(204)
    expect((await api.call('GET', path, { token })).status).toBe(403)
    expect((await api.call('GET', path, { token: next.token })).status).toBe(200)
  })

  it('remains, if two owners remove each other at once', async () => {
    for (let round = 0; round < 10; round++) {
      const { owner, path } = await openMerchant()
      const second = await addMember(path, owner, 'owner')
      const answers = await Promise.all([
        api.call('DELETE', `${path}/members/${idOf(second)}`, { token: owner.token }),
        api.call('DELETE', `${path}/members/${idOf(owner)}`, { token: second.token }),
      ])
      // The request that is processed second gets 403, because its sender is no longer a member. The check
      // before the route may already find this, or only the removal itself.
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
      const rows = await memberRecords.all(database.db, {
        merchantId: path.slice('/merchants/'.length),
        role: 'owner',
      })
      expect(rows).toHaveLength(1)
    }
  })

  it('remains, if two owners step down at once', async () => {
    for (let round = 0; round < 10; round++) {
      const { owner, path } = await openMerchant()
      const second = await addMember(path, owner, 'owner')
      const answers = await Promise.all(
        [owner, second].map((one) =>
          api.call('DELETE', `${path}/members/${idOf(one)}`, { token: one.token }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    }
  })
})

it('each change of members is audited with its author', async () => {
  const { owner, path } = await openMerchant()
  const member = await addMember(path, owner, 'viewer')
  const { token } = owner
  await api.call('PUT', `${path}/members/${idOf(member)}`, { token, json: { role: 'admin' } })
  await api.call('DELETE', `${path}/members/${idOf(member)}`, { token })
  const entries = await auditRecords.all(
    database.db,
    { merchantId: path.slice('/merchants/'.length) },
    'action',
    'accountId',
    'subject',
    'details',
  )
  const by = { accountId: idOf(owner), subject: idOf(member) }
  expect(entries).toEqual([
    { ...by, action: 'member.added', details: { role: 'viewer' } },
    { ...by, action: 'member.changed', details: { before: 'viewer', after: 'admin' } },
    { ...by, action: 'member.removed', details: { role: 'admin' } },
  ])
})

it('a removed member is refused on every process from the next request on', async () => {
  const other = await startApi(database.db)
  const { owner, path } = await openMerchant()
  const { token } = await addMember(path, owner, 'admin')
  expect((await other.call('GET', path, { token })).status).toBe(200)
  await api.call('DELETE', `${path}/members/${decodeJwt(token).sub}`, { token: owner.token })
  expect((await other.call('GET', path, { token })).status).toBe(403)
  await other.close()
})
