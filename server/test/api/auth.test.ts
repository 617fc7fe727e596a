import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose'
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { logInFromShell } from '../../src/accounts/log-in.ts'
import { ensureFirstAccount } from '../../src/accounts/register-account.ts'
import { openTokens } from '../../src/accounts/tokens.ts'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { Secret } from '../../src/core/settings.ts'
import { one, openDb } from '../../src/db/pool.ts'
import { newApiKey } from '../../src/merchants/api-key.ts'
import { useDatabase } from '../support/database.ts'
import { jwtSecret, password, startApi, useApi } from './api.ts'

const database = useDatabase()
const api = useApi(database)

describe('the first account', () => {
  it('is an operator and is made once, however many processes start at once', async () => {
    // Hashing would put them one after the other.
    const passwords = { hash: async () => 'a hash', matches: async () => false }
    const secret = new Secret('a password for admins')
    const ensure = (email: string) =>
      ensureFirstAccount({ db: database.db, passwords }, { email, password: secret })
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ensure('Admin@Coffer.test')))
    expect(made.filter(Boolean)).toHaveLength(1)
    expect(await ensure('other@coffer.test')).toBe(false)
    const rows = await database.db.query(sql`select email, is_operator from account`)
    expect(rows).toEqual([{ email: 'admin@coffer.test', is_operator: true }])
  })

  it('can be logged in from the shell', async () => {
    const tokens = openTokens({ jwtSecret, clock: systemClock })
    const parts = { db: database.db, clock: systemClock, tokens, tokenLifeMs: 60_000, sessionLifeMs: 60_000 }
    const login = await logInFromShell(parts)
    expect(login?.email).toBe('admin@coffer.test')
    expect((await api.call('GET', '/merchants', { token: login?.token })).status).toBe(200)
    expect(await logInFromShell(parts, { email: 'nobody@coffer.test' })).toBeUndefined()
  })
})

