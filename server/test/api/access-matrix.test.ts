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

/** The credentials of a caller. */
interface Sent {
  readonly token?: string
  readonly key?: string
}

let alice: Seller
let bob: Seller
let credentials: Readonly<Record<CredentialName, Sent>>
/** The merchant ids in paths, named from Alice's point of view. */
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

/** Returns the same token with an expiry in the past. */
function expired(token: string): Promise<string> {
  const [, claims = ''] = token.split('.')
  const payload = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({ ...payload, iat: now - 120, nbf: now - 120, exp: now - 60 })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .sign(Buffer.from(jwtSecret.reveal()))
}

/**
 * Returns the status that the specification requires. Its order is 401, then 403, then 404 for the merchant.
 * Returns undefined if the request passes these checks.
 */
function expectedStatusOf(
  route: Route,
  name: CredentialName,
  target: TargetName,
): 401 | 403 | 404 | undefined {
  if (credentialNames.indexOf(name) <= credentialNames.indexOf('a junk token beside a good key')) return 401
  const isKey = name.endsWith('key')
  if (isKey && route.auth === 'bearer') return 403
  // The targets are named from Alice's point of view. What is `own` for her is `foreign` for Bob, and the
  // reverse.
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

/** Returns the path below the given merchant. All other ids in it belong to no record. */
function pathOf({ path }: Route, merchantId: string): string {
  return path
    .replace(':merchantID', merchantId)
    .replaceAll(/:(\w+)/g, (_, name) => (children[name] ?? newId)())
}

/** Returns the whole body without the request's id. */
function bodyOf(text: string): string {
  return text.replace(/"requestID":"[^"]*"/, '')
}

/**
 * Returns the routes that a test case covers.
 * @param least the minimum number of routes; a case without any routes would always pass
 */
function routesWhere(isMeant: (route: Route) => boolean, least: number): readonly Route[] {
  const routes = api.routes.filter(isMeant)
  expect(routes.length, 'routes').toBeGreaterThanOrEqual(least)
  return routes
}

const isGuarded = ({ auth }: Route) => auth !== 'open'
const isBelowMerchant = ({ path }: Route) => path.includes(':merchantID')
/** The minimum numbers of routes. Lower one only when a route is removed. */
const belowMerchant = 50
const besideMerchant = 46
const openRoutes = 22

describe('G01 the access matrix', () => {
  it.each(credentialNames)(
    'checks %s on every route below a merchant, own, foreign, missing or malformed',
    async (name) => {
      let tried = 0
      for (const route of routesWhere((one) => isGuarded(one) && isBelowMerchant(one), belowMerchant)) {
        for (const target of targetNames) {
          const expected = expectedStatusOf(route, name, target)
          // Requests that would be accepted are left out, because they could change or delete the merchant.
          // Other tests cover them.
          if (expected === undefined) continue
          tried += 1
          const answer = await api.call(route.method, pathOf(route, merchants[target]), credentials[name])
          const at = `${route.method} ${route.path} ${target}`
          expect(`${at} ${answer.status}`).toBe(`${at} ${expected}`)
          expect(answer.headers.get('content-type')).toBe('application/problem+json')
          expect(answer.headers.has('www-authenticate')).toBe(expected === 401)
        }
      }
      // At most one of the four merchants is the caller's own.
      expect(tried).toBeGreaterThanOrEqual(3 * belowMerchant)
    },
  )

  it.each(credentialNames.slice(0, 7))(
    'answers 401 to %s on every guarded route that names no merchant',
    async (name) => {
      for (const route of routesWhere((one) => isGuarded(one) && !isBelowMerchant(one), besideMerchant)) {
        const answer = await api.call(route.method, pathOf(route, ''), credentials[name])
        expect(`${route.method} ${route.path} ${answer.status}`).toBe(`${route.method} ${route.path} 401`)
      }
    },
  )

  it('answers 403 on every route below /operator to a caller who is not an operator', async () => {
    for (const route of routesWhere(({ path }) => path.startsWith('/operator/'), 16)) {
      expect(`${route.method} ${route.path} ${route.auth}`).toBe(`${route.method} ${route.path} bearer`)
      const { status } = await api.call(route.method, pathOf(route, alice.merchantId), { token: alice.token })
      expect(`${route.method} ${route.path} ${status}`).toBe(`${route.method} ${route.path} 403`)
    }
  })

  it('G03 answers 403 to an API key on every route that requires Bearer', async () => {
    for (const route of routesWhere(({ auth }) => auth === 'bearer', 10)) {
      const { status } = await api.call(route.method, pathOf(route, alice.merchantId), { key: alice.key })
      expect(`${route.method} ${route.path} ${status}`).toBe(`${route.method} ${route.path} 403`)
    }
  })

  it('answers a key with the same bytes for a foreign merchant and for one that does not exist', async () => {
    for (const route of routesWhere((one) => isGuarded(one) && isBelowMerchant(one), belowMerchant)) {
      const [foreign, missing, malformed] = await Promise.all(
        (['foreign', 'missing', 'malformed'] as const).map((target) =>
          api.call(route.method, pathOf(route, merchants[target]), { key: alice.key }),
        ),
      )
      expect(foreign?.status).toBe(403)
      expect(bodyOf(foreign?.text ?? '')).toBe(bodyOf(missing?.text ?? ''))
      expect(bodyOf(foreign?.text ?? '')).toBe(bodyOf(malformed?.text ?? ''))
    }
  })

  it('accepts a browser’s cookie on every route that accepts Bearer, and requires the CSRF token for changes', async () => {
    const mine: Browser = await logInBrowser(api, alice)
    const isOfOperator = ({ path }: Route) => path.startsWith('/operator/')
    const isMeant = (one: Route) => isGuarded(one) && (isBelowMerchant(one) || isOfOperator(one))
    for (const route of routesWhere(isMeant, belowMerchant + 16)) {
      const isOperators = isOfOperator(route)
      const path = pathOf(route, merchants.missing)
      const allowed = isOperators ? 403 : 404
      const at = `${route.method} ${route.path}`
      expect(`${at} ${(await mine.call(route.method, path)).status}`).toBe(`${at} ${allowed}`)
      if (route.method === 'GET') continue
      const forged = await mine.call(route.method, path, { headers: { 'x-csrf-token': 'guessed' } })
      expect(`${at} ${forged.status} ${forged.body.detail}`).toMatch(`${at} 403 Send the csrfToken`)
    }
  })

  it('requires no credential on open routes, and accepts a request with one', async () => {
    for (const route of routesWhere(({ auth }) => auth === 'open', openRoutes)) {
      for (const name of ['no credential', 'a junk token', 'a junk key', 'an expired token'] as const) {
        const { status, body } = await api.call(route.method, pathOf(route, ''), credentials[name])
        const isLogin = body?.code === 'unauthenticated' && route.path === '/auth/refresh'
        expect(`${route.path} ${isLogin ? 200 : status}`).not.toMatch(/ 40[13]$/)
      }
    }
  })

  it('changes nothing of the merchants', async () => {
    for (const seller of [alice, bob]) {
      expect((await seller.call('GET', '')).status).toBe(200)
      expect((await api.call('GET', '/merchants', { token: seller.token })).body).toHaveLength(1)
    }
  })
})
