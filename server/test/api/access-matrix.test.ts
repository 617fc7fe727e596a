import { SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import type { Route } from '../../src/platform/http/route.ts'
import { useDatabase } from '../support/database.ts'
import { jwtSecret } from './api.ts'
import { type Browser, logInBrowser } from './browser.ts'
import { type Seller, useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)

/** What a caller may send. */
interface Sent {
  readonly token?: string
  readonly key?: string
}

let alice: Seller
let bob: Seller
let credentials: Readonly<Record<CredentialName, Sent>>
/** Merchant segments, as Alice sees them. */
let merchants: Readonly<Record<TargetName, string>>

const credentialNames = [
  'no credential',
  'a junk token',
  'a junk key',
  'an expired token',
  'a token after logout',
  'a revoked key',
  'a junk token beside a good key',
  'the other account',
  "the other merchant's key",
  'the own key',
  'the own token',
] as const
type CredentialName = (typeof credentialNames)[number]

const targetNames = ['own', 'foreign', 'missing', 'malformed'] as const
type TargetName = (typeof targetNames)[number]

beforeAll(async () => {
  alice = await api.openSeller()
  bob = await api.openSeller()
  const left = await api.openSeller()
  await api.call('POST', '/auth/logout', { token: left.token })
  const dead = await api.openSeller()
  await api.call('DELETE', `/key/revoke/${dead.merchantId}`, { token: dead.token })
  credentials = {
    'no credential': {},
    'a junk token': { token: 'junk' },
    'a junk key': { key: 'junk' },
    'an expired token': { token: await expired(alice.token) },
    'a token after logout': { token: left.token },
    'a revoked key': { key: dead.key },
    'a junk token beside a good key': { token: 'junk', key: alice.key },
    'the other account': { token: bob.token },
    "the other merchant's key": { key: bob.key },
    'the own key': { key: alice.key },
    'the own token': { token: alice.token },
  }
  merchants = { own: alice.merchantId, foreign: bob.merchantId, missing: newId(), malformed: 'nonsense' }
})

/** The same token with its time over. */
function expired(token: string): Promise<string> {
  const [, claims = ''] = token.split('.')
  const payload = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({ ...payload, iat: now - 120, nbf: now - 120, exp: now - 60 })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .sign(Buffer.from(jwtSecret.reveal()))
}

/** The spec's order: 401, then 403, then 404 for the merchant; undefined where the request may go on. */
function refusalOf(route: Route, name: CredentialName, target: TargetName): 401 | 403 | 404 | undefined {
  if (credentialNames.indexOf(name) <= credentialNames.indexOf('a junk token beside a good key')) return 401
  const isKey = name.endsWith('key')
  if (isKey && route.auth === 'bearer') return 403
  // Which merchant is whose depends on who asks.
  const isOther = name === 'the other account' || name === "the other merchant's key"
  const seen = isOther ? (({ own: 'foreign', foreign: 'own' } as const)[target as 'own'] ?? target) : target
  if (seen === 'own') return undefined
  if (isKey || seen === 'foreign') return 403
  return 404
}

const children: Readonly<Record<string, () => string>> = {
  methodID: () => '1',
  code: () => 'not-found',
  txHash: () => `0x${'ab'.repeat(32)}`,
}

/** The path with ids that name nothing below the given merchant. */
function pathOf({ path }: Route, merchantId: string): string {
  return path
    .replace(':merchantID', merchantId)
    .replaceAll(/:(\w+)/g, (_, name) => (children[name] ?? newId)())
}

/** A whole answer but for what differs by request. */
function bodyOf(text: string): string {
  return text.replace(/"requestID":"[^"]*"/, '')
}

const guarded = () => api.routes.filter(({ auth }) => auth !== 'open')

describe('G01 the access matrix', () => {
  it.each(credentialNames)(
    'judges %s on every route below a merchant, own, foreign, missing or malformed',
    async (name) => {
      for (const route of guarded().filter(({ path }) => path.includes(':merchantID'))) {
        for (const target of targetNames) {
          const expected = refusalOf(route, name, target)
          // What may go on is tried by every other test; here it would use the merchant up.
          if (expected === undefined) continue
          const answer = await api.call(route.method, pathOf(route, merchants[target]), credentials[name])
          const at = `${route.method} ${route.path} ${target}`
          expect(`${at} ${answer.status}`).toBe(`${at} ${expected}`)
          expect(answer.headers.get('content-type')).toBe('application/problem+json')
          expect(answer.headers.has('www-authenticate')).toBe(expected === 401)
        }
      }
    },
  )

  it.each(credentialNames.slice(0, 7))(
    'answers 401 to %s on every guarded route that names no merchant',
    async (name) => {
      for (const route of guarded().filter(({ path }) => !path.includes(':merchantID'))) {
        const answer = await api.call(route.method, pathOf(route, ''), credentials[name])
        expect(`${route.method} ${route.path} ${answer.status}`).toBe(`${route.method} ${route.path} 401`)
      }
    },
  )

  it('is closed to whoever is no operator on every route below /operator', async () => {
    const routes = api.routes.filter(({ path }) => path.startsWith('/operator/'))
    expect(routes.length).toBeGreaterThan(15)
    for (const route of routes) {
      expect(`${route.method} ${route.path} ${route.auth}`).toBe(`${route.method} ${route.path} bearer`)
      const { status } = await api.call(route.method, pathOf(route, alice.merchantId), { token: alice.token })
      expect(`${route.method} ${route.path} ${status}`).toBe(`${route.method} ${route.path} 403`)
    }
  })

  it('G03 answers 403 to an API key wherever Bearer is due', async () => {
    const routes = guarded().filter(({ auth }) => auth === 'bearer')
    expect(routes.length).toBeGreaterThan(9)
    for (const route of routes) {
      const { status } = await api.call(route.method, pathOf(route, alice.merchantId), { key: alice.key })
      expect(`${route.method} ${route.path} ${status}`).toBe(`${route.method} ${route.path} 403`)
    }
  })

  it('answers a key the same bytes for a foreign merchant as for one that does not exist', async () => {
    for (const route of guarded().filter(({ path }) => path.includes(':merchantID'))) {
      const [foreign, missing, malformed] = await Promise.all(
        (['foreign', 'missing', 'malformed'] as const).map((target) =>
          api.call(route.method, pathOf(route, merchants[target]), { key: alice.key }),
        ),
      )
      expect(bodyOf(foreign?.text ?? '')).toBe(bodyOf(missing?.text ?? ''))
      expect(bodyOf(foreign?.text ?? '')).toBe(bodyOf(malformed?.text ?? ''))
    }
  })

  it('takes a browser’s cookie wherever it takes Bearer, and for changes its CSRF token as well', async () => {
    const mine: Browser = await logInBrowser(api, alice)
    for (const route of guarded()) {
      const isBelow = route.path.includes(':merchantID')
      const isOperators = route.path.startsWith('/operator/')
      if (!isBelow && !isOperators) continue
      const path = pathOf(route, merchants.missing)
      const allowed = isOperators ? 403 : 404
      const at = `${route.method} ${route.path}`
      expect(`${at} ${(await mine.call(route.method, path)).status}`).toBe(`${at} ${allowed}`)
      if (route.method === 'GET') continue
      const forged = await mine.call(route.method, path, { headers: { 'x-csrf-token': 'guessed' } })
      expect(`${at} ${forged.status} ${forged.body.detail}`).toMatch(`${at} 403 Send the csrfToken`)
    }
  })

  it('needs no credential on open routes, and minds none', async () => {
    for (const route of api.routes.filter(({ auth }) => auth === 'open')) {
      for (const name of ['no credential', 'a junk token', 'a junk key', 'an expired token'] as const) {
        const { status, body } = await api.call(route.method, pathOf(route, ''), credentials[name])
        const isLogin = body?.code === 'unauthenticated' && route.path === '/auth/refresh'
        expect(`${route.path} ${isLogin ? 200 : status}`).not.toMatch(/ 40[13]$/)
      }
    }
  })

  it('leaves the sellers as they were', async () => {
    for (const seller of [alice, bob]) {
      expect((await seller.call('GET', '')).status).toBe(200)
      expect((await api.call('GET', '/merchants', { token: seller.token })).body).toHaveLength(1)
    }
  })
})
