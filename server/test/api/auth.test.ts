import { createHmac, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { Secret } from '../../src/core/settings.ts'
import { logInFromShell } from '../../src/merchants/accounts/log-in.ts'
import { openPasswords } from '../../src/merchants/accounts/passwords.ts'
import { ensureFirstAccount } from '../../src/merchants/accounts/register-account.ts'
import { openTokens } from '../../src/merchants/accounts/tokens.ts'
import { newApiKey } from '../../src/merchants/api-key.ts'
import { openDb } from '../../src/platform/db/pool.ts'
import { useDatabase } from '../support/database.ts'
import { addTokens } from '../support/people/add-logins.ts'
import { accountRecords, auditRecords, sessionRecords } from '../support/people/records.ts'
import { fromNow, now } from '../support/records/values.ts'
import { jwtSecret, type Person, password, startApi, useApi } from './api.ts'

const database = useDatabase()
const api = useApi(database)

describe('the first account', () => {
  it('is an operator and is created once, however many processes start at the same moment', async () => {
    // This hash function is immediate. Real hashing would run the attempts one after the other.
    const passwords = { ...openPasswords(), hash: async () => 'a hash' }
    const secret = new Secret('a password for admins')
    const ensure = (email: string) =>
      ensureFirstAccount({ db: database.db, passwords }, { email, password: secret })
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ensure('Admin@Coffer.test')))
    expect(made.filter(Boolean)).toHaveLength(1)
    expect(await ensure('other@coffer.test')).toBe(false)
    const rows = await accountRecords.all(database.db, {}, 'email', 'isOperator')
    expect(rows).toEqual([{ email: 'admin@coffer.test', isOperator: true }])
  })

  it('can log in with a token that the shell command creates', async () => {
    const tokens = openTokens({ jwtSecret, clock: systemClock })
    const parts = {
      db: database.db,
      clock: systemClock,
      tokens,
      tokenLifetimeMs: 60_000,
      sessionLifetimeMs: 60_000,
    }
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
    const row = await accountRecords.first(database.db, { id: answer.body.id }, 'email', 'passwordHash')
    expect(row?.['email']).toBe(email.toLowerCase())
    expect(row?.['passwordHash']).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('answers 409 for an email that has an account, in any case', async () => {
    const { email } = await api.register()
    const json = { email: email.toUpperCase(), password }
    const answer = await api.call('POST', '/auth/register', { json })
    expect(answer).toMatchObject({ status: 409, body: { code: 'email-taken' } })
  })

  it('creates one account for many requests at once', async () => {
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

  it('answers 403 before any other check when registration is closed', async () => {
    const closed = await startApi(database.db, { registration: 'closed' })
    const answer = await closed.call('POST', '/auth/register', { json: { nonsense: true } })
    await closed.close()
    expect(answer).toMatchObject({ status: 403, body: { code: 'registration-closed' } })
  })
})

describe('POST /auth/login', () => {
  it('answers a token with its expiry, and a refresh token', async () => {
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

  it('G09 answers a wrong password and an unknown email alike', async () => {
    const { email } = await api.register()
    const wrong = await api.call('POST', '/auth/login', { json: { email, password: 'wrong password 123' } })
    const unknown = await api.call('POST', '/auth/login', { json: { email: 'no@example.com', password } })
    expect(wrong.status).toBe(401)
    expect({ ...wrong.body, requestID: '' }).toEqual({ ...unknown.body, requestID: '' })
  })

  it('G09 compares one hash for an unknown email, as for a known one', async () => {
    const passwords = openPasswords()
    const compared: string[] = []
    const counting = await startApi(database.db, {
      passwords: {
        ...passwords,
        matches: (typed, stored) => {
          compared.push(stored === undefined ? 'no hash of an account' : 'the hash of the account')
          return passwords.matches(typed, stored)
        },
      },
    })
    onTestFinished(() => counting.close())
    const { email } = await api.register()
    for (const typed of [email, `${newId()}@example.com`]) {
      const json = { email: typed, password: 'wrong password 123' }
      expect((await counting.call('POST', '/auth/login', { json })).status).toBe(401)
    }
    // Another test shows that both comparisons take the same time.
    expect(compared).toEqual(['the hash of the account', 'no hash of an account'])
  })
})

describe('POST /auth/refresh', () => {
  const refresh = (refreshToken: string) => api.call('POST', '/auth/refresh', { json: { refreshToken } })

  it('exchanges a refresh token for a valid token and a new refresh token', async () => {
    const person = await api.register()
    const answer = await refresh(person.refreshToken)
    expect(answer.status).toBe(200)
    expect(answer.body.refreshToken).not.toBe(person.refreshToken)
    expect((await api.call('GET', '/merchants', { token: answer.body.token })).status).toBe(200)
    expect((await refresh(answer.body.refreshToken)).status).toBe(200)
  })

  it('ends the session when a used refresh token is sent again', async () => {
    const person = await api.register()
    const first = await refresh(person.refreshToken)
    const reused = await refresh(person.refreshToken)
    expect(reused).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(reused.headers.get('www-authenticate')).toBe('Bearer realm="coffer"')
    expect((await refresh(first.body.refreshToken)).status).toBe(401)
    expect((await api.call('GET', '/merchants', { token: first.body.token })).status).toBe(401)
    const audited = await auditRecords.all(database.db, { action: 'session.refresh_reused' })
    expect(audited).toHaveLength(1)
  })

  it('accepts one of two requests at once with the same refresh token', async () => {
    const { refreshToken } = await api.register()
    const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('ends no session when the refresh token is invented', async () => {
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
    await sessionRecords.change(database.db, { id: jti }, { expiresAt: fromNow('-1 second') })
    expect((await refresh(person.refreshToken)).status).toBe(401)
  })
})

describe('Bearer tokens', () => {
  it('G07 end at once on every process after logout', async () => {
    const other = await startApi(database.db)
    const { token, refreshToken } = await api.register()
    expect((await other.call('GET', '/merchants', { token })).status).toBe(200)
    expect((await api.call('POST', '/auth/logout', { token })).status).toBe(204)
    expect((await other.call('GET', '/merchants', { token })).status).toBe(401)
    expect((await api.call('POST', '/auth/refresh', { json: { refreshToken } })).status).toBe(401)
    expect((await api.call('POST', '/auth/logout', { token })).status).toBe(401)
    await other.close()
  })

  it('expire by the clock of the database, whatever expiry the token contains', async () => {
    const { token } = await api.register()
    await sessionRecords.change(database.db, { id: decodeJwt(token).jti }, { expiresAt: now })
    expect((await api.call('GET', '/merchants', { token })).status).toBe(401)
  })

  const key = createSecretKey(Buffer.from(jwtSecret.reveal()))
  const header = { alg: 'HS256', typ: 'at+jwt' }
  const hs = (claims: object, over: object = {}, by = key) =>
    new SignJWT({ ...claims }).setProtectedHeader({ ...header, ...over }).sign(by)
  const nowS = () => Math.floor(Date.now() / 1000)
  type Forge = (claims: JWTPayload, token: string) => string | Promise<string>
  /** Invalid forms of a token, each made from a valid one. */
  const forgeries: readonly (readonly [string, Forge])[] = [
    ['alg none', (claims) => new UnsecuredJWT(claims).encode()],
    [
      'alg none in capitals',
      (_, token) => withHeader(token, { alg: 'NONE', typ: 'at+jwt' }).replace(/[^.]*$/, ''),
    ],
    [
      'RS256 by a key of the forger',
      (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ ...header, alg: 'RS256' })
          .sign(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    ],
    [
      'HS256 with an RSA header, for a verifier that takes the key for a public one',
      (_, token) => withHeader(token, { ...header, alg: 'RS256' }),
    ],
    [
      'HS512 by the right key',
      (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ ...header, alg: 'HS512' })
          .sign(createSecretKey(Buffer.concat([Buffer.from(jwtSecret.reveal()), Buffer.alloc(32)]))),
    ],
    ['HS256 by another key', (claims) => hs(claims, {}, createSecretKey(Buffer.alloc(32, 1)))],
    ['HS256 by an empty secret', (claims) => signedBy(claims, '')],
    ['another aud', (claims) => hs({ ...claims, aud: 'other' })],
    ['no aud', (claims) => hs({ ...claims, aud: undefined })],
    ['another iss', (claims) => hs({ ...claims, iss: 'other' })],
    ['no iss', (claims) => hs({ ...claims, iss: undefined })],
    ['another typ', (claims) => hs(claims, { typ: 'JWT' })],
    ['no typ', (claims) => hs(claims, { typ: undefined })],
    ['exp in the past', (claims) => hs({ ...claims, exp: nowS() - 60 })],
    ['no exp', (claims) => hs({ ...claims, exp: undefined })],
    ['exp as text', (claims) => hs({ ...claims, exp: '9999999999' as unknown as number })],
    ['nbf in the future', (claims) => hs({ ...claims, nbf: nowS() + 60 })],
    ['no nbf', (claims) => hs({ ...claims, nbf: undefined })],
    ['a kid that leads to a file', (claims) => hs(claims, { kid: '../../../../dev/null' })],
    ['a kid that is SQL', (claims) => hs(claims, { kid: "x' union select 'a" })],
    ['a jku', (claims) => hs(claims, { jku: 'https://evil.example/keys' })],
    ['a jwk', (claims) => hs(claims, { jwk: { kty: 'oct', k: 'AAAA' } })],
    ['an x5u', (claims) => hs(claims, { x5u: 'https://evil.example/cert' })],
    ['a crit nobody knows', (claims) => hs(claims, { crit: ['exp'] }).catch(() => 'refused to be made')],
    ['a huge size', (_, token) => `${token}${'a'.repeat(4000)}`],
    ['huge claims', (claims) => hs({ ...claims, padding: 'x'.repeat(6000) })],
    [
      'duplicate claims, the good one first',
      (claims) => signedText(JSON.stringify(claims).replace(/}$/, `,"sub":"${newId()}"}`)),
    ],
    [
      'duplicate claims, the good one last',
      (claims) => signedText(JSON.stringify(claims).replace(/^{/, `{"sub":"${newId()}",`)),
    ],
    [
      'a duplicate header field',
      (_, token) => withHeaderText(token, '{"alg":"none","alg":"HS256","typ":"at+jwt"}'),
    ],
    ['no jti', (claims) => hs({ ...claims, jti: undefined })],
    ['the jti of another session', (claims) => hs({ ...claims, jti: newId() })],
    ['a jti that is SQL', (claims) => hs({ ...claims, jti: "' or 1=1" })],
    ['the sub of another account', (claims) => hs({ ...claims, sub: newId() })],
    ['no sub', (claims) => hs({ ...claims, sub: undefined })],
    ['a cut signature', (_, token) => token.slice(0, -1)],
    ['no signature', (_, token) => token.replace(/[^.]*$/, '')],
    [
      'altered claims',
      (claims, token) => withPart(token, 1, JSON.stringify({ ...claims, exp: nowS() + 10_000 })),
    ],
    ['five parts', (_, token) => `${token}.a.b`],
    ['a blank in it', (_, token) => token.replace('.', '. ')],
  ]

  it.each(forgeries)('G06 with %s are refused', async (_title, forge) => {
    const { token } = await loggedIn()
    const forged = await forge(decodeJwt(token), token)
    expect((await api.call('GET', '/merchants', { token: forged })).status).toBe(401)
  })

  it('G06 made like ours are accepted, so that the refusals above are caused by the listed defect', async () => {
    const { token } = await loggedIn()
    const claims = decodeJwt(token)
    expect((await api.call('GET', '/merchants', { token: await hs(claims) })).status).toBe(200)
    expect((await api.call('GET', '/merchants', { token: signedText(JSON.stringify(claims)) })).status).toBe(
      200,
    )
  })

  let person: Promise<Person> | undefined
  const loggedIn = () => {
    person ??= api.register()
    return person
  }
})

/**
 * Returns a token with these bytes as claims, signed with the right key. A library would refuse to create it.
 */
function signedText(claims: string): string {
  return signedBy(claims, jwtSecret.reveal())
}

function signedBy(claims: object | string, secret: string): string {
  const text = typeof claims === 'string' ? claims : JSON.stringify(claims)
  const parts = ['{"alg":"HS256","typ":"at+jwt"}', text].map((part) =>
    Buffer.from(part).toString('base64url'),
  )
  return `${parts.join('.')}.${createHmac('sha256', secret).update(parts.join('.')).digest('base64url')}`
}

function withHeader(token: string, header: object): string {
  return withPart(token, 0, JSON.stringify(header))
}

/** Replaces one part of a token and keeps the signature, as an attacker without the key would. */
function withPart(token: string, partIndex: number, text: string): string {
  return token
    .split('.')
    .map((part, index) => (index === partIndex ? Buffer.from(text).toString('base64url') : part))
    .join('.')
}

/** Returns a token with these bytes as header, signed with the right key. */
function withHeaderText(token: string, header: string): string {
  const signed = `${Buffer.from(header).toString('base64url')}.${token.split('.')[1]}`
  return `${signed}.${createHmac('sha256', jwtSecret.reveal()).update(signed).digest('base64url')}`
}

describe('while the database is unavailable', () => {
  it('a valid credential gets 503 with Retry-After, never 401, and liveness answers 200', async () => {
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
  it('creates, lists and revokes named tokens', async () => {
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

  it('answers 403 to a token that tries to create another', async () => {
    const { token } = await api.register()
    const json = { name: 'one', days: 1 }
    const made = await api.call('POST', '/auth/tokens', { token, json })
    expect((await api.call('POST', '/auth/tokens', { token: made.body.token, json })).status).toBe(403)
  })

  it('lets a token, which may be stolen, revoke only itself, and list no tokens', async () => {
    const { token } = await api.register()
    const make = async (name: string) =>
      (await api.call('POST', '/auth/tokens', { token, json: { name, days: 1 } })).body
    const stolen = await make('stolen')
    const other = await make('other')
    const by = { token: stolen.token }
    expect((await api.call('GET', '/auth/tokens', by)).status).toBe(403)
    expect((await api.call('DELETE', `/auth/tokens/${other.id}`, by)).status).toBe(403)
    expect((await api.call('GET', '/merchants', { token: other.token })).status).toBe(200)
    expect((await api.call('DELETE', `/auth/tokens/${stolen.id}`, by)).status).toBe(204)
    expect((await api.call('GET', '/merchants', by)).status).toBe(401)
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

  it('keeps at most a hundred tokens, also when they are created at once', async () => {
    const { token } = await api.register()
    const { sub } = decodeJwt(token)
    await addTokens(database.db, sub ?? '', 98)
    const json = { name: 'x', days: 1 }
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => api.call('POST', '/auth/tokens', { token, json })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
  })
})
