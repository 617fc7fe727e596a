/**
 * The composition root: opens every part in order, connects the modules to each other, and starts the jobs and
 * the API.
 */

import type { KeyObject } from 'node:crypto'
import { type AddressFamily, networkOf } from '../chains/networks.ts'
import { Viewers } from '../checkout/viewers.ts'
import { required } from '../core/assert.ts'
import { randomFraction } from '../core/chance.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { CommittedFacts } from '../core/committed-facts.ts'
import { Growing } from '../core/concurrency/growing.ts'
import { linkSignal } from '../core/concurrency/linked-signal.ts'
import { freePort } from '../core/free-port.ts'
import { newId } from '../core/ids.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { endpointsOf } from '../core/network-endpoint.ts'
import { openSealer } from '../core/seal.ts'
import type { Secret } from '../core/settings.ts'
import { webhookSecretContext } from '../merchants/webhook-endpoint.ts'
import { treasuryOutgoingSource } from '../outgoing/treasury/treasury-outgoing-source.ts'
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
import { FeedWaiters } from '../webhooks/feed/feed-waiters.ts'
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
import { listenError, refuseTakenPort, urlOf } from './listening.ts'
import { type OpenChains, openChains, openNodes } from './open-chains.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'
import { type OpenEnginesParts, openEngine } from './open-engines.ts'
import { openHistoryWatch } from './open-history-watch.ts'
import type { OpenNode } from './open-node.ts'
import { openSweeps } from './open-sweeps.ts'
import { gasBudgetsOf, openWithdrawals } from './open-withdrawals.ts'
import { chainIdProblem } from './own-rows/chain-id-problem.ts'
import { openOperatorKeys } from './own-rows/open-entry-keys.ts'
import { type LiveParts, openOwnRows, type Payouts } from './own-rows/open-own-rows.ts'
import { type ApiParts, apiRoutes } from './routes.ts'
import type { DevNode } from './sandbox/fund-hot-wallets.ts'
import { addressFamilies, screeningOf } from './screening.ts'
import { type Config, coldAddressesOf } from './settings/config.ts'
import { readTls } from './settings/read-tls.ts'
import { type UnavailableMethod, unavailableMethods } from './unavailable-methods.ts'

export interface AppParts {
  readonly config: Config
  readonly roles: readonly Role[]
  readonly log: Log
  readonly clock?: Clock
  /** Aborts a start that is in progress and all running jobs. To close what was opened, call `close`. */
  readonly signal?: AbortSignal
  /** Called with a text for each step of the start, to show progress. */
  onProgress(step: string): void
  /**
   * Is called if a part that the service depends on, such as the dev chain, has ended and will not restart.
   */
  onLost(error: Error): void
}

export interface App {
  /** The URL of the API, even if another process serves the API. */
  readonly publicUrl: string
  /** The URLs of the dev chains of EVM networks, by network. Empty in production. */
  readonly devUrls: ReadonlyMap<string, string>
  /**
   * The password of the first account. Undefined if an earlier start created the account and this process
   * does not know the password.
   */
  readonly adminPassword: Secret | undefined
  /** The node of the sandbox's own Litecoin chain; undefined if there is none. */
  readonly litecoinUrl: string | undefined
  readonly unavailable: readonly UnavailableMethod[]
  /**
   * Stops taking work, waits for running work, and closes everything in reverse order. It is safe to call
   * twice.
   */
  close(): Promise<void>
}

/**
 * Builds the service from its settings and starts it. If a part fails to start, every part that was opened is
 * closed again.
 */
export async function startApp(parts: AppParts): Promise<App> {
  const opened = new CloseStack()
  const close = () =>
    opened.closeAll((name, error) =>
      parts.log.error({ part: name, err: error }, 'closing a component failed'),
    )
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
  // Only a sandbox stores data in this folder, and two sandboxes must not share it. In production, leases in
  // the database keep two processes from doing the same job.
  if (isSandbox) opened.add('data folder lock', lockDataDir(config.dataDir))
  if (roles.includes('api')) await refuseTakenPort(config.host, config.port)
  const stopping = new AbortController()
  const { signal } = linkSignal([stopping.signal, ...(parts.signal === undefined ? [] : [parts.signal])])
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
    devUrls: isSandbox ? chains.evmUrls : new Map(),
    adminPassword: secrets.adminPassword,
    litecoinUrl: litecoinUrlOf({ nodes }),
    unavailable: unavailableMethods(config, chains.methods),
  }
}

/** Everything that is open before the outgoing sources, the routes and the jobs are built. */
interface Context extends AppParts {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly tls: TlsPair | undefined
  readonly database: OpenDatabase
  /** What this process recently committed to the database. */
  readonly facts: CommittedFacts
  readonly nodes: readonly OpenNode[]
  readonly chains: OpenChains
  readonly secrets: Keys
  /** Aborted when the service closes. This also aborts `signal`, which ends the jobs. */
  readonly stopping: AbortController
  readonly metrics: Metrics
  readonly opened: CloseStack
}

