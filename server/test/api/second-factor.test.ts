import { describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { factorContext, proveCode } from '../../src/merchants/accounts/second-factor/prove-code.ts'
import { resetFactor } from '../../src/merchants/accounts/second-factor/reset-second-factor.ts'
import { codeAt, stepAt } from '../../src/merchants/accounts/second-factor/totp.ts'
import { lockAccount } from '../../src/merchants/accounts/store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { useDatabase } from '../support/database.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { forgeNetworks } from '../support/people/forge-networks.ts'
import {
  auditRecords,
  codePauseRecords,
  loginAttemptRecords,
  recoveryCodeRecords,
  secondFactorRecords,
} from '../support/people/records.ts'
import { moved, now } from '../support/records/values.ts'
import { type Person, password, sealer, startApi, useApi } from './api.ts'
import { type Browser, logInBrowser, ownPage } from './browser.ts'

const database = useDatabase()
const api = useApi(database)

interface Protected {
  readonly person: Person
  readonly browser: Browser
  readonly secret: Buffer
  readonly recoveryCodes: readonly string[]
}

/** Opens a person with a second factor, logged in with the browser that set it up. */
async function protect(): Promise<Protected> {
  const person = await api.register()
  const browser = await logInBrowser(api, person)
  return { person, browser, ...(await turnOn(browser)) }
}

async function show(browser: Browser) {
  const shown = await browser.call('POST', '/auth/second-factor', { json: { password } })
  const secret = fromBase32(shown.body.secret)
  const confirm = () =>
    browser.call('POST', '/auth/second-factor/confirm', {
      json: { code: codeAt(secret, stepAt(Date.now() / 1000)) },
    })
  return { secret, confirm }
}

async function turnOn(browser: Browser): Promise<Pick<Protected, 'secret' | 'recoveryCodes'>> {
  const { secret, confirm } = await show(browser)
  const { status, body } = await confirm()
  expect(status).toBe(200)
  return { secret, recoveryCodes: body.recoveryCodes }
}

/** Returns a code that is valid although another code was used just before. */
async function freshCode({ secret }: Protected): Promise<string> {
  await secondFactorRecords.change(database.db, {}, { usedStep: 0 })
  return codeAt(secret, stepAt(Date.now() / 1000))
}

async function wrongCode(of: Protected): Promise<string> {
  const right = Number(await freshCode(of))
  const near = [-1, 0, 1].map((by) => codeAt(of.secret, stepAt(Date.now() / 1000) + by))
  for (let by = 1; ; by++) {
    const code = String((right + by) % 1_000_000).padStart(6, '0')
    if (!near.includes(code)) return code
  }
}

const logIn = ({ person }: { person: Pick<Person, 'email'> }, code?: string, typed = password) =>
  api.call('POST', '/auth/login', {
    json: { email: person.email, password: typed, ...(code ? { code } : {}) },
  })

const countWaiting = () => countLockWaiters(database.db, 'update second_factor')

/** Dates the last wrong code back by the longest pause. */
const rest = () => codePauseRecords.change(database.db, {}, { failedAt: moved('-15 minutes') })

async function forget(): Promise<void> {
  await loginAttemptRecords.remove(database.db)
  await codePauseRecords.remove(database.db)
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((char) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'),
  )
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

describe('setting up a second factor', () => {
  it('requires the password, shows a secret, and asks for no code until one was confirmed', async () => {
    const person = await api.register()
    const { token } = person
    const wrong = await api.call('POST', '/auth/second-factor', { token, json: { password: 'wrong' } })
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ pointer: '/password' }] } })
    const shown = await api.call('POST', '/auth/second-factor', { token, json: { password } })
    expect(shown.body).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      uri: expect.stringMatching(/^otpauth:\/\/totp\/Coffer%20pay\.example:/),
    })
    const state = () => api.call('GET', '/auth/second-factor', { token })
    expect((await state()).body).toEqual({ isOn: false, since: null, recoveryCodesLeft: 0 })
    expect((await api.call('POST', '/auth/login', { json: { email: person.email, password } })).status).toBe(
      200,
    )
    const confirm = (code: string) =>
      api.call('POST', '/auth/second-factor/confirm', { token, json: { code } })
    expect(await confirm('abc')).toMatchObject({ status: 400, body: { errors: [{ pointer: '/code' }] } })
    const code = codeAt(fromBase32(shown.body.secret), stepAt(Date.now() / 1000))
    const confirmed = await confirm(code)
    expect(confirmed.status).toBe(200)
    expect(new Set(confirmed.body.recoveryCodes).size).toBe(10)
    for (const one of confirmed.body.recoveryCodes) expect(one).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    expect((await state()).body).toMatchObject({ isOn: true, recoveryCodesLeft: 10 })
    expect(await confirm(code)).toMatchObject({ status: 409, body: { code: 'second-factor-on' } })
    const again = await api.call('POST', '/auth/second-factor', { token, json: { password } })
    expect(again).toMatchObject({ status: 409, body: { code: 'second-factor-on' } })
  })

  it('G08 counts wrong codes as login attempts, so that a stolen session cannot try all codes', async () => {
    const { token } = await api.register()
    await api.call('POST', '/auth/second-factor', { token, json: { password } })
    const statuses: number[] = []
    for (let time = 0; time < 6; time++) {
      const answer = await api.call('POST', '/auth/second-factor/confirm', {
        token,
        json: { code: 'abcdef' },
      })
      statuses.push(answer.status)
      await loginAttemptRecords.change(
        database.db,
        {},
        { madeAt: moved('-10 seconds'), failedAt: moved('-10 seconds') },
      )
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
    await forget()
  })

  it('is confirmed only by a code of the newest secret, even if another page shows a new one meanwhile', async () => {
    const { token } = await api.register()
    const show = () => api.call('POST', '/auth/second-factor', { token, json: { password } })
    const first = codeAt(fromBase32((await show()).body.secret), stepAt(Date.now() / 1000))
    const confirming = await inTransaction(database.db, async (tx) => {
      const unconfirmed = await secondFactorRecords.all(tx, { confirmedAt: null }, 'accountId')
      const { accountId } = required(unconfirmed.at(-1), 'the second factor')
      await secondFactorRecords.lock(tx, { accountId })
      const confirm = api.call('POST', '/auth/second-factor/confirm', { token, json: { code: first } })
      await expect.poll(countWaiting).toBe(1)
      const secret = sealer.seal('00'.repeat(20), factorContext(accountId))
      await secondFactorRecords.change(tx, { accountId }, { sealedSecret: secret })
      return { confirm }
    })
    expect((await confirming.confirm).status).toBe(400)
    expect((await api.call('GET', '/auth/second-factor', { token })).body.isOn).toBe(false)
    await forget()
  })

  it('is refused to an API access token, which may be stolen', async () => {
    const { token } = await api.register()
    const made = await api.call('POST', '/auth/tokens', { token, json: { name: 'ci', days: 1 } })
    for (const [path, json] of [
      ['', { password }],
      ['/confirm', { code: '123456' }],
      ['/disable', { code: '123456' }],
      ['/recovery-codes', { code: '123456' }],
    ] as const) {
      const { status } = await api.call('POST', `/auth/second-factor${path}`, {
        token: made.body.token,
        json,
      })
      expect(status).toBe(403)
    }
  })

  it('G11 leaves neither secret nor recovery codes in the database', async () => {
    const { secret, recoveryCodes, browser } = await protect()
    const records = [secondFactorRecords, recoveryCodeRecords, auditRecords]
    const texts = await Promise.all(records.map((one) => one.texts(database.db)))
    const text = texts.flat().join('\n')
    for (const hidden of [secret.toString('hex'), ...recoveryCodes, ...recoveryCodes.map(unhyphened)])
      expect(text).not.toContain(hidden)
    expect(browser.login.body.account.hasSecondFactor).toBe(false)
    const session = await browser.call('GET', '/dashboard/session')
    expect(session.body.account.hasSecondFactor).toBe(true)
  })
})

