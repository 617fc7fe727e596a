import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addressCodecs } from '../chains/open-chain.ts'
import {
  choice,
  type Environment,
  flag,
  integer,
  list,
  readSettings,
  ruled,
  type Secret,
  type Setting,
  seconds,
  secret,
  text,
} from '../core/settings.ts'
import { type FeeDefaults, feeDefaults } from '../fees/fee.ts'
import type { TrustedProxies } from '../http/client-address.ts'
import { trustedProxies } from '../http/trusted-proxies.ts'
import { rateSources, type SourceChoice } from '../rates/sources.ts'
import { logLevels } from './log.ts'

/** Where a clone lives: relative folders are meant from here, whatever the current folder is. */
const repositoryRoot = fileURLToPath(new URL('../../../', import.meta.url))

/** Every setting of `coffer`, with default and meaning; `coffer help settings` prints this list. */
export const settings = {
  host: text('HOST', '127.0.0.1', 'Where the API listens.'),
  port: integer('PORT', 3000, { min: 0, max: 65_535 }, 'The port of the API; 0 takes a free one.'),
  publicUrl: ruled(
    text('PUBLIC_URL', undefined, 'How browsers reach the API; by default http://HOST:PORT.'),
    urlProblem,
  ),
  dataDir: text('DATA_DIR', './data', 'Embedded database, dev chain state, generated secrets.'),
  databaseUrl: ruled(
    secret('DATABASE_URL', 'PostgreSQL 15 to 18 as the app’s role; absent: an embedded server.'),
    databaseProblem,
  ),
  migrationDatabaseUrl: ruled(
    secret('MIGRATION_DATABASE_URL', 'The same database as the owner of its tables.'),
    databaseProblem,
  ),
  mode: ruled(
    choice('COFFER_MODE', ['sandbox', 'production'], 'sandbox', 'sandbox, or production (not offered yet).'),
    modeProblem,
  ),
  adminEmail: text('ADMIN_EMAIL', 'admin@coffer.test', 'The first account, made once if there is none.'),
  adminPassword: ruled(
    secret('ADMIN_PASSWORD', 'Its password; generated and kept in DATA_DIR when absent.'),
    atLeast(12),
  ),
  jwtSecret: ruled(
    secret('JWT_SECRET', 'Signs session tokens, 32 characters or more; generated when absent.'),
    atLeast(32),
  ),
  encryptionKey: ruled(
    secret('ENCRYPTION_KEY', 'Seals secrets at rest: 64 hex digits; generated when absent.'),
    keyProblem,
  ),
  xpubEvm: ruled(
    text('XPUB_EVM', undefined, 'Account xpub at m/44’/60’/0’; from a generated seed when absent.'),
    xpubProblem,
  ),
  serviceName: ruled(
    text('SERVICE_NAME', 'Service', 'Goes into the header X-<Name>-Signature.'),
    serviceNameProblem,
  ),
  sandboxEvmPort: integer(
    'SANDBOX_EVM_PORT',
    8545,
    { min: 1, max: 65_535 },
    'The RPC port of the dev chain.',
  ),
  sandboxBlockTimeS: seconds('SANDBOX_BLOCK_TIME_S', 1, 'Its block time; may be fractional.'),
  evmRpcEthereum: ruled(
    list('EVM_RPC_ETHEREUM', 'Node URLs of ethereum, comma-separated; absent: the dev chain.'),
    (urls, name) => urls.map((url) => urlProblem(url, name)).find((problem) => problem !== undefined),
  ),
  webhookAllowHttp: flag('WEBHOOK_ALLOW_HTTP', true, 'Whether webhooks may go to http:// addresses.'),
  webhookAllowPrivate: flag('WEBHOOK_ALLOW_PRIVATE', true, 'Whether webhooks may go to private networks.'),
  rateSources: rateSources('RATE_SOURCES', 'Public price sources, name or name=url; absent: a fixed table.'),
  tlsCertFile: text('TLS_CERT_FILE', undefined, 'PEM certificate chain; with TLS_KEY_FILE the API is HTTPS.'),
  tlsKeyFile: text('TLS_KEY_FILE', undefined, 'Its private key, as PEM without a passphrase.'),
  trustedProxies: trustedProxies(
    'TRUST_PROXY',
    'Whose X-Forwarded-For counts: how many proxies in a row, or their addresses and CIDRs; absent: nobody’s.',
  ),
  rateLimitPerSecond: integer(
    'RATE_LIMIT_PER_SECOND',
    100,
    { min: 0, max: 1_000_000 },
    'Requests a second of one credential, bursts of twice that; 0 for no limit.',
  ),
  redisUrl: ruled(
    secret('REDIS_URL', 'Redis for limits that several processes share; absent: each counts for itself.'),
    redisProblem,
  ),
  registration: choice('REGISTRATION', ['open', 'closed'], 'open', 'Whether anyone may register an account.'),
  logLevel: choice('LOG_LEVEL', logLevels, 'warn', 'The least severe log lines to write.'),
} as const

