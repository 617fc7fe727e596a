import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { useDatabase } from '../support/database.ts'
import { latestBrowserLogin } from '../support/people/browser-logins.ts'
import { accountRecords, auditRecords, sessionRecords } from '../support/people/records.ts'
import { fromNow, present } from '../support/records/values.ts'
import { type Api, type Person, password, publicUrl, startApi, useApi } from './api.ts'
import { type Browser, cookieOf, logInBrowser, ownPage } from './browser.ts'

const database = useDatabase()
const api = useApi(database)

let person: Person
let browser: Browser
beforeAll(async () => {
  person = await api.register()
  browser = await logInBrowser(api, person)
})

const session = (by: Browser, on: Pick<Api, 'call'> = api) =>
  on.call('GET', '/dashboard/session', { headers: { cookie: by.cookie } })

describe('a login to the dashboard', () => {
  it('sets a cookie that no script can read, no other site sends and no unencrypted connection carries', () => {
    expect(browser.login.headers.get('set-cookie')).toMatch(
      /^__Host-coffer_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
    )
    expect(browser.login.body).toEqual({
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: expect.stringMatching(/Z$/),
      account: { id: expect.any(String), email: person.email, isOperator: false, hasSecondFactor: false },
      mode: 'production',
    })
    expect(browser.login.headers.get('cache-control')).toBe('no-store')
  })

  it('shows who is logged in, and the same CSRF token on every request', async () => {
    const { status, body } = await session(browser)
    expect({ status, body }).toEqual({ status: 200, body: browser.login.body })
  })

  it('refuses a wrong password like any login, and sets no cookie', async () => {
    const json = { email: person.email, password: 'wrong password 123' }
    const answer = await api.call('POST', '/dashboard/session', { json, headers: ownPage })
    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid-login' } })
    expect(answer.headers.has('set-cookie')).toBe(false)
  })

  it('leaves no usable secret in the database', async () => {
    const value = browser.cookie.split('=')[1] ?? ''
    const kept = { cookieHash: present }
    expect((await sessionRecords.texts(database.db, kept)).join('\n')).not.toContain(value)
    expect(await sessionRecords.first(database.db, kept, 'cookieHash')).toEqual({
      cookieHash: createHash('sha256').update(value).digest(),
    })
  })

  it('gives no credential to a page of another site', async () => {
    const json = { email: person.email, password }
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: publicUrl },
      { origin: `${publicUrl}.evil.example`, 'sec-fetch-site': 'same-origin' },
    ]) {
      const answer = await api.call('POST', '/dashboard/session', { json, headers })
      expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
      expect(answer.headers.has('set-cookie')).toBe(false)
    }
  })

  it('gets a new cookie each time, so that a cookie planted earlier opens nothing', async () => {
    const planted = `__Host-coffer_session=${'A'.repeat(43)}`
    const json = { email: person.email, password }
    const options = { json, headers: { ...ownPage, cookie: planted } }
    const first = cookieOf(await api.call('POST', '/dashboard/session', options))
    const again = cookieOf(
      await api.call('POST', '/dashboard/session', { json, headers: { ...ownPage, cookie: first } }),
    )
    expect(new Set([planted, first, again, browser.cookie]).size).toBe(4)
    for (const [cookie, status] of [
      [planted, 401],
      [browser.cookie, 200],
      [again, 200],
      [`${browser.cookie}; ${again}`, 401],
      [`theme=dark; ${again}; other=1`, 200],
      [`__Host-coffer_session=${newId()}`, 401],
      ['__Host-coffer_session=', 401],
      // A neighbouring host can set a cookie without the `__Host-` prefix. It is ignored, alone or beside the
      // right one.
      [again.replace('__Host-', ''), 401],
      [`${again}; ${browser.cookie.replace('__Host-', '')}`, 200],
    ] as const) {
      expect((await api.call('GET', '/merchants', { headers: { cookie } })).status).toBe(status)
    }
  })
})