/**
 * The interval between polls of a chain's head. Subscriptions normally report new heads. Polls find a new
 * head if a subscription has stopped reporting. The interval is not shorter, because nodes often charge for
 * each call.
 */
const pollMs = 2_000

/** Starts the jobs and the API, and returns the URL of the API. */
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
  const live = liveParts(context)
  const orders = roles.includes('api') ? await openOrderSigner(config) : undefined
  const rates = ratesParts(context)
  const paymentsOf = readPayments.bind(undefined, chains.methods)
  await Promise.all([
    roles.includes('watcher') && refreshRates(rates, signal),
    roles.includes('api') && Promise.all([...new Set(pools.values())].map((pool) => pool.refill())),
  ])
  const port = config.port === 0 ? await freePort() : config.port
  const publicUrl = config.publicUrl ?? urlOf(config.host, port, context.tls ? 'https' : 'http')
  const screening = screeningOf(config, chains.chains, log)
  const payouts = roles.includes('payouts') ? await openPayouts(context, live, screening) : undefined
  const ownRows = await openOwnRows({ ...context, ...live, ...secrets, db, payouts })
  const feedWaiters = new FeedWaiters({ db, clock })
  const viewers = new Viewers({ db, clock })
  const jobs = runJobs(
    {
      db,
      clock,
      log,
      rates,
      paymentsOf,
      feedWaiters,
      viewers,
      history,
      databaseUrl: database.urls.app,
      chains: chains.readers,
      methods: chains.methods,
      pools: [...new Set(pools.values())],
      recovery,
      feeDefaults: config.feeDefaults,
      devNodes: live.devNodes,
      ownRows: ownRows.worker(),
      rowSerialOn: (network) => ownRows.serialOn(network),
      sanctionsFile: config.sanctionsFile,
      families: addressFamilies,
      screening,
      dispatcher: openDispatcher(context, { publicUrl, ownPort: port, history, live }),
      payouts: payouts?.engines ?? new Growing(),
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
        poolOf: (network) => poolOf(pools, network),
        coldAddresses: live.coldAddresses,
        ownRows: () => ownRows.rows,
        operatorKeys: await openOperatorKeys(config, secrets.xpub),
        nodeUrls: live.nodeUrls,
        chainIdProblem: (chainId) => chainIdProblem(config, chainId, context.nodes),
        ...macKeys,
        paymentsOf,
        screening,
        orders,
        feedWaiters,
        viewers,
      },
      { publicUrl, port, live },
    )
  return publicUrl
}

/**
 * Returns the URLs of the nodes from whose wallets the sandbox may pay: its EVM dev chains, and the regtest
 * nodes that it started itself. Other regtest nodes are left out, because they may belong to somebody else.
 */
function devNodesOf({ config, nodes }: Context): Growing<DevNode> {
  if (config.mode !== 'sandbox') return new Growing()
  return new Growing(
    nodes.flatMap(({ isOwn, network, urls: [nodeUrl = ''] }): DevNode[] =>
      isOwn || network.family === 'evm' ? [{ network: network.name, nodeUrl }] : [],
    ),
  )
}

/** What grows when an operator adds a network to the running service. */
function liveParts(context: Context): LiveParts {
  const { config } = context
  return {
    devNodes: devNodesOf(context),
    coldAddresses: coldAddressesOf(config),
    gasBudgetsMinor: gasBudgetsOf(config),
    nodeUrls: new Map(
      context.nodes.flatMap(({ network, urls }) => (network.family === 'evm' ? [[network.name, urls]] : [])),
    ),
    laterNodeUrls: new Set(),
  }
}

/**
 * Returns the address pool of each network that this server follows, by the network's name. All networks of an
 * address family share one pool.
 */
function openPools(
  { chains, database: { db }, secrets, clock, log }: Context,
  macKey: KeyObject,
): ReadonlyMap<string, AddressPool> {
  const pools = new Map<AddressFamily, AddressPool>()
  return new Map(
    [...secrets.xpubs].map(([network, xpub]) => {
      const codec = chains.codecOf(network)
      const mayOpen = async () => (await readFence(db, codec.family)) !== undefined
      const pool =
        pools.get(codec.family) ?? new AddressPool({ db, codec, xpub, macKey, clock, log, mayOpen })
      pools.set(codec.family, pool)
      return [network, pool]
    }),
  )
}

/** Returns the address pool of a network. An operator's own network shares the one of all EVM networks. */
function poolOf(pools: ReadonlyMap<string, AddressPool>, network: string): AddressPool {
  const found =
    pools.get(network) ?? (isEvm(network) ? [...pools].find(([name]) => isEvm(name))?.[1] : undefined)
  return required(found, `addresses of ${network}`)
}

const isEvm = (network: string) => networkOf(network)?.family === 'evm'

/** Returns the dependencies of the recovery that runs after the database has lost its latest history. */
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