export interface Config {
  readonly host: string
  readonly port: number
  /** Undefined until the port is known. */
  readonly publicUrl: string | undefined
  readonly dataDir: string
  readonly databaseUrl: Secret | undefined
  readonly migrationDatabaseUrl: Secret | undefined
  readonly adminEmail: string
  readonly adminPassword: Secret | undefined
  readonly jwtSecret: Secret | undefined
  readonly encryptionKey: Secret | undefined
  readonly xpubEvm: string | undefined
  readonly serviceName: string
  readonly sandboxEvmPort: number
  readonly sandboxBlockTimeS: number
  readonly evmRpcEthereum: readonly string[]
  readonly webhookAllowHttp: boolean
  readonly webhookAllowPrivate: boolean
  readonly rateSources: readonly SourceChoice[]
  readonly tlsCertFile: string | undefined
  readonly tlsKeyFile: string | undefined
  readonly trustedProxies: TrustedProxies | undefined
  readonly rateLimitPerSecond: number
  readonly redisUrl: Secret | undefined
  readonly registration: 'open' | 'closed'
  /** What is charged where no operator set a fee. */
  readonly feeDefaults: FeeDefaults
  readonly logLevel: (typeof logLevels)[number]
}

/** What every process on one database must have alike: none may make its own. */
const sharedKeys = {
  jwtSecret: needed(settings.jwtSecret),
  encryptionKey: needed(settings.encryptionKey),
  xpubEvm: needed(settings.xpubEvm),
}

/**
 * Reads the settings, all problems at once.
 * @param isOneOfSeveral whether other processes do the rest of the work: those on one DATABASE_URL share their keys
 * @throws SettingsError
 */
export function readConfig(environment: Environment, { isOneOfSeveral = false } = {}): Config {
  const needsSharedKeys = isOneOfSeveral && Boolean(environment[settings.databaseUrl.name])
  const declared = needsSharedKeys ? { ...settings, ...sharedKeys } : settings
  const { mode, publicUrl, dataDir, ...rest } = readSettings(declared, environment)
  return {
    ...rest,
    feeDefaults: feeDefaults[mode],
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(repositoryRoot, dataDir),
  }
}

function needed<T>(setting: Setting<T | undefined>): Setting<T | undefined> {
  return ruled(setting, (value, name) =>
    value === undefined
      ? `${name} must be set, and the same for every process of --roles on this DATABASE_URL`
      : undefined,
  )
}

function modeProblem(mode: 'sandbox' | 'production', name: string): string | undefined {
  if (mode === 'sandbox') return undefined
  return `${name}=production is not offered before the signer exists: run the sandbox (leave it unset)`
}

function urlProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return undefined
  return `${name} must be a URL starting with http:// or https://`
}

/** A sandbox prints its secrets and plays with money: it stays on its own machine. */
function databaseProblem(value: Secret | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value.reveal()) ? new URL(value.reveal()) : undefined
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    return `${name} must be a URL such as postgresql://user:password@127.0.0.1:5432/coffer`
  }
  // The client also takes the host from the query, over the one before it.
  const hosts = [url.hostname, ...url.searchParams.getAll('host'), ...url.searchParams.getAll('hostaddr')]
  if (hosts.every((host) => ['127.0.0.1', '[::1]', '::1', 'localhost', ''].includes(host))) return undefined
  return `${name} is remote, and the sandbox takes only a database on this machine (127.0.0.1)`
}

function redisProblem(value: Secret | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value.reveal()) ? new URL(value.reveal()) : undefined
  if (url !== undefined && ['redis:', 'rediss:'].includes(url.protocol)) return undefined
  return `${name} must be a URL such as redis://:password@127.0.0.1:6379/0`
}

function atLeast(characters: number) {
  return (value: Secret | undefined, name: string): string | undefined =>
    value === undefined || value.reveal().length >= characters
      ? undefined
      : `${name} must have ${characters} characters or more`
}

function keyProblem(value: Secret | undefined, name: string): string | undefined {
  if (value === undefined || /^[0-9a-fA-F]{64}$/.test(value.reveal())) return undefined
  return `${name} must be 64 hex digits, as "openssl rand -hex 32" prints`
}

/** Tried out, since only a derivation tells. Its errors do not quote the key, which may be a private one by mistake. */
function xpubProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  try {
    addressCodecs.evm.derive(value, 0, 0, 1)
    return undefined
  } catch (error) {
    return `${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}

function serviceNameProblem(value: string, name: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9]{0,29}$/.test(value)) return undefined
  return `${name} must be letters and digits, as it becomes part of a header name`
}