describe('the session that a browser had before it logged in again', () => {
  const logIn = (email: string, cookie: string, typed = password) =>
    api.call('POST', '/dashboard/session', {
      json: { email, password: typed },
      headers: { ...ownPage, cookie },
    })

  it('ends with the new login, also if that is of another account, while other sessions continue', async () => {
    const one = await api.register()
    const two = await api.register()
    const former = await logInBrowser(api, one)
    const elsewhere = await logInBrowser(api, one)
    const again = await logIn(one.email, former.cookie)
    expect((await session(former)).status).toBe(401)
    const other = await logIn(two.email, cookieOf(again))
    expect((await api.call('GET', '/merchants', { headers: { cookie: cookieOf(again) } })).status).toBe(401)
    expect((await api.call('GET', '/merchants', { headers: { cookie: cookieOf(other) } })).status).toBe(200)
    expect((await session(elsewhere)).status).toBe(200)
    const accounts = await accountRecords.all(database.db, { email: [one.email, two.email] }, 'id')
    const ended = await auditRecords.all(
      database.db,
      { action: 'session.ended', accountId: accounts.map(({ id }) => id) },
      'accountId',
    )
    expect(ended).toHaveLength(2)
    expect(new Set(ended.map(({ accountId }) => accountId))).toEqual(new Set([former.login.body.account.id]))
  })

  it('continues if the login fails, comes from a page of another site, or has two cookies', async () => {
    const { email } = await api.register()
    const kept = await logInBrowser(api, { email })
    const second = await logInBrowser(api, { email })
    expect((await logIn(email, kept.cookie, 'wrong password 123')).status).toBe(401)
    const headers = { origin: 'https://evil.example', cookie: kept.cookie }
    const json = { email, password }
    expect((await api.call('POST', '/dashboard/session', { json, headers })).status).toBe(403)
    expect((await logIn(email, `${kept.cookie}; ${second.cookie}`)).status).toBe(200)
    expect([(await session(kept)).status, (await session(second)).status]).toEqual([200, 200])
  })
})

describe('a request with the cookie', () => {
  it('has the same rights as one with a Bearer token', async () => {
    const made = await browser.call('POST', '/merchants', { json: { name: '<script>alert(1)</script>' } })
    expect(made.status).toBe(201)
    const shown = await browser.call('GET', `/merchants/${made.body.id}`)
    expect(shown).toMatchObject({ status: 200, body: { name: '<script>alert(1)</script>' } })
    // A browser that opens this answer directly shows text and runs no script.
    expect(shown.headers.get('content-type')).toMatch(/^application\/json/)
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff')
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
    const token = await browser.callProven('POST', '/auth/tokens', { json: { name: 'ci', days: 1 } })
    expect(token.status).toBe(201)
  })

  it.each<[string, Record<string, string | undefined>]>([
    ['no CSRF token', { 'x-csrf-token': undefined }],
    ['an empty CSRF token', { 'x-csrf-token': '' }],
    ['a CSRF token that is cut', { 'x-csrf-token': 'cut' }],
    ['two CSRF tokens', { 'x-csrf-token': 'twice' }],
    ['no word of its page', { origin: undefined, 'sec-fetch-site': undefined }],
    ['the origin of another page', { origin: 'https://evil.example' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a neighbouring host', { 'sec-fetch-site': 'same-site' }],
  ])('changes nothing with %s', async (_title, over) => {
    const { csrfToken, cookie } = browser
    const tokens: Record<string, string> = { cut: csrfToken.slice(1), twice: `${csrfToken}, ${csrfToken}` }
    const all = { ...ownPage, cookie, 'x-csrf-token': csrfToken, ...over }
    const headers = Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, tokens[value] ?? value]],
      ),
    )
    const json = { name: 'Forged' }
    const answer = await api.call('POST', '/merchants', { json, headers })
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    const { body } = await browser.call('GET', '/merchants')
    expect(body.map(({ name }: { name: string }) => name)).not.toContain('Forged')
    // A GET changes nothing, so it is answered. Because of SameSite=Lax, a browser sends the cookie even when
    // the user follows a link from another site.
    expect((await api.call('GET', '/merchants', { headers: { cookie } })).status).toBe(200)
  })

  it('changes nothing with the CSRF token of another session', async () => {
    const other = await logInBrowser(api, person)
    const headers = { 'x-csrf-token': other.csrfToken }
    expect((await browser.call('POST', '/merchants', { json: { name: 'X' }, headers })).status).toBe(403)
  })

  it('changes nothing from a page of the requested host, if PUBLIC_URL names another host', async () => {
    const headers = { origin: `http://127.0.0.1:${api.port}` }
    expect((await browser.call('POST', '/merchants', { json: { name: 'X' }, headers })).status).toBe(403)
  })

  it('is authenticated by its Authorization header or API key alone, if it has one', async () => {
    const merchantId = await api.makeMerchant(person.token)
    const key = await api.makeKey(person.token, merchantId)
    const headers = { cookie: browser.cookie }
    expect((await api.call('GET', '/merchants', { token: 'junk', headers })).status).toBe(401)
    expect((await api.call('GET', '/merchants', { key: 'junk', headers })).status).toBe(401)
    const basic = { ...headers, authorization: 'Basic YTpi' }
    expect((await api.call('GET', '/merchants', { headers: basic })).status).toBe(401)
    expect((await api.call('GET', `/key/info/${merchantId}`, { key, headers })).status).toBe(403)
    // A request with a token needs no CSRF token, because no browser adds the Authorization header by itself.
    const json = { name: 'By token' }
    expect((await api.call('POST', '/merchants', { token: person.token, json, headers })).status).toBe(201)
  })
})