const unhyphened = (code: string) => code.replaceAll('-', '')

describe('turning on a second factor', () => {
  it('ends every other login and API access token, since they may have been created with the password alone', async () => {
    const person = await api.register()
    const thief = await logInBrowser(api, person)
    const owner = await logInBrowser(api, person)
    const made = await thief.callProven('POST', '/auth/tokens', { json: { name: 'stolen', days: 90 } })
    const bystander = await api.register()
    await turnOn(owner)
    expect((await thief.call('GET', '/merchants')).status).toBe(401)
    for (const token of [person.token, made.body.token])
      expect((await api.call('GET', '/merchants', { token })).status).toBe(401)
    expect((await owner.call('GET', '/merchants')).status).toBe(200)
    expect((await api.call('GET', '/merchants', { token: bystander.token })).status).toBe(200)
    const [entry] = await auditRecords.all(
      database.db,
      { action: 'second_factor.enabled', accountId: owner.login.body.account.id },
      'details',
    )
    expect(entry).toEqual({ details: { sessionsEnded: 3 } })
  })

  it.each([
    ['a login', 'insert into session', (email: string) => logIn({ person: { email } })],
    [
      'an API access token',
      'from account',
      (_email: string, thief: Browser) =>
        thief.callProven('POST', '/auth/tokens', { json: { name: 'stolen', days: 90 } }),
    ],
  ])('leaves no %s that began while the factor was being turned on', async (_title, statement, begin) => {
    const person = await api.register()
    const thief = await logInBrowser(api, person)
    const owner = await logInBrowser(api, person)
    const { id: accountId } = owner.login.body.account
    const waiting = (text: string) => () => countLockWaiters(database.db, text)
    const shown = await show(owner)
    // Both wait for the lock of the account's row. The owner waits first.
    const both = await inTransaction(database.db, async (tx) => {
      await lockAccount(tx, accountId)
      const confirming = shown.confirm()
      await expect.poll(waiting('from account')).toBe(1)
      const beginning = begin(person.email, thief)
      await expect.poll(waiting(statement)).toBe(statement === 'from account' ? 2 : 1)
      return { confirming, beginning }
    })
    expect((await both.confirming).status).toBe(200)
    expect((await both.beginning).status).toBeGreaterThan(400)
    expect((await owner.call('GET', '/auth/sessions')).body).toHaveLength(1)
    expect((await owner.call('GET', '/auth/tokens')).body).toEqual([])
  })
})

