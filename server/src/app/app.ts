import type { KeyObject } from 'node:crypto'
import type { NetworkName } from '../chains/networks.ts'
import { Viewers } from '../checkout/viewers.ts'
import { required } from '../core/assert.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { CommittedFacts } from '../core/committed-facts.ts'
import { freePort } from '../core/free-port.ts'
import { newId } from '../core/ids.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { placesOf } from '../core/network-place.ts'
import { openSealer } from '../core/seal.ts'
import type { Secret } from '../core/settings.ts'
import { webhookSecretContext } from '../merchants/webhook-endpoint.ts'
import type { PayoutParts } from '../outgoing/engine/machine.ts'
import { takeOutPurpose } from '../outgoing/treasury/take-out-purpose.ts'
import { type Metrics, openMetrics } from '../oversight/health/metrics.ts'
import { readPayments } from '../payments/deposits/payments.ts'
import { AddressPool } from '../payments/invoices/addresses/address-pool.ts'
import type { Screening } from '../payments/screening/screen.ts'
import { lockDataDir } from '../platform/db/embedded/data-dir-lock.ts'
import { withFacts } from '../platform/db/pool.ts'
import { openRateLimiters } from '../platform/http/limits/rate-limiter.ts'
import { requestLimiterOf } from '../platform/http/limits/request-limit.ts'
import type { TlsPair } from '../platform/http/listener.ts'
import { buildServer } from '../platform/http/server.ts'
import type { HistoryWatch } from '../platform/incarnation/history-watch.ts'
import { addPages } from '../platform/web/add-pages.ts'
import { fetchRates } from '../pricing/rates/fetch-rates.ts'
import { fixedReadings } from '../pricing/rates/fixed-prices.ts'
import { type RefreshRatesParts, refreshRates } from '../pricing/rates/refresh-rates.ts'
import { readFence } from '../recovery/lost-history/fence-store.ts'
import { type RecoverLostParts, recoverUntilDone } from '../recovery/lost-history/recover-lost.ts'
import { Dispatcher } from '../webhooks/dispatcher.ts'
import { Arrivals } from '../webhooks/feed/arrivals.ts'
import { openGuardedAgent } from '../webhooks/guarded-agent.ts'
import { openWebhookResolver } from '../webhooks/resolve.ts'
import { openAccess } from './access.ts'
import { CloseStack } from './close-stack.ts'
import { type JobParts, type Role, runJobs } from './jobs.ts'
import { readSecrets } from './keys/generated-secrets.ts'
import { needsBooksKey } from './keys/needs-books-key.ts'
import { withBooksKey } from './keys/open-books-key.ts'
import { type Keys, openKeys } from './keys/open-keys.ts'
import { openOrderSigner } from './keys/open-order-keys.ts'
import { openSigner } from './keys/open-signer.ts'
import { addressMacKeys } from './keys/rotate-encryption.ts'
import { listenFault, refuseTakenPort, urlOf } from './listening.ts'
import { type OpenChains, openChains, openNodes } from './open-chains.ts'
import { openCollections } from './open-collections.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'
import { openHistoryWatch } from './open-history-watch.ts'
import type { OpenNode } from './open-node.ts'
import { openPayouts } from './open-payouts.ts'
import { openWithdrawals } from './open-withdrawals.ts'
import { type ApiParts, apiRoutes } from './routes.ts'
import { addressFamilies, screeningOf } from './screening.ts'
import { type Config, coldAddressesOf } from './settings/config.ts'
import { readTls } from './settings/read-tls.ts'
import { type UnavailableMethod, unavailableMethods } from './unavailable-methods.ts'

export interface AppParts {
  readonly config: Config
  readonly roles: readonly Role[]
  readonly log: Log
  readonly clock?: Clock
  /** Ends the start while it is under way, and every job once it runs; what is open is closed by `close` alone. */
  readonly signal?: AbortSignal
  /** Told what is being prepared, for whoever waits. */
  onProgress(step: string): void
  /** Called when something the service stands on is gone for good. */
  onLost(error: Error): void
}

export interface App {
  /** Where the API is reached; also when this process does not serve it. */
  readonly publicUrl: string
  /** Of the dev chain. In production it is often a secret: no one is told. */
  readonly nodeUrl: string
  /** Undefined where the first account is from an earlier start and its password is not known here. */
  readonly adminPassword: Secret | undefined
  /** The node of the sandbox's own Litecoin chain; undefined where it has none. */
  readonly litecoinUrl: string | undefined
  readonly unavailable: readonly UnavailableMethod[]
  /** Stops taking work, ends what runs, then closes everything in reverse order; safe to call twice. */
  close(): Promise<void>
}

