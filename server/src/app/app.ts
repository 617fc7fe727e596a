import { type Clock, systemClock } from '../core/clock.ts'
import { freePort } from '../core/free-port.ts'
import type { Log } from '../core/log.ts'
import { openSealer } from '../core/seal.ts'
import type { Secret } from '../core/settings.ts'
import { lockDataDir } from '../db/embedded/data-dir-lock.ts'
import { buildServer } from '../http/server.ts'
import { addressMacKey } from '../invoices/address.ts'
import { AddressPool } from '../invoices/address-pool.ts'
import type { PaymentAddressParts } from '../invoices/give-payment-address.ts'
import { webhookSecretContext } from '../merchants/webhook-endpoint.ts'
import { fetchRates } from '../rates/fetch-rates.ts'
import { fixedReadings } from '../rates/fixed-prices.ts'
import { type RefreshRatesParts, refreshRates } from '../rates/refresh-rates.ts'
import { evmAccountXpub } from '../sandbox/seed.ts'
import { readPayments } from '../transactions/payments.ts'
import { Dispatcher } from '../webhooks/dispatcher.ts'
import { openGuardedAgent } from '../webhooks/guarded-agent.ts'
import { openAccess } from './access.ts'
import { CloseStack } from './close-stack.ts'
import type { Config } from './config.ts'
import { readOrMakeSecrets } from './generated-secrets.ts'
import { type JobParts, type Role, runJobs } from './jobs.ts'
import { type OpenChains, openSandboxChains } from './open-chains.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'
import { apiRoutes } from './routes.ts'

export interface AppParts {
  readonly config: Config
  readonly roles: readonly Role[]
  readonly log: Log
  readonly clock?: Clock
  /** Told what is being prepared, for whoever waits. */
  onProgress(step: string): void
  /** Called when something the service stands on is gone for good. */
  onLost(error: Error): void
}

export interface App {
  /** Where the API is reached; also when this process does not serve it. */
  readonly publicUrl: string
  readonly nodeUrl: string
  readonly adminPassword: Secret
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
  const { config, log, onProgress, onLost } = parts
  const clock = parts.clock ?? systemClock
  opened.add('data folder lock', lockDataDir(config.dataDir))
  const stopping = new AbortController()
  const generated = await readOrMakeSecrets(config.dataDir)
  onProgress(config.databaseUrl === undefined ? 'starting PostgreSQL' : 'opening the database')
  const database = await openDatabase({ config, log, opened, onLost })
  onProgress(config.evmRpcEthereum.length === 0 ? 'starting the dev chain' : 'opening the chain')
  const chains = await openSandboxChains({
    ...database,
    config,
    log,
    opened,
    onLost,
    signal: stopping.signal,
  })
  onProgress('taking prices and deriving addresses')
  const context: Context = {
    ...parts,
    clock,
    database,
    chains,
    secrets: {
      jwtSecret: config.jwtSecret ?? generated.jwtSecret,
      encryptionKey: config.encryptionKey ?? generated.encryptionKey,
      adminPassword: config.adminPassword ?? generated.adminPassword,
      xpub: config.xpubEvm ?? evmAccountXpub(generated.mnemonic.reveal()),
    },
    stopping,
    opened,
  }
  const publicUrl = await run(context)
  return { publicUrl, nodeUrl: chains.nodeUrl, adminPassword: context.secrets.adminPassword }
}

/** All that is open before the capabilities are put together. */
interface Context extends AppParts {
  readonly clock: Clock
  readonly database: OpenDatabase
  readonly chains: OpenChains
  readonly secrets: {
    readonly jwtSecret: Secret
    readonly encryptionKey: Secret
    readonly adminPassword: Secret
    readonly xpub: string
  }
  readonly stopping: AbortController
  readonly opened: CloseStack
}

/** Starts jobs and API; returns where the API is reached. */
async function run(context: Context): Promise<string> {
  const { config, roles, database, chains, clock, log, opened, stopping, secrets } = context
  const { db } = database
  const macKey = addressMacKey(Buffer.from(secrets.encryptionKey.reveal(), 'hex'))
  const { codec } = chains.chainOf('ethereum')
  const pool = new AddressPool({ db, codec, xpub: secrets.xpub, macKey, clock, log })
  const rates = ratesParts(context)
  const paymentsOf = readPayments.bind(undefined, chains.methods)
  await Promise.all([
    roles.includes('watcher') && refreshRates(rates, stopping.signal),
    roles.includes('api') && pool.refill(),
  ])
  const port = config.port === 0 ? await freePort() : config.port
  const publicUrl = config.publicUrl ?? `http://${config.host}:${port}`
  const jobs = runJobs(
    {
      ...{ db, clock, log, rates, paymentsOf },
      ...{ databaseUrl: database.urls.app, chains: chains.chains, methods: chains.methods, pools: [pool] },
      dispatcher: openDispatcher(context, publicUrl, port),
      pollMs: Math.min(1_000, config.sandboxBlockTimeS * 1_000),
      signal: stopping.signal,
    } satisfies JobParts,
    roles,
  )
  opened.add('jobs', () => {
    stopping.abort()
    return jobs
  })
  if (roles.includes('api')) await listen(context, { pool, macKey, paymentsOf }, { publicUrl, port })
  return publicUrl
}

async function listen(
  { config, database, chains, clock, log, opened, secrets }: Context,
  invoicing: Pick<PaymentAddressParts, 'pool' | 'macKey' | 'paymentsOf'>,
  { publicUrl, port }: { publicUrl: string; port: number },
): Promise<void> {
  const { db } = database
  const access = await openAccess({ config, db, clock, log, secrets })
  opened.add('key usage', () => access.lastUsed.close())
  const routes = apiRoutes({ ...access, ...invoicing, ...chains, config, db, clock, secrets, publicUrl })
  const server = buildServer({ routes, authenticator: access.authenticator, log, publicUrl })
  opened.add('API', () => server.close())
  await server.listen({ host: config.host, port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is taken: stop what listens there, or set PORT to another`)
  })
}

function openDispatcher(
  { config, database, clock, log, opened, secrets }: Context,
  publicUrl: string,
  ownPort: number,
): Dispatcher {
  const agent = openGuardedAgent({
    rules: {
      allowHttp: config.webhookAllowHttp,
      allowPrivate: config.webhookAllowPrivate,
      ownPort,
      ownHosts: [new URL(publicUrl).host],
    },
  })
  opened.add('webhook connections', () => agent.close())
  const sealer = openSealer(secrets.encryptionKey)
  return new Dispatcher({
    ...{ db: database.db, log, clock, agent },
    serviceName: config.serviceName,
    openSecret: (sealed, merchantId) => sealer.open(sealed, webhookSecretContext(merchantId)),
    random: Math.random,
  })
}

/** Public sources where some are named, of which at least three (or all of fewer) must agree; else the fixed table. */
function ratesParts({ config, database, chains, clock, log }: Context): RefreshRatesParts {
  const symbols = [...new Set(chains.methods.all.map(({ symbol }) => symbol))]
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
