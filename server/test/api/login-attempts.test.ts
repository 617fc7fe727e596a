import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { logIn } from '../../src/merchants/accounts/log-in.ts'
import { openPasswords } from '../../src/merchants/accounts/passwords.ts'
import { openTokens } from '../../src/merchants/accounts/tokens.ts'
import { useDatabase } from '../support/database.ts'
import { addLogins } from '../support/people/add-logins.ts'
import { minutesUntilIdle } from '../support/people/browser-logins.ts'
import {
  accountRecords,
  auditRecords,
  loginAttemptRecords,
  sessionRecords,
} from '../support/people/records.ts'
import { beginning, fromNow, moved, notBefore, now } from '../support/records/values.ts'
import { type Answer, jwtSecret, password, sealer, startApi, useApi } from './api.ts'

const database = useDatabase()
const api = useApi(database)

const logInAs = (email: string, typed = password, on = api): Promise<Answer> =>
  on.call('POST', '/auth/login', { json: { email, password: typed } })

/** Fails `count` times. Earlier attempts are aged in between, so that no attempt has to wait. */
async function fail(email: string, count: number): Promise<void> {
  for (let time = 0; time < count; time++) {
    expect((await logInAs(email, 'wrong password 123')).status).toBe(401)
    await age(10)
  }
}

/** Makes all login attempts this many seconds older. */
async function age(seconds: number): Promise<void> {
  await loginAttemptRecords.change(
    database.db,
    {},
    { madeAt: moved(`${-seconds} seconds`), failedAt: moved(`${-seconds} seconds`) },
  )
}

/**
 * Returns two emails whose stored hashes are equal. A colliding pair is found in a moment; a second email for
 * a given hash takes minutes.
 */
function collidingEmails(): readonly [string, string] {
  const seen = new Map<number, string>()
  for (let index = 0; ; index++) {
    const email = `${index}@collision.example`
    const kept = createHash('sha256').update(email).digest().readUInt32BE()
    const earlier = seen.get(kept)
    if (earlier !== undefined) return [earlier, email]
    seen.set(kept, email)
  }
}

afterEach(async () => {
  await loginAttemptRecords.remove(database.db)
})