/** Opens the engines of all networks. Returns undefined if there is no signer: without it, no money leaves. */
async function openPayouts(
  context: Context,
  { coldAddresses, gasBudgetsMinor }: LiveParts,
  screening: Screening,
): Promise<Payouts | undefined> {
  const { config, database, chains, nodes, clock, log, opened, secrets } = context
  const { db } = database
  const signer = openSigner({ config, clock, log, opened })
  if (signer === undefined) return undefined
  const shared = { db, log, methods: chains.methods, screening, gasBudgetsMinor }
  // Engines of networks that are added later are closed after the jobs, as the others are.
  const senders = new CloseStack()
  opened.add('chain senders', () =>
    senders.closeAll((name, error) => log.error({ part: name, err: error }, 'closing a component failed')),
  )
  const parts = {
    db,
    log,
    opened: senders,
    signer,
    chains: chains.chains,
    xpub: secrets.xpub,
    xpubs: secrets.xpubs,
    methods: chains.methods,
    withdrawals: await openWithdrawals(config, shared),
    coldAddresses,
    mayUndoFinal: config.mode === 'sandbox',
    nativeGasMax: BigInt(config.nativeGasMax),
    treasuryWithdrawals: treasuryOutgoingSource(chains.methods),
    outgoingSourcesOf: (chain) => [openSweeps({ config, methods: chains.methods, log }, chain)],
  } satisfies OpenEnginesParts
  const engines = new Growing(nodes.map((node) => openEngine(parts, node)))
  const openNetwork: Payouts['openNetwork'] = (node, chain) => {
    const engine = openEngine({ ...parts, chains: [...parts.chains, chain] }, node)
    return () => engines.add(engine)
  }
  return { engines, openNetwork }
}

/**
 * Time limit for open requests when the service stops: half of the time that a stop may take. The other half
 * is for finishing the webhook attempts in progress and for stopping the embedded servers.
 */
const requestDrainMs = limits.drainTimeoutMs / 2

async function listen(
  context: Context,
  capable: Pick<
    ApiParts,
    | 'poolOf'
    | 'coldAddresses'
    | 'ownRows'
    | 'operatorKeys'
    | 'nodeUrls'
    | 'chainIdProblem'
    | 'macKey'
    | 'formerMacKey'
    | 'paymentsOf'
    | 'screening'
    | 'orders'
    | 'feedWaiters'
    | 'viewers'
  >,
  { publicUrl, port, live }: { publicUrl: string; port: number; live: LiveParts },
): Promise<void> {
  const { config, database, chains, clock, log, metrics, opened, secrets, tls } = context
  const { db } = database
  const access = await openAccess({ config, db, clock, log, secrets })
  opened.add('key usage', () => access.lastUsed.close())
  const rateLimiters = await openRateLimiters({ redisUrl: config.redisUrl, log })
  opened.add('rate limits', () => rateLimiters.close())
  const ownUrls = () => [publicUrl, ...ownUrlsOf(context, live)]
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
  if (!(await addPages(server))) log.warn({}, 'the pages are not built: the dashboard is not served')
  await server.listen({ host: config.host, port }).catch((error: unknown) => {
    throw listenError(error, config.host, port)
  })
}

/** Returns the URL of the node of the sandbox's own Litecoin chain. */
function litecoinUrlOf({ nodes }: Pick<Context, 'nodes'>): string | undefined {
  return nodes.find(({ isOwn }) => isOwn)?.urls[0]
}

/**
 * Returns the URLs of the services that Coffer depends on. No merchant may direct webhooks to these URLs,
 * even if the settings allow webhooks to their network.
 * @param live the nodes of EVM networks, also of those that an operator added while the process runs
 */
function ownUrlsOf(
  { config, database, nodes }: Context,
  live: Pick<LiveParts, 'nodeUrls' | 'laterNodeUrls'>,
): readonly string[] {
  const secretUrls = [config.redisUrl, config.databaseUrl, config.migrationDatabaseUrl]
  const revealed = secretUrls.flatMap((url) => (url === undefined ? [] : [url.reveal()]))
  const ofRows = [...[...live.nodeUrls.values()].flat(), ...live.laterNodeUrls]
  const nodeUrls = [...nodes.flatMap(({ urls }) => urls), ...ofRows]
  return [database.urls.app, ...revealed, ...new Set(nodeUrls)]
}

function openDispatcher(
  context: Context,
  {
    publicUrl,
    ownPort,
    history,
    live,
  }: {
    readonly publicUrl: string
    readonly ownPort: number
    readonly history: HistoryWatch
    readonly live: LiveParts
  },
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
      ownEndpoints: () => ownUrlsOf(context, live).flatMap(endpointsOf),
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
    random: randomFraction,
    incarnation: () => history.known?.incarnation,
  })
}

/**
 * Returns how prices are read. If public sources are configured, three of them must agree, or all if fewer
 * than three are configured. If no sources are configured, fixed prices are used.
 */
function ratesParts({ config, database, chains, clock, log }: Context): RefreshRatesParts {
  const symbolsOf = () => [...new Set(chains.methods.followed.map(({ symbol }) => symbol))]
  const shared = { db: database.db, log, symbolsOf }
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