describe('POST /auth/register', () => {
  it('answers 201 with the id and stores no password', async () => {
    const email = `${newId()}@Example.com`
    const answer = await api.call('POST', '/auth/register', { json: { email, password } })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    const row = await one<Record<string, string>>(
      database.db,
      sql`select email, password_hash from account where id = ${answer.body.id}`,
    )
    expect(row?.['email']).toBe(email.toLowerCase())
    expect(row?.['password_hash']).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('answers 409 for an email that has an account, in any spelling', async () => {
    const { email } = await api.register()
    const json = { email: email.toUpperCase(), password }
    const answer = await api.call('POST', '/auth/register', { json })
    expect(answer).toMatchObject({ status: 409, body: { code: 'email-taken' } })
  })

  it('makes one account of many requests at once', async () => {
    const json = { email: `${newId()}@example.com`, password }
    const answers = await Promise.all([1, 2, 3].map(() => api.call('POST', '/auth/register', { json })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  it.each([
    [{ email: 'nonsense', password }, '/email'],
    [{ email: 'a@b@c', password }, '/email'],
    [{ email: `${'a'.repeat(300)}@example.com`, password }, '/email'],
    [{ email: 'a@example.com', password: 'eleven char' }, '/password'],
    [{ email: 'a@example.com', password: 'x'.repeat(201) }, '/password'],
    [{ email: 'a@example.com', password: 'aaaaaaaaaaaaaaaa' }, '/password'],
    [{ email: 'ada@example.com', password: 'xx ada@example.com xx' }, '/password'],
    [{ email: 'a@example.com' }, '/password'],
    [{ email: 'a@example.com', password, isOperator: true }, '/isOperator'],
  ])('answers 400 for %o and names the field', async (json, pointer) => {
    const answer = await api.call('POST', '/auth/register', { json })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].pointer).toBe(pointer)
  })

  it('answers 403 before all else when registration is closed', async () => {
    const closed = await startApi(database.db, { registration: 'closed' })
    const answer = await closed.call('POST', '/auth/register', { json: { nonsense: true } })
    await closed.close()
    expect(answer).toMatchObject({ status: 403, body: { code: 'registration-closed' } })
  })
})

describe('POST /auth/login', () => {
  it('answers a token with its end and a refresh token', async () => {
    const { email } = await api.register()
    const answer = await api.call('POST', '/auth/login', {
      json: { email: ` ${email.toUpperCase()} `, password },
    })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body).sort()).toEqual(['expiresAt', 'refreshToken', 'token', 'tokenType'])
    expect(answer.body.tokenType).toBe('Bearer')
    expect(answer.body.expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { exp = 0 } = decodeJwt(answer.body.token)
    expect(exp * 1000 - Date.now()).toBeGreaterThan(890_000)
    expect(exp * 1000 - Date.now()).toBeLessThanOrEqual(900_000)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('answers a wrong password and an unknown email alike', async () => {
    const { email } = await api.register()
    const wrong = await api.call('POST', '/auth/login', { json: { email, password: 'wrong password 123' } })
    const unknown = await api.call('POST', '/auth/login', { json: { email: 'no@example.com', password } })
    expect(wrong.status).toBe(401)
    expect({ ...wrong.body, requestID: '' }).toEqual({ ...unknown.body, requestID: '' })
  })

  it('hashes for an unknown email as for a known one', async () => {
    const { email } = await api.register()
    const timed = async (json: object) => {
      const start = performance.now()
      await api.call('POST', '/auth/login', { json })
      return performance.now() - start
    }
    const known: number[] = []
    const unknown: number[] = []
    for (let round = 0; round < 15; round++) {
      known.push(await timed({ email, password: 'wrong password 123' }))
      unknown.push(await timed({ email: 'no@example.com', password: 'wrong password 123' }))
    }
    // Without the hash the answer takes a fifth of the time.
    expect(median(unknown)).toBeGreaterThan(median(known) / 2)
  })
})

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

describe('POST /auth/refresh', () => {
  const refresh = (refreshToken: string) => api.call('POST', '/auth/refresh', { json: { refreshToken } })

  it('exchanges a refresh token for a token that works and another refresh token', async () => {
    const person = await api.register()
    const answer = await refresh(person.refreshToken)
    expect(answer.status).toBe(200)
    expect(answer.body.refreshToken).not.toBe(person.refreshToken)
    expect((await api.call('GET', '/merchants', { token: answer.body.token })).status).toBe(200)
    expect((await refresh(answer.body.refreshToken)).status).toBe(200)
  })

  it('ends the session when a used refresh token comes again', async () => {
    const person = await api.register()
    const first = await refresh(person.refreshToken)
    const reused = await refresh(person.refreshToken)
    expect(reused).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(reused.headers.get('www-authenticate')).toBe('Bearer realm="coffer"')
    expect((await refresh(first.body.refreshToken)).status).toBe(401)
    expect((await api.call('GET', '/merchants', { token: first.body.token })).status).toBe(401)
    const audited = await database.db.query(
      sql`select 1 from audit_entry where action = 'session.refresh_reused'`,
    )
    expect(audited).toHaveLength(1)
  })

  it('lets one of two at once have it', async () => {
    const { refreshToken } = await api.register()
    const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('cannot be made to end a session by an invented refresh token', async () => {
    const person = await api.register()
    const { jti = '' } = decodeJwt(person.token)
    const stranger = openTokens({ jwtSecret: new Secret('x'.repeat(32)), clock: systemClock })
    expect((await refresh(stranger.issueRefresh(jti))).status).toBe(401)
    expect((await refresh('nonsense')).status).toBe(401)
    expect((await refresh(person.refreshToken)).status).toBe(200)
  })

  it('answers 401 after the session is over', async () => {
    const person = await api.register()
    const { jti = '' } = decodeJwt(person.token)
    await database.db.query(sql`update session set expires_at = now() where id = ${jti}`)
    expect((await refresh(person.refreshToken)).status).toBe(401)
  })
})

describe('Bearer tokens', () => {
  it('end at once on every process after logout', async () => {
    const other = await startApi(database.db)
    const { token, refreshToken } = await api.register()
    expect((await other.call('GET', '/merchants', { token })).status).toBe(200)
    expect((await api.call('POST', '/auth/logout', { token })).status).toBe(204)
    expect((await other.call('GET', '/merchants', { token })).status).toBe(401)
    expect((await api.call('POST', '/auth/refresh', { json: { refreshToken } })).status).toBe(401)
    expect((await api.call('POST', '/auth/logout', { token })).status).toBe(401)
    await other.close()
  })

  it('end by the database’s time, whatever they say themselves', async () => {
    const { token } = await api.register()
    await database.db.query(sql`update session set expires_at = now() where id = ${decodeJwt(token).jti}`)
    expect((await api.call('GET', '/merchants', { token })).status).toBe(401)
  })

  it('are refused in every altered or foreign form', async () => {
    const { token } = await api.register()
    const claims = decodeJwt(token)
    const key = createSecretKey(Buffer.from(jwtSecret.reveal()))
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const header = { alg: 'HS256', typ: 'at+jwt' }
    const sign = (payload: object, protectedHeader: object = header) =>
      new SignJWT({ ...claims, ...payload }).setProtectedHeader({ ...header, ...protectedHeader }).sign(key)
    const now = Math.floor(Date.now() / 1000)
    const bad = {
      none: new UnsecuredJWT(claims).encode(),
      rs256: await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt' }).sign(rsa),
      hs512: await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS512', typ: 'at+jwt' })
        .sign(createSecretKey(Buffer.alloc(64, 1))),
      otherKey: await new SignJWT(claims)
        .setProtectedHeader(header)
        .sign(createSecretKey(Buffer.alloc(32, 1))),
      kid: await sign({}, { kid: '../../etc/passwd' }),
      jku: await sign({}, { jku: 'https://evil.example/keys' }),
      typ: await sign({}, { typ: 'JWT' }),
      iss: await sign({ iss: 'other' }),
      aud: await sign({ aud: 'other' }),
      expired: await sign({ exp: now - 60 }),
      early: await sign({ nbf: now + 60 }),
      noExp: await sign({ exp: undefined }),
      noJti: await sign({ jti: undefined }),
      otherSession: await sign({ jti: newId() }),
      otherAccount: await sign({ sub: newId() }),
      noId: await sign({ jti: "' or 1=1" }),
      huge: `${token}${'a'.repeat(4000)}`,
      cut: token.slice(0, -1),
    }
    expect((await api.call('GET', '/merchants', { token: await sign({}) })).status).toBe(200)
    for (const [name, candidate] of Object.entries(bad)) {
      expect([name, (await api.call('GET', '/merchants', { token: candidate })).status]).toEqual([name, 401])
    }
  })
})

describe('while the database is away', () => {
  it('a good credential is answered 503 with Retry-After, never 401, and liveness 200', async () => {
    const { token } = await api.register()
    const away = openDb({ url: 'postgres://nobody@127.0.0.1:1/none', log: silentLog })
    const cut = await startApi(away)
    const credentials = [{ token }, { key: newApiKey() }]
    for (const credential of credentials) {
      const answer = await cut.call('GET', '/merchants', credential)
      expect(answer).toMatchObject({ status: 503, body: { code: 'database-unavailable' } })
      expect(answer.headers.get('retry-after')).toBe('2')
    }
    const json = { email: 'a@example.com', password }
    expect((await cut.call('POST', '/auth/login', { json })).status).toBe(503)
    expect((await cut.call('GET', '/healthz')).status).toBe(200)
    await cut.close()
    await away.close()
  })
})

describe('/auth/tokens', () => {
  it('makes, lists and revokes tokens with a name', async () => {
    const { token } = await api.register()
    const made = await api.call('POST', '/auth/tokens', { token, json: { name: 'deploy', days: 90 } })
    expect(made.status).toBe(201)
    expect(Object.keys(made.body).sort()).toEqual(['expiresAt', 'id', 'token'])
    expect(Date.parse(made.body.expiresAt) - Date.now()).toBeGreaterThan(89.9 * 86_400_000)
    expect((await api.call('GET', '/merchants', { token: made.body.token })).status).toBe(200)

    const listed = await api.call('GET', '/auth/tokens', { token })
    const { id, expiresAt } = made.body
    expect(listed.body).toEqual([{ id, name: 'deploy', createdAt: expect.any(String), expiresAt }])

    expect((await api.call('DELETE', `/auth/tokens/${id}`, { token })).status).toBe(204)
    expect((await api.call('GET', '/merchants', { token: made.body.token })).status).toBe(401)
    expect((await api.call('GET', '/auth/tokens', { token })).body).toEqual([])
    expect((await api.call('DELETE', `/auth/tokens/${id}`, { token })).status).toBe(204)
  })

  it.each([
    { name: 'x', days: 0 },
    { name: 'x', days: 91 },
    { name: 'x', days: 1.5 },
    { name: 'x', days: '5' },
    { name: '', days: 5 },
    { days: 5 },
  ])('answers 400 for %o', async (json) => {
    const { token } = await api.register()
    expect((await api.call('POST', '/auth/tokens', { token, json })).status).toBe(400)
  })

  it('answers 403 to a token that would make another', async () => {
    const { token } = await api.register()
    const json = { name: 'one', days: 1 }
    const made = await api.call('POST', '/auth/tokens', { token, json })
    expect((await api.call('POST', '/auth/tokens', { token: made.body.token, json })).status).toBe(403)
  })

  it('answers a foreign token exactly like a missing one', async () => {
    const alice = await api.register()
    const bob = await api.register()
    const made = await api.call('POST', '/auth/tokens', { token: alice.token, json: { name: 'a', days: 1 } })
    const login = decodeJwt(alice.token).jti
    const ids = [made.body.id, newId(), login, 'nonsense']
    const answers = await Promise.all(
      ids.map((id) => api.call('DELETE', `/auth/tokens/${id}`, { token: bob.token })),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect((await api.call('GET', '/merchants', { token: made.body.token })).status).toBe(200)
  })

  it('keeps at most a hundred, also when made at once', async () => {
    const { token } = await api.register()
    const { sub } = decodeJwt(token)
    await database.db.query(sql`
      insert into session (id, account_id, type, name, expires_at)
      select gen_random_uuid(), ${sub}, 'access_token', 'x', now() + interval '1 day' from generate_series(1, 98)`)
    const json = { name: 'x', days: 1 }
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => api.call('POST', '/auth/tokens', { token, json })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
  })
})