describe('POST /auth/login', () => {
  it('G08 of a thousand attempts at once all but a few are refused by every process, and only those few are hashed', async () => {
    const other = await startApi(database.db)
    const { email } = await api.register()
    const answers: Answer[] = []
    for (let batch = 0; batch < 10; batch++) {
      const tries = Array.from({ length: 100 }, (_, index) =>
        logInAs(email, `guess number ${batch} ${index}`, index % 2 === 0 ? api : other),
      )
      answers.push(...(await Promise.all(tries)))
    }
    await other.close()
    const counts = new Map<number, number>()
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
    expect(counts.get(401)).toBeLessThanOrEqual(5)
    expect([...counts.keys()].sort()).toEqual([401, 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body.code).toBe('too-many-requests')
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  })

  it('G08 keeps a limited number of sessions and audit entries of an account, however often it logs in', async () => {
    const { email } = await api.register()
    const { id: accountId } = await accountRecords.one(database.db, { email }, 'id')
    const rows = async () => ({
      sessions: await sessionRecords.count(database.db, { accountId }),
      entries: await auditRecords.count(database.db, { accountId, action: 'session.started' }),
    })
    await addLogins(database.db, accountId, limits.loginsKept + 50)
    expect((await logInAs(email)).status).toBe(200)
    expect(await rows()).toEqual({ sessions: limits.loginsKept, entries: 2 })
    await sessionRecords.change(database.db, { accountId }, { createdAt: now })
    expect((await logInAs(email)).status).toBe(200)
    expect(await rows()).toEqual({ sessions: limits.loginsKept, entries: 2 })
  })

  it('G08 after five failures even the right password is refused, until the oldest failure is 15 minutes old', async () => {
    const { email } = await api.register()
    await fail(email, 5)
    const refused = await logInAs(email)
    expect(refused.status).toBe(429)
    const waitS = Number(refused.headers.get('retry-after'))
    expect(waitS).toBeGreaterThan(840)
    expect(waitS).toBeLessThanOrEqual(900)
    await age(waitS)
    expect((await logInAs(email)).status).toBe(200)
  })

  it('G08 the right password still logs in from another network', async () => {
    const { email } = await api.register()
    await fail(email, 5)
    expect((await logInAs(email)).status).toBe(429)
    const parts = {
      db: database.db,
      clock: systemClock,
      passwords: openPasswords(),
      sealer,
      tokens: openTokens({ jwtSecret, clock: systemClock }),
      tokenLifetimeMs: 60_000,
      sessionLifetimeMs: 60_000,
      sessionIdleMs: 60_000,
    }
    const loggedIn = await logIn(parts, { email, password }, { address: '203.0.113.7', userAgent: undefined })
    expect((await api.call('GET', '/merchants', { token: loggedIn.token })).status).toBe(200)
    // This address is in the network from which the five attempts failed.
    const near = logIn(parts, { email, password }, { address: '127.0.0.99', userAgent: undefined })
    await expect(near).rejects.toMatchObject({ code: 'too-many-requests' })
  })

  it('G08 a successful login clears the failures of its account and network', async () => {
    const { email } = await api.register()
    for (let round = 0; round < 3; round++) {
      await fail(email, 4)
      expect((await logInAs(email)).status).toBe(200)
    }
  })

  it('G08 a login clears no failures of another account whose email has the same stored hash', async () => {
    const [victim, own] = collidingEmails()
    for (const email of [victim, own]) {
      const registered = await api.call('POST', '/auth/register', { json: { email, password } })
      expect(registered.status).toBe(201)
    }
    await fail(victim, 4)
    await logInAs(own)
    await fail(victim, 1)
    expect((await logInAs(victim)).status).toBe(429)
  })

  it('G08 one password tried on many accounts is refused after twenty attempts in an hour, for that network alone', async () => {
    const { email } = await api.register()
    for (let index = 0; index < 20; index++) {
      expect((await logInAs(`${newId()}@example.com`, 'Summer is here 2026')).status).toBe(401)
    }
    const refused = await logInAs(`${newId()}@example.com`, 'Summer is here 2026')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500)
    expect((await logInAs(email)).status).toBe(429)
    await age(3_600)
    expect((await logInAs(email)).status).toBe(200)
  })

  it('G09 attempts with an unknown email are counted and refused like those with a known one', async () => {
    const { email } = await api.register()
    const statuses = async (of: string) => {
      const answers: Answer[] = []
      for (let time = 0; time < 6; time++) {
        answers.push(await logInAs(of, 'wrong password 123'))
        await age(10)
      }
      return answers.map(({ status, body }) => [status, body.code, body.title])
    }
    const known = await statuses(email)
    await loginAttemptRecords.remove(database.db)
    expect(await statuses(`${newId()}@example.com`)).toEqual(known)
    expect(known.at(-1)).toEqual([429, 'too-many-requests', 'Too many requests'])
  })

  it('stores nothing from which the input could be read, and deletes it after an hour', async () => {
    await logInAs('my secret password', 'wrong password 123')
    const rows = await loginAttemptRecords.all(database.db)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('secret')
    expect(rows[0]?.subjectHash).toHaveLength(4)
    await age(3_601)
    await logInAs('another', 'wrong password 123')
    expect(await loginAttemptRecords.all(database.db)).toHaveLength(1)
  })

  it('audits successful and failed attempts, the failures at most twenty times an hour', async () => {
    const { email, token } = await api.register()
    const accountId = decodeJwt(token).sub
    for (let round = 0; round < 6; round++) {
      await fail(email, 4)
      await age(900)
      await loginAttemptRecords.change(
        database.db,
        { source: beginning('127.') },
        { source: `network ${round}` },
      )
      await loginAttemptRecords.change(database.db, {}, { madeAt: fromNow('-20 minutes') })
    }
    const refused = await auditRecords.all(
      database.db,
      { action: 'session.refused', subject: accountId },
      'details',
    )
    expect(refused).toHaveLength(20)
    expect(refused[0]).toEqual({ details: { network: '127.0.0.0/24' } })
    const started = await auditRecords.all(database.db, { action: 'session.started', accountId }, 'accountId')
    expect(started).toHaveLength(1)
    await api.call('POST', '/auth/logout', { token })
    const ended = await auditRecords.all(database.db, { action: 'session.ended', accountId }, 'subject')
    expect(ended).toEqual([{ subject: decodeJwt(token).jti }])
  })
})

describe('a request that reveals whether an email has an account', () => {
  it('is limited at registration: twenty taken emails an hour', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => api.register()))
    for (let index = 0; index < 20; index++) {
      const email = people[index % 4]?.email
      expect((await api.call('POST', '/auth/register', { json: { email, password } })).status).toBe(409)
      await age(300)
      await loginAttemptRecords.change(database.db, {}, { madeAt: notBefore('-55 minutes') })
    }
    const json = { email: `${newId()}@example.com`, password }
    expect((await api.call('POST', '/auth/register', { json })).status).toBe(429)
  })

  it('is limited when members are added: an account may try twenty unknown emails an hour', async () => {
    const { token } = await api.register()
    const path = `/merchants/${await api.makeMerchant(token)}/members`
    const add = (email: string) => api.call('POST', path, { token, json: { email, role: 'viewer' } })
    for (let index = 0; index < 20; index++) expect((await add(`${newId()}@example.com`)).status).toBe(422)
    expect((await add(`${newId()}@example.com`)).status).toBe(429)
    const { email } = await api.register()
    expect((await add(email)).status).toBe(429)
  })
})

