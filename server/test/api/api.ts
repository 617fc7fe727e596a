/** The API of accounts and merchants on a free port, with the test file's own database. */
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../../sdk/src/index.ts'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { newId } from '../../src/core/ids.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { authenticateBearer } from '../../src/merchants/accounts/authenticate-bearer.ts'
import { dashboardSessionRoutes } from '../../src/merchants/accounts/dashboard-routes.ts'
import { authenticateCookie } from '../../src/merchants/accounts/dashboard-session.ts'
import { openPasswords, type Passwords } from '../../src/merchants/accounts/passwords.ts'
import { accountRoutes } from '../../src/merchants/accounts/routes.ts'
import { openTokens } from '../../src/merchants/accounts/tokens.ts'
import { authenticateKey, openKeyLookUps } from '../../src/merchants/authenticate-key.ts'
import { LastUsed } from '../../src/merchants/last-used.ts'
import { merchantRoutes } from '../../src/merchants/routes.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { authenticator } from '../../src/platform/http/auth.ts'
import { httpRoutes } from '../../src/platform/http/routes.ts'
import { buildServer } from '../../src/platform/http/server.ts'
import type { TestDatabase } from '../support/database.ts'

export const jwtSecret = new Secret('test-secret-of-more-than-32-characters')
export const sealer = openSealer(new Secret('ab'.repeat(32)))
export const publicUrl = 'https://pay.example'
export const password = 'correct horse battery staple'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests state themselves what they expect to find
  readonly body: any
}

export interface CallOptions {
  readonly token?: string | undefined
  readonly key?: string | undefined
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ApiOptions {
  readonly registration?: 'open' | 'closed'
  readonly tokenLifetimeMs?: number
  readonly sessionLifetimeMs?: number
  readonly sessionIdleMs?: number
  readonly allowHttp?: boolean
  readonly allowPrivate?: boolean
  readonly log?: Log
  readonly passwords?: Passwords
}

export interface Person {
  readonly email: string
  readonly token: string
  readonly refreshToken: string
}

export interface Api {
  readonly port: number
  /**
   * Sends a request exactly as given, which a well-behaved client might refuse to do, and returns the answer
   * unchanged.
   */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Returns the published client, without retries. */
  client(credential?: Pick<ClientOptions, 'apiKey' | 'token'>): Client
  /** Creates an account and logs it in. */
  register(): Promise<Person>
  /** Creates a merchant of that account. */
  makeMerchant(token: string, name?: string): Promise<string>
  makeKey(token: string, merchantId: string): Promise<string>
  close(): Promise<void>
}

/** Starts the API for a test file. Call this at the top of a file or a `describe`, after `useDatabase`. */
export function useApi(database: TestDatabase, options: ApiOptions = {}): Api {
  let started: Api | undefined
  const current = () => required(started, 'the API, which exists inside tests only,')
  beforeAll(async () => {
    started = await startApi(database.db, options)
  })
  afterAll(() => started?.close())
  return {
    get port() {
      return current().port
    },
    call: (...call) => current().call(...call),
    client: (credential) => current().client(credential),
    register: () => current().register(),
    makeMerchant: (...made) => current().makeMerchant(...made),
    makeKey: (...made) => current().makeKey(...made),
    close: () => current().close(),
  }
}

export async function startApi(db: Db, options: ApiOptions = {}): Promise<Api> {
  const { log = silentLog } = options
  const clock = systemClock
  const lastUsed = new LastUsed({ db, clock, log })
  const tokens = openTokens({ jwtSecret, clock })
  const { tokenLifetimeMs = 900_000, sessionLifetimeMs = 43_200_000, registration = 'open' } = options
  const rules = {
    allowHttp: options.allowHttp ?? false,
    allowPrivate: options.allowPrivate ?? false,
    ports: [443, 8443],
  }
  const accountParts = {
    db,
    clock,
    tokens,
    sealer,
    issuer: 'Coffer pay.example',
    passwords: options.passwords ?? openPasswords(),
    tokenLifetimeMs,
    sessionLifetimeMs,
    sessionIdleMs: options.sessionIdleMs ?? 1_800_000,
    registration,
  }
  const app = buildServer({
    routes: [
      ...httpRoutes(),
      ...accountRoutes(accountParts),
      ...dashboardSessionRoutes({ ...accountParts, publicUrl, mode: 'production' }),
      ...merchantRoutes({
        db,
        lastUsed,
        sealer,
        webhookRules: () => ({ ...rules, ownUrls: [publicUrl] }),
        balancesOf: async (ids) =>
          new Map(ids.map((id) => [id, [{ paymentMethodID: 1, balance: '0', symbol: 'USDT' }]])),
      }),
    ],
    authenticator: authenticator({
      authenticateBearer: (token, merchantId) => authenticateBearer({ db, tokens }, token, merchantId),
      authenticateCookie: (sent, merchantId) => authenticateCookie(accountParts, sent, merchantId),
      authenticateKey: (key, merchantId, address) =>
        authenticateKey({ keyLookUps: openKeyLookUps(db), lastUsed }, key, merchantId, address),
    }),
    log,
    publicUrl,
    idempotency: { db, clock, sealer },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return clientOf(port, async () => {
    await app.close()
    await lastUsed.close()
  })
}

export function clientOf(port: number, close: () => Promise<void>): Api {
  const call: Api['call'] = async (method, path, { token, key, json, headers = {} } = {}) => {
    const sent = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: sent, ...body })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }
  const baseUrl = `http://127.0.0.1:${port}`
  const client: Api['client'] = (credential = {}) =>
    createClient({ baseUrl, retries: { retriesMax: 0 }, ...credential })
  return {
    port,
    call,
    client,
    close,
    async register() {
      const email = `${newId()}@example.com`
      await client().register({ body: { email, password } })
      const { token, refreshToken } = await client().login({ body: { email, password } })
      return { email, token, refreshToken }
    },
    async makeMerchant(token, name = 'Shop') {
      return (await client({ token }).createMerchant({ body: { name } })).id
    },
    async makeKey(token, merchantID) {
      return (await client({ token }).generateKey({ merchantID })).apiKey
    },
  }
}