describe('a change of the password of an account with a second factor', () => {
  const change = ({ browser }: Protected, code?: string, currentPassword = password) =>
    browser.call('POST', '/auth/password', {
      json: { currentPassword, newPassword: `${password} anew`, ...(code ? { code } : {}) },
    })

  it('requires a code, so that a stolen session with the password cannot lock out the owner', async () => {
    const alice = await protect()
    expect(await change(alice)).toMatchObject({ status: 401, body: { code: 'two-factor-required' } })
    expect(await change(alice, await wrongCode(alice))).toMatchObject({
      status: 401,
      body: { code: 'invalid-code' },
    })
    await rest()
    const code = await freshCode(alice)
    expect(await change(alice, code, 'wrong password 123')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/currentPassword' }] },
    })
    expect((await logIn(alice, code)).status).toBe(200)
    expect((await change(alice, alice.recoveryCodes[0])).status).toBe(204)
    expect((await logIn(alice, alice.recoveryCodes[1])).status).toBe(401)
    expect((await logIn(alice, alice.recoveryCodes[1], `${password} anew`)).status).toBe(200)
    await forget()
  })
})

describe('a login of an account with a second factor', () => {
  it('requires a code, by token and by cookie, and reveals this only after the right password', async () => {
    const alice = await protect()
    expect(await logIn(alice)).toMatchObject({ status: 401, body: { code: 'two-factor-required' } })
    expect(await logIn(alice, undefined, 'wrong password 123')).toMatchObject({
      status: 401,
      body: { code: 'invalid-login' },
    })
    expect(await logIn(alice, await freshCode(alice), 'wrong password 123')).toMatchObject({
      status: 401,
      body: { code: 'invalid-login' },
    })
    expect((await logIn(alice, await freshCode(alice))).status).toBe(200)
    const json = { email: alice.person.email, password }
    const refused = await api.call('POST', '/dashboard/session', { json, headers: ownPage })
    expect(refused).toMatchObject({ status: 401, body: { code: 'two-factor-required' } })
    expect(refused.headers.has('set-cookie')).toBe(false)
    const code = await freshCode(alice)
    expect((await logInBrowser(api, { ...alice.person, code })).login.status).toBe(200)
    await forget()
  })

  it('accepts a code once, also when it is sent twice at the same time', async () => {
    const alice = await protect()
    const spaced = (await freshCode(alice)).replace(/^.../, '$& ')
    const answers = await Promise.all([logIn(alice, spaced), logIn(alice, spaced)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    await rest()
    expect(await logIn(alice, spaced)).toMatchObject({ status: 401, body: { code: 'invalid-code' } })
    await forget()
  })

  it('accepts a code once, however many requests send it at the same moment', async () => {
    const alice = await protect()
    const { id: accountId } = alice.browser.login.body.account
    const code = await freshCode(alice)
    const prove = (typed: string) =>
      proveCode(
        { db: database.db, sealer },
        { accountId, code: typed, address: '192.0.2.1' },
        async () => 'in',
      )
    // All requests have read the last used step before any of them can store its own.
    const proving = await inTransaction(database.db, async (tx) => {
      await secondFactorRecords.lock(tx, { accountId })
      const started = [1, 2, 3, 4].map(() => prove(code))
      await expect.poll(countWaiting).toBe(4)
      return { started }
    })
    expect((await Promise.all(proving.started)).filter(Boolean)).toHaveLength(1)
    await forget()
    const [spare = ''] = alice.recoveryCodes
    expect((await Promise.all([1, 2, 3, 4].map(() => prove(spare)))).filter(Boolean)).toHaveLength(1)
    await secondFactorRecords.change(database.db, { accountId }, { confirmedAt: null, usedStep: 0 })
    expect(await prove(await freshCode(alice))).toBeUndefined()
    await forget()
  })

  it('accepts each recovery code once, in any spelling, and none of another account', async () => {
    const alice = await protect()
    const bob = await protect()
    const [first = '', second = ''] = alice.recoveryCodes
    expect((await logIn(bob, first)).status).toBe(401)
    const answers = await Promise.all([logIn(alice, first), logIn(alice, first.toUpperCase())])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    expect((await logIn(alice, unhyphened(second))).status).toBe(200)
    const state = await alice.browser.call('GET', '/auth/second-factor')
    expect(state.body.recoveryCodesLeft).toBe(8)
    const used = await auditRecords.all(database.db, {
      action: 'second_factor.recovery_code_used',
      accountId: alice.browser.login.body.account.id,
    })
    expect(used).toHaveLength(2)
    await forget()
  })

  it('G08 limits wrong codes of an account over all networks, and still accepts a recovery code', async () => {
    const alice = await protect()
    const code = await wrongCode(alice)
    // The attempts come from twenty networks. Each network has few attempts, but the account has many.
    for (let network = 0; network < 20; network++) {
      expect(await logIn(alice, code)).toMatchObject({ status: 401, body: { code: 'invalid-code' } })
      await forgeNetworks(database.db, network)
      await rest()
    }
    expect((await logIn(alice, await freshCode(alice))).status).toBe(429)
    expect((await logIn(alice, alice.recoveryCodes[0])).status).toBe(200)
    // An open session is not affected, and neither are other accounts.
    expect((await alice.browser.call('GET', '/merchants')).status).toBe(200)
    const bob = await protect()
    expect((await logIn(bob, await freshCode(bob))).status).toBe(200)
    await forget()
  })

  it('G08 refuses the next code during a pause that grows, on every process, until a right one', async () => {
    const alice = await protect()
    const other = await startApi(database.db)
    const { id: accountId } = alice.browser.login.body.account
    const wait = (s: number) =>
      codePauseRecords.change(database.db, { accountId }, { failedAt: moved(`${-s} seconds`) })
    const json = (code: string) => ({ email: alice.person.email, password, code })
    /** Returns the Retry-After of a login with the right code, from another process. */
    const retryAfter = async () => {
      // The wrong code is dated ten seconds ahead, because the host may be slow.
      await wait(-10)
      const answer = await other.call('POST', '/auth/login', { json: json(await freshCode(alice)) })
      await wait(10)
      expect(answer.status).toBe(429)
      return Number(answer.headers.get('retry-after')) - 10
    }
    for (const [failures, pauseS] of [1, 2, 4, 8].entries()) {
      expect((await logIn(alice, await wrongCode(alice))).status).toBe(401)
      await loginAttemptRecords.remove(database.db)
      const pause = await codePauseRecords.all(database.db, { accountId }, 'failures')
      expect(pause).toEqual([{ failures: failures + 1 }])
      const expected = await retryAfter()
      expect(expected).toBeGreaterThan(pauseS - 10)
      expect(expected).toBeLessThanOrEqual(pauseS)
      await wait(pauseS)
    }
    await codePauseRecords.change(database.db, { accountId }, { failures: 40, failedAt: now })
    expect(await retryAfter()).toBeGreaterThan(880)
    // A recovery code is never delayed, and no pause exceeds the longest one.
    expect((await logIn(alice, alice.recoveryCodes[0])).status).toBe(200)
    await wait(900)
    expect((await logIn(alice, await freshCode(alice))).status).toBe(200)
    expect((await logIn(alice, await wrongCode(alice))).status).toBe(401)
    expect(await retryAfter()).toBeLessThanOrEqual(1)
    await forget()
    await other.close()
  })

  it('G08 counts a wrong code as a failed login attempt of its network', async () => {
    const alice = await protect()
    const code = await wrongCode(alice)
    const statuses: number[] = []
    for (let time = 0; time < 6; time++) {
      statuses.push((await logIn(alice, code)).status)
      await rest()
      await loginAttemptRecords.change(
        database.db,
        {},
        { madeAt: moved('-10 seconds'), failedAt: moved('-10 seconds') },
      )
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    await forget()
  })
})

describe('a second factor', () => {
  it('is turned off only with a code', async () => {
    const alice = await protect()
    const disable = (code: string) =>
      alice.browser.call('POST', '/auth/second-factor/disable', { json: { code } })
    expect(await disable(await wrongCode(alice))).toMatchObject({
      status: 400,
      body: { code: 'invalid-request' },
    })
    await rest()
    expect((await disable(await freshCode(alice))).status).toBe(204)
    expect((await logIn(alice)).status).toBe(200)
    expect(await disable('123456')).toMatchObject({ status: 409, body: { code: 'second-factor-off' } })
    const left = await recoveryCodeRecords.all(database.db, {
      accountId: alice.browser.login.body.account.id,
    })
    expect(left).toEqual([])
  })

  it('gets new recovery codes with a code, which replace the old ones', async () => {
    const alice = await protect()
    const renewed = await alice.browser.call('POST', '/auth/second-factor/recovery-codes', {
      json: { code: await freshCode(alice) },
    })
    expect(renewed.status).toBe(200)
    expect((await logIn(alice, alice.recoveryCodes[0])).status).toBe(401)
    expect((await logIn(alice, renewed.body.recoveryCodes[0])).status).toBe(200)
  })
})

describe('the operator command', () => {
  it('removes a lost second factor, and ends the account’s logins and API access tokens', async () => {
    const alice = await protect()
    const json = { name: 'ci', days: 1 }
    const made = await alice.browser.callProven('POST', '/auth/tokens', { json }, await freshCode(alice))
    expect(await resetFactor(database.db, 'nobody@example.com')).toBe('unknown')
    expect(await resetFactor(database.db, ` ${alice.person.email.toUpperCase()}`)).toBe('reset')
    expect((await alice.browser.call('GET', '/merchants')).status).toBe(401)
    expect((await api.call('GET', '/merchants', { token: made.body.token })).status).toBe(401)
    expect((await logIn(alice)).status).toBe(200)
    expect(await resetFactor(database.db, alice.person.email)).toBe('none')
  })
})

describe('the logins of an account', () => {
  it('are shown with the client that began them, and end one by one, at once on every process', async () => {
    const other = await startApi(database.db)
    const person = await api.register()
    const headers = { ...ownPage, 'user-agent': `Mozilla/5.0 <b>${'x'.repeat(500)}` }
    const json = { email: person.email, password }
    const login = await api.call('POST', '/dashboard/session', { json, headers })
    const browser = await logInBrowser(api, person)
    const { status, body } = await browser.call('GET', '/auth/sessions')
    expect(status).toBe(200)
    expect(body).toHaveLength(3)
    expect(body.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toEqual([true, false, false])
    expect(body[1]).toMatchObject({ address: '127.0.0.1', userAgent: headers['user-agent'].slice(0, 256) })
    expect(login.status).toBe(200)
    expect((await browser.call('DELETE', `/auth/sessions/${body[2].id}`)).status).toBe(204)
    expect((await other.call('GET', '/merchants', { token: person.token })).status).toBe(401)
    const stranger = await logInBrowser(api, await api.register())
    expect((await stranger.call('DELETE', `/auth/sessions/${body[1].id}`)).status).toBe(404)
    expect((await stranger.call('GET', '/auth/sessions')).body).toHaveLength(2)
    await other.close()
  })

  it('are all ended except the one that asks; API access tokens are kept', async () => {
    const person = await api.register()
    const browser = await logInBrowser(api, person)
    const made = await browser.callProven('POST', '/auth/tokens', { json: { name: 'ci', days: 1 } })
    expect((await browser.call('DELETE', '/auth/sessions')).body).toEqual({ ended: 1 })
    expect((await api.call('GET', '/merchants', { token: person.token })).status).toBe(401)
    expect((await api.call('GET', '/merchants', { token: made.body.token })).status).toBe(200)
    expect((await browser.call('GET', '/auth/sessions')).body).toHaveLength(1)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['DELETE', `/${browser.login.body.account.id}`],
    ] as const) {
      const answer = await api.call(method, `/auth/sessions${path}`, { token: made.body.token })
      expect(answer.status).toBe(403)
    }
  })
})

describe('a change of credentials', () => {
  it('is recorded in the audit log', async () => {
    const alice = await protect()
    await logIn(alice, alice.recoveryCodes[0])
    const [login] = (await alice.browser.call('GET', '/auth/sessions')).body
    await alice.browser.call('DELETE', `/auth/sessions/${login.id}`)
    await alice.browser.call('POST', '/auth/second-factor/disable', {
      json: { code: alice.recoveryCodes[1] },
    })
    const rows = await auditRecords.all(
      database.db,
      { accountId: alice.browser.login.body.account.id },
      'action',
    )
    // The entries of one transaction have the same time, so their order is not compared.
    expect(rows.map(({ action }) => action).sort()).toEqual([
      'account.created',
      'second_factor.disabled',
      'second_factor.enabled',
      'second_factor.recovery_code_used',
      'second_factor.recovery_code_used',
      'session.revoked',
      'session.started',
      'session.started',
      'session.started',
    ])
  })
})
