/** The whole API of a sandbox on a free port, with a shop and blocks made by hand. */
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { openAccess } from '../../src/app/access.ts'
import { chainIdProblem } from '../../src/app/own-rows/chain-id-problem.ts'
import type { OperatorKeys } from '../../src/app/own-rows/open-entry-keys.ts'
import { apiRoutes } from '../../src/app/routes.ts'
import { coldAddressesOf, readConfig } from '../../src/app/settings/config.ts'
import { evmAddressesOf } from '../../src/chains/evm/address.ts'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import { Viewers } from '../../src/checkout/viewers.ts'
import { required } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { openMetrics } from '../../src/oversight/health/metrics.ts'
import type { Screening } from '../../src/payments/screening/screen.ts'
import { openRateLimiters } from '../../src/platform/http/limits/rate-limiter.ts'
import type { Route } from '../../src/platform/http/route.ts'
import { buildServer } from '../../src/platform/http/server.ts'
import { readingParts } from '../../src/pricing/own-rows/operator-key.ts'
import { noOwnRows } from '../../src/pricing/own-rows/signed-rows.ts'
import { FeedWaiters } from '../../src/webhooks/feed/feed-waiters.ts'
import { type Blocks, startBlocks } from '../support/blocks.ts'
import type { TestDatabase } from '../support/database.ts'
import { screeningOff } from '../support/screening.ts'
import { makeShop, type Shop, takePrices } from '../support/shop.ts'
import { type Answer, type Api, type CallOptions, clientOf, jwtSecret, publicUrl } from './api.ts'

export const chainId = 31337

/** A merchant with everything that selling requires. */
export interface Seller {
  readonly email: string
  readonly token: string
  readonly merchantId: string
  readonly key: string
  /** Sends a request with the merchant's key. A path that begins with `/` is below `/merchants/{id}`. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Creates an invoice, by default a onetime invoice of 10 USD in USDT, and returns its id. */
  createInvoice(over?: Readonly<Record<string, unknown>>): Promise<string>
}

export interface ShopApi extends Api {
  readonly shop: Shop
  readonly blocks: Blocks
  /**
   * The chain that the node shows. Blocks that are made with `blocks` are booked in the database only, and
   * the node does not have them.
   */
  readonly chain: FakeChain
  /** The readers of all networks. A test adds one as a running process does. */
  readonly readers: ChainReader[]
  readonly routes: readonly Route[]
  /** The waiting readers of the feed. Nothing polls for them unless a test does. */
  readonly feedWaiters: FeedWaiters
  /** The open checkout pages. Nothing polls for them unless a test does. */
  readonly viewers: Viewers
  openSeller(): Promise<Seller>
  /** Opens a seller with 98.9 USDT, a payment of 100 less its fee. */
  openFunded(): Promise<Seller>
  /** Pays a seller the same amount. */
  fund(seller: Seller): Promise<void>
  /** Returns the public answer with the address of an invoice in one payment method. */
  addressOf(invoiceId: string, methodId?: number | string, options?: CallOptions): Promise<Answer>
}