describe('POST /auth/password', () => {
  const newPassword = 'a wholly different one'
  const change = (token: string, json: object) => api.call('POST', '/auth/password', { token, json })

  it('G07 ends every other login and API access token on every process, but not the login that asked', async () => {
    const other = await startApi(database.db)
    const { email, token } = await api.register()
    const second = await logInAs(email)
    const made = await api.call('POST', '/auth/tokens', { token, json: { name: 'ci', days: 1 } })
    expect((await change(token, { currentPassword: password, newPassword })).status).toBe(204)
    for (const ended of [second.body.token, made.body.token]) {
      expect((await other.call('GET', '/merchants', { token: ended })).status).toBe(401)
    }
    const { refreshToken } = second.body
    expect((await api.call('POST', '/auth/refresh', { json: { refreshToken } })).status).toBe(401)
    expect((await other.call('GET', '/merchants', { token })).status).toBe(200)
    expect((await logInAs(email)).status).toBe(401)
    expect((await logInAs(email, newPassword)).status).toBe(200)
    await other.close()
  })

  it('is audited without the passwords', async () => {
    const { token } = await api.register()
    await change(token, { currentPassword: password, newPassword })
    const entries = await auditRecords.all(
      database.db,
      { accountId: decodeJwt(token).sub, action: 'account.password_changed' },
      'action',
      'details',
    )
    expect(entries).toEqual([{ action: 'account.password_changed', details: { sessionsEnded: 0 } }])
  })

  it.each([
    [{ currentPassword: 'wrong password 123', newPassword }, '/currentPassword'],
    [{ currentPassword: password, newPassword: 'short' }, '/newPassword'],
    [{ currentPassword: password, newPassword: 'Password!2026' }, '/newPassword'],
    [{ currentPassword: password, newPassword: password }, '/newPassword'],
    [{ currentPassword: password }, '/newPassword'],
    [{ newPassword }, '/currentPassword'],
    [{ currentPassword: password, newPassword, email: 'a@example.com' }, '/email'],
  ])('answers 400 for %o and names the field', async (json, pointer) => {
    const { token } = await api.register()
    const answer = await change(token, json)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].pointer).toBe(pointer)
  })

  it('counts wrong passwords like failed logins, so that a stolen session cannot guess the password', async () => {
    const { email, token } = await api.register()
    for (let time = 0; time < 5; time++) {
      const json = { currentPassword: `guess number ${time} of it`, newPassword }
      expect((await change(token, json)).status).toBe(400)
      await age(10)
    }
    expect((await change(token, { currentPassword: password, newPassword })).status).toBe(429)
    expect((await logInAs(email)).status).toBe(429)
  })

  it('answers 403 to an API access token', async () => {
    const { token } = await api.register()
    const made = await api.call('POST', '/auth/tokens', { token, json: { name: 'ci', days: 1 } })
    expect((await change(made.body.token, { currentPassword: password, newPassword })).status).toBe(403)
  })

  it('leaves no login with the old password, even if both happen at once', async () => {
    for (let round = 0; round < 8; round++) {
      const { email, token } = await api.register()
      const [changed, ...logins] = await Promise.all([
        change(token, { currentPassword: password, newPassword }),
        logInAs(email),
        logInAs(email),
      ])
      expect(changed.status).toBe(204)
      for (const { status, body } of logins) {
        if (status !== 200) continue
        expect((await api.call('GET', '/merchants', { token: body.token })).status).toBe(401)
      }
    }
  })
})

describe('a login that is not refreshed', () => {
  it('ends after its idle time, long before its maximum lifetime', async () => {
    const { token, refreshToken } = await api.register()
    const refresh = (used: string) => api.call('POST', '/auth/refresh', { json: { refreshToken: used } })
    const { jti } = decodeJwt(token)
    const idle = (by: string) =>
      sessionRecords.change(database.db, { id: jti }, { idleExpiresAt: fromNow(by) })
    await idle('1 second')
    const first = await refresh(refreshToken)
    expect(first.status).toBe(200)
    expect(await minutesUntilIdle(database.db, jti ?? '')).toBe(30)
    await idle('0 seconds')
    expect((await refresh(first.body.refreshToken)).status).toBe(401)
  })
})