describe('a session of the dashboard', () => {
  it('G07 ends at once on every process after logout, which also deletes the cookie', async () => {
    const other = await startApi(database.db)
    const left = await logInBrowser(api, person)
    expect((await session(left, other)).status).toBe(200)
    const ended = await left.call('DELETE', '/dashboard/session')
    expect(ended.status).toBe(204)
    expect(ended.headers.get('set-cookie')).toMatch(/^__Host-coffer_session=; Path=\/; .*Max-Age=0; Secure$/)
    expect((await session(left, other)).status).toBe(401)
    expect((await left.call('DELETE', '/dashboard/session')).status).toBe(401)
    await other.close()
  })

  it('ends when the password changes, except for the session that changed it', async () => {
    const { email } = await api.register()
    const kept = await logInBrowser(api, { email })
    const lost = await logInBrowser(api, { email })
    const json = { currentPassword: password, newPassword: `${password} anew` }
    expect((await kept.call('POST', '/auth/password', { json })).status).toBe(204)
    expect((await session(kept)).status).toBe(200)
    expect((await session(lost)).status).toBe(401)
  })

  const timesOf = () => latestBrowserLogin(database.db)

  it('continues while it is used, and ends after half an hour without use', async () => {
    const used = await logInBrowser(api, person)
    const { id, idle_s } = await timesOf()
    expect(idle_s).toBeGreaterThan(1_790)
    expect(idle_s).toBeLessThanOrEqual(1_800)
    await sessionRecords.change(database.db, { id }, { idleExpiresAt: fromNow('5 minutes') })
    expect((await session(used)).status).toBe(200)
    expect((await timesOf()).idle_s).toBeGreaterThan(1_790)
    await sessionRecords.change(database.db, { id }, { idleExpiresAt: fromNow('-1 second') })
    expect((await session(used)).status).toBe(401)
    expect((await timesOf()).idle_s).toBeLessThanOrEqual(0)
  })

  it('is not kept alive by requests that its page sends while nobody uses it', async () => {
    const left = await logInBrowser(api, person)
    const { id } = await timesOf()
    await sessionRecords.change(database.db, { id }, { idleExpiresAt: fromNow('5 minutes') })
    const { status } = await left.call('GET', '/merchants', { headers: { 'x-unattended': '1' } })
    expect(status).toBe(200)
    expect((await timesOf()).idle_s).toBeLessThanOrEqual(300)
    expect((await left.call('GET', '/merchants')).status).toBe(200)
    expect((await timesOf()).idle_s).toBeGreaterThan(1_790)
  })

  it('ends twelve hours after the login even if it is used, and stores its last use at most once a minute', async () => {
    const used = await logInBrowser(api, person)
    const { id, absolute_s } = await timesOf()
    expect(absolute_s).toBeLessThanOrEqual(43_200)
    const version = () => sessionRecords.version(database.db, { id })
    const before = await version()
    expect((await session(used)).status).toBe(200)
    expect(await version()).toEqual(before)
    await sessionRecords.change(database.db, { id }, { expiresAt: fromNow('-1 second') })
    expect((await session(used)).status).toBe(401)
  })
})