/** Builds the service from its settings and starts it; what was opened is closed again when a part fails to start. */
export async function startApp(parts: AppParts): Promise<App> {
  const opened = new CloseStack()
  const close = () =>
    opened.closeAll((name, error) => parts.log.error({ part: name, err: error }, 'a part did not close well'))
  try {
    return { ...(await start(parts, opened)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function start(parts: AppParts, opened: CloseStack): Promise<Omit<App, 'close'>> {
  const { config, roles, onProgress, onLost } = parts
  const metrics = openMetrics()
  const log = metrics.counting(parts.log)
  const clock = parts.clock ?? systemClock
  const tls = readTls(config)
  const isSandbox = config.mode === 'sandbox'
  // In production nothing is kept here: what must not run twice is kept from it by the database.
  if (isSandbox) opened.add('data folder lock', lockDataDir(config.dataDir))
  if (roles.includes('api')) await refuseTakenPort(config.host, config.port)
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, ...(parts.signal === undefined ? [] : [parts.signal])])
  const generated = isSandbox ? await readSecrets(config.dataDir) : undefined
  const nodes = await openNodes({ config, log, opened, onProgress, onLost, signal })
  signal.throwIfAborted()
  onProgress(config.databaseUrl === undefined ? 'starting PostgreSQL' : 'opening the database')
  const bare = await openDatabase({ config, log, opened, onLost })
  const keyed = needsBooksKey(roles) ? await withBooksKey(config, bare.db) : bare.db
  const facts = new CommittedFacts(clock)
  const database = { ...bare, db: withFacts(keyed, facts) }
  signal.throwIfAborted()
  const secrets = await openKeys({
    config,
    roles,
    generated,
    log,
    networks: nodes.map(({ network }) => network),
    db: database.db,
  })
  const chains = await openChains({
    ...database,
    config,
    nodes,
    roles,
    clock,
    log,
    opened,
    onProgress,
    signal,
  })
  signal.throwIfAborted()
  onProgress('taking prices and deriving addresses')
  const context: Context = {
    ...parts,
    log,
    metrics,
    clock,
    signal,
    tls,
    database,
    facts,
    nodes,
    chains,
    secrets,
    stopping,
    opened,
  }
  const publicUrl = await run(context)
  signal.throwIfAborted()
  return {
    publicUrl,
    nodeUrl: chains.nodeUrl,
    adminPassword: secrets.adminPassword,
    litecoinUrl: litecoinUrlOf({ nodes }),
    unavailable: unavailableMethods(config, chains.methods),
  }
}

/** All that is open before the capabilities are put together. */
interface Context extends AppParts {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly tls: TlsPair | undefined
  readonly database: OpenDatabase
  /** What this process committed lately. */
  readonly facts: CommittedFacts
  readonly nodes: readonly OpenNode[]
  readonly chains: OpenChains
  readonly secrets: Keys
  /** Aborts `signal`, for a start that fails when jobs run already. */
  readonly stopping: AbortController
  readonly metrics: Metrics
  readonly opened: CloseStack
}

/** Heads are told by subscription; asking is for where that falls silent, and nodes are often paid by the call. */
const pollMs = 2_000

/** Starts jobs and API; returns where the API is reached. */
async function run(context: Context): Promise<string> {
  const { config, roles, database, chains, clock, log, opened, signal, secrets } = context
  const { db } = database
  const isSandbox = config.mode === 'sandbox'
  const macKeys = addressMacKeys(secrets)
  const recovery = recoveryOf(context, macKeys.macKey)
  const history = await openHistoryWatch({
    ...context,
    onLoss: (loss) => recoverUntilDone(recovery, loss, signal),
  })
  const pools = openPools(context, macKeys.macKey)
  const orders = roles.includes('api') ? await openOrderSigner(config) : undefined
  const rates = ratesParts(context)
  const paymentsOf = readPayments.bind(undefined, chains.methods)
  await Promise.all([
    roles.includes('watcher') && refreshRates(rates, signal),
    roles.includes('api') && Promise.all([...pools.values()].map((pool) => pool.refill())),
  ])
  const port = config.port === 0 ? await freePort() : config.port
  const publicUrl = config.publicUrl ?? urlOf(config.host, port, context.tls ? 'https' : 'http')
  const screening = screeningOf(config, chains.chains, log)
  const arrivals = new Arrivals({ db, clock })
  const viewers = new Viewers({ db, clock })
  const jobs = runJobs(
    {
      db,
      clock,
      log,
      rates,
      paymentsOf,
      arrivals,
      viewers,
      history,
      databaseUrl: database.urls.app,
      chains: chains.chains,
      methods: chains.methods,
      pools: [...pools.values()],
      recovery,
      feeDefaults: config.feeDefaults,
      devNodes: devNodesOf(context),
      sanctionsFile: config.sanctionsFile,
      families: addressFamilies,
      screening,
      dispatcher: openDispatcher(context, { publicUrl, ownPort: port, history }),
      payouts: roles.includes('payouts') ? await payoutsOf(context, screening) : [],
      pollMs: isSandbox ? Math.min(1_000, config.sandboxBlockTimeS * 1_000) : pollMs,
      mayUndoFinal: isSandbox,
      signal,
    } satisfies JobParts,
    roles,
  )
  opened.add('jobs', () => {
    context.stopping.abort()
    return jobs
  })
  if (orders !== undefined)
    await listen(
      context,
      {
        poolOf: (network) => required(pools.get(network), `addresses of ${network}`),
        ...macKeys,
        paymentsOf,
        screening,
        orders,
        arrivals,
        viewers,
      },
      { publicUrl, port },
    )
  return publicUrl
}

/** The dev chain, and what a sandbox started beside it: on a regtest node of somebody's no wallet is ours to pay from. */
function devNodesOf({ config, chains, nodes }: Context): ReadonlyMap<NetworkName, string> {
  if (config.mode !== 'sandbox') return new Map()
  const own = nodes.flatMap(({ isOwn, network, urls: [url = ''] }): [NetworkName, string][] =>
    isOwn ? [[network.name, url]] : [],
  )
  return new Map<NetworkName, string>([['ethereum', chains.nodeUrl], ...own])
}

/** A pool of addresses for each network that is followed, by its name. */
function openPools(
  { chains, database: { db }, secrets, clock, log }: Context,
  macKey: KeyObject,
): ReadonlyMap<string, AddressPool> {
  return new Map(
    [...secrets.xpubs].map(([network, xpub]) => {
      const codec = chains.codecOf(network)
      const mayOpen = async () => (await readFence(db, codec.family)) !== undefined
      return [network, new AddressPool({ db, codec, xpub, macKey, clock, log, mayOpen })]
    }),
  )
}

/** What this process does once the end of the database's history is gone. */
function recoveryOf(
  { chains, database: { db }, facts, secrets, clock, log }: Context,
  macKey: KeyObject,
): RecoverLostParts {
  const families = new Map(
    [...secrets.xpubs].map(([network, xpub]) => {
      const codec = chains.codecOf(network)
      return [codec.family, { codec, xpub }]
    }),
  )
  const { methods } = chains
  const settling = { methods, paymentsOf: readPayments.bind(undefined, methods) }
  return { db, facts, processId: newId(), clock, log, macKey, families, settling }
}

async function payoutsOf(context: Context, screening: Screening): Promise<readonly PayoutParts[]> {
  const { config, database, chains, nodes, clock, log, opened, secrets } = context
  const { db } = database
  const signer = openSigner({ config, clock, log, opened })
  if (signer === undefined) return []
  const withdrawals = await openWithdrawals(config, { db, log, methods: chains.methods, screening })
  return openPayouts({
    db,
    log,
    opened,
    nodes,
    signer,
    chains: chains.chains,
    xpub: secrets.xpub,
    xpubs: secrets.xpubs,
    methods: chains.methods,
    withdrawals,
    coldAddresses: coldAddressesOf(config),
    mayUndoFinal: config.mode === 'sandbox',
    nativeGasMax: BigInt(config.nativeGasMax),
    takeOuts: takeOutPurpose(chains.methods),
    purposesOf: (chain) => [openCollections({ config, methods: chains.methods, log }, chain)],
  })
}

/** Half of the time a stop may take; attempts of the dispatcher and the servers beneath share the rest. */
const requestDrainMs = limits.drainTimeoutMs / 2

async function listen(
  context: Context,
  capable: Pick<
    ApiParts,
    'poolOf' | 'macKey' | 'formerMacKey' | 'paymentsOf' | 'screening' | 'orders' | 'arrivals' | 'viewers'
  >,
  { publicUrl, port }: { publicUrl: string; port: number },
): Promise<void> {
  const { config, database, chains, clock, log, metrics, opened, secrets, tls } = context
  const { db } = database
  const access = await openAccess({ config, db, clock, log, secrets })
  opened.add('key usage', () => access.lastUsed.close())
  const rateLimiters = await openRateLimiters({ redisUrl: config.redisUrl, log })
  opened.add('rate limits', () => rateLimiters.close())
  const ownUrls = [publicUrl, ...ownUrlsOf(context)]
  const litecoinUrl = litecoinUrlOf(context)
  const settled = { config, db, clock, secrets, publicUrl, ownUrls, rateLimiters, metrics, litecoinUrl }
  const routes = apiRoutes({ ...access, ...capable, ...chains, ...settled })
  const { authenticator } = access
  const requestLimiter = requestLimiterOf(rateLimiters, config.rateLimitPerSecond)
  const server = buildServer({
    routes,
    authenticator,
    log,
    publicUrl,
    requestLimiter,
    tls,
    trustedProxies: config.trustedProxies,
    idempotency: { db, clock, sealer: openSealer(secrets.encryptionKey, secrets.encryptionKeyPrevious) },
    drainTimeoutMs: requestDrainMs,
    onAnswered: metrics.observe,
  })
  opened.add('API', () => server.close())
  if (!(await addPages(server))) log.warn({}, 'the pages are not built: there is no dashboard')
  await server.listen({ host: config.host, port }).catch((error: unknown) => {
    throw listenFault(error, config.host, port)
  })
}

/** Of the sandbox's own Litecoin chain. */
function litecoinUrlOf({ nodes }: Pick<Context, 'nodes'>): string | undefined {
  return nodes.find(({ isOwn }) => isOwn)?.urls[0]
}

/** What we stand on. No merchant may have us send requests there, wherever else webhooks may go. */
function ownUrlsOf({ config, database, nodes }: Context): readonly string[] {
  const secretUrls = [config.redisUrl, config.databaseUrl, config.migrationDatabaseUrl]
  const revealed = secretUrls.flatMap((url) => (url === undefined ? [] : [url.reveal()]))
  return [database.urls.app, ...revealed, ...nodes.flatMap(({ urls }) => urls)]
}

function openDispatcher(
  context: Context,
  {
    publicUrl,
    ownPort,
    history,
  }: { readonly publicUrl: string; readonly ownPort: number; readonly history: HistoryWatch },
): Dispatcher {
  const { config, database, clock, log, opened, secrets } = context
  const agent = openGuardedAgent({
    rules: {
      allowHttp: config.webhookAllowHttp,
      isHttpInnerOnly: config.mode === 'sandbox',
      allowPrivate: config.webhookAllowPrivate,
      ports: config.webhookPorts,
      ownPort,
      ownHosts: [new URL(publicUrl).host],
      ownPlaces: ownUrlsOf(context).flatMap(placesOf),
    },
    resolve: openWebhookResolver({
      servers: config.webhookDnsServers,
      allowPrivate: config.webhookAllowPrivate,
    }),
  })
  opened.add('webhook connections', () => agent.close())
  const sealer = openSealer(secrets.encryptionKey, secrets.encryptionKeyPrevious)
  return new Dispatcher({
    db: database.db,
    log,
    clock,
    agent,
    serviceName: config.serviceName,
    perEndpointMax: config.webhookInFlight,
    openSecret: (sealed, merchantId) => sealer.open(sealed, webhookSecretContext(merchantId)),
    random: Math.random,
    incarnation: () => history.known?.incarnation,
  })
}

/** Public sources where some are named, of which at least three (or all of fewer) must agree; else the fixed table. */
function ratesParts({ config, database, chains, clock, log }: Context): RefreshRatesParts {
  const symbols = [...new Set(chains.methods.enabled.map(({ symbol }) => symbol))]
  const shared = { db: database.db, log, symbols }
  const { rateSources: sources } = config
  if (sources.length === 0) {
    return { ...shared, agreeingMin: 1, read: async (wanted) => fixedReadings(wanted) }
  }
  return {
    ...shared,
    agreeingMin: Math.min(3, sources.length),
    read: (wanted, signal) => fetchRates({ sources, clock, log }, wanted, signal),
  }
}