export interface ShopApiOptions {
  readonly log?: Log
  /** Whether the chain is followed; true by default. */
  readonly isFollowed?: boolean
  /** Screening; off by default. */
  readonly screening?: Screening
  /** The number of requests that one client may make; unlimited by default. */
  readonly requestsMax?: number
  /** Readers of further networks; none by default. */
  readonly otherNetworks?: readonly ChainReader[]
  /** The operator's keys; none by default. */
  readonly operatorKeys?: OperatorKeys
  /** The nodes that are asked about tokens; none by default. */
  readonly nodeUrls?: ReadonlyMap<string, readonly string[]>
  /** Settings that differ from a sandbox's own. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts the API for a test file. Call this at the top of a file or a `describe`, after `useDatabase`. */
export function useShopApi(database: TestDatabase, options: ShopApiOptions = {}): ShopApi {
  let started: ShopApi | undefined
  beforeAll(async () => {
    started = await startShopApi(database, options)
  })
  afterAll(() => started?.close())
  return new Proxy({} as ShopApi, {
    get: (_target, name) => Reflect.get(required(started, 'the API, which exists inside tests only,'), name),
  })
}

export async function startShopApi(
  database: TestDatabase,
  {
    log: given = silentLog,
    isFollowed = true,
    screening = screeningOff,
    environment = {},
    otherNetworks = [],
    operatorKeys = { reading: readingParts([], 'here'), sign: undefined },
    nodeUrls = new Map(),
    requestsMax,
  }: ShopApiOptions = {},
): Promise<ShopApi> {
  const metrics = openMetrics()
  const log = metrics.counting(given)
  const { db } = database
  const shop = makeShop(database)
  await takePrices(shop)
  const blocks = await startBlocks(shop, isFollowed)
  const chain = new FakeChain()
  const clock = systemClock
  const config = readConfig(environment)
  const secrets = {
    jwtSecret,
    adminPassword: new Secret('an admin password'),
    encryptionKey: new Secret('ab'.repeat(32)),
  }
  const access = await openAccess({ config, db, clock, log, secrets })
  const feedWaiters = new FeedWaiters({ db })
  const viewers = new Viewers({ db })
  const rateLimiters = await openRateLimiters({ log })
  const requestLimiter =
    requestsMax && rateLimiters.limiter({ name: 'request', limit: requestsMax, windowS: 60 })
  const readers = [openFakeReader(chain), ...otherNetworks]
  const routes = apiRoutes({
    ...access,
    ...shop,
    config,
    clock,
    secrets,
    publicUrl,
    ownUrls: () => [publicUrl],
    screening,
    rateLimiters,
    metrics,
    feedWaiters,
    viewers,
    chains: readers,
    evmUrls: new Map([['ethereum', environment['EVM_RPC_ETHEREUM'] ?? '']]),
    coldAddresses: coldAddressesOf(config),
    ownRows: () => noOwnRows,
    operatorKeys,
    nodeUrls,
    chainIdProblem: (id) => chainIdProblem(config, id, []),
    litecoinUrl: undefined,
    codecOf: () => evmAddressesOf(chainId),
    walletChainOf: () => undefined,
  })
  const idempotency = { db, clock, sealer: openSealer(secrets.encryptionKey) }
  const app = buildServer({
    routes,
    authenticator: access.authenticator,
    log,
    publicUrl,
    idempotency,
    onAnswered: metrics.observe,
    ...(requestLimiter ? { requestLimiter } : {}),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const api = clientOf(port, async () => {
    await app.close()
    await access.lastUsed.close()
  })
  return {
    ...api,
    shop,
    blocks,
    chain,
    readers,
    routes,
    feedWaiters,
    viewers,
    ...openSellers(api, shop, blocks),
    addressOf: (invoiceId, methodId = 1, call = {}) =>
      api.call('GET', `/public/invoices/${invoiceId}/method/${methodId}/address`, call),
  }
}

function openSellers(
  api: Api,
  shop: Shop,
  blocks: Blocks,
): Pick<ShopApi, 'openSeller' | 'openFunded' | 'fund'> {
  const fund = async (seller: Seller) => {
    const { address } = await shop.addressFor(await seller.createInvoice({ amount: '100' }))
    await blocks.mine([blocks.pay(address, 100_000_000n)])
    await blocks.mine()
  }
  return {
    openSeller: () => openSeller(api),
    openFunded: async () => {
      const seller = await openSeller(api)
      await fund(seller)
      return seller
    },
    fund,
  }
}

async function openSeller(api: Api): Promise<Seller> {
  const { email, token } = await api.register()
  const merchantId = await api.makeMerchant(token)
  const key = await api.makeKey(token, merchantId)
  const call: Seller['call'] = (method, path, options = {}) =>
    api.call(method, `/merchants/${merchantId}${path}`, { key, ...options })
  return {
    email,
    token,
    merchantId,
    key,
    call,
    async createInvoice(over = {}) {
      const json = { amount: '10', type: 'onetime', paymentMethodID: 1, ...over }
      const { status, body, text } = await call('POST', '/invoices', { json })
      if (status !== 201) throw new Error(`expected 201, got ${status}: ${text}`)
      return body.id
    },
  }
}
