import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  choice,
  type Environment,
  flag,
  integer,
  list,
  readSettings,
  type Secret,
  SettingsError,
  seconds,
  secret,
  text,
} from '../core/settings.ts'
import { rateSources, type SourceChoice } from '../rates/sources.ts'
import { logLevels } from './log.ts'

/** Where a clone lives: relative folders are meant from here, whatever the current folder is. */
const repositoryRoot = fileURLToPath(new URL('../../../', import.meta.url))

/** Every setting of `coffer`, with default and meaning; `coffer help settings` prints this list. */
export const settings = {
  host: text('HOST', '127.0.0.1', 'Where the API listens.'),
  port: integer('PORT', 3000, { min: 0, max: 65_535 }, 'The port of the API; 0 takes a free one.'),
  publicUrl: text('PUBLIC_URL', undefined, 'How browsers reach the API; by default http://HOST:PORT.'),
  dataDir: text('DATA_DIR', './data', 'Embedded database, dev chain state, generated secrets.'),
  databaseUrl: secret('DATABASE_URL', 'PostgreSQL 15 to 18 as the app’s role; absent: an embedded server.'),
  migrationDatabaseUrl: secret('MIGRATION_DATABASE_URL', 'The same database as the owner of its tables.'),
  mode: choice(
    'COFFER_MODE',
    ['sandbox', 'production'],
    'sandbox',
    'sandbox, or production (not offered yet).',
  ),
  adminEmail: text('ADMIN_EMAIL', 'admin@coffer.test', 'The first account, made once if there is none.'),
  adminPassword: secret('ADMIN_PASSWORD', 'Its password; generated and kept in DATA_DIR when absent.'),
  jwtSecret: secret('JWT_SECRET', 'Signs session tokens, 32 characters or more; generated when absent.'),
  encryptionKey: secret('ENCRYPTION_KEY', 'Seals secrets at rest: 64 hex digits; generated when absent.'),
  xpubEvm: text('XPUB_EVM', undefined, 'Account xpub at m/44’/60’/0’; from a generated seed when absent.'),
  serviceName: text('SERVICE_NAME', 'Service', 'Goes into the header X-<Name>-Signature.'),
  sandboxEvmPort: integer(
    'SANDBOX_EVM_PORT',
    8545,
    { min: 0, max: 65_535 },
    'The RPC port of the dev chain.',
  ),
  sandboxBlockTimeS: seconds('SANDBOX_BLOCK_TIME_S', 1, 'Its block time; may be fractional.'),
  evmRpcEthereum: list('EVM_RPC_ETHEREUM', 'Node URLs of ethereum, comma-separated; absent: the dev chain.'),
  webhookAllowHttp: flag('WEBHOOK_ALLOW_HTTP', true, 'Whether webhooks may go to http:// addresses.'),
  webhookAllowPrivate: flag('WEBHOOK_ALLOW_PRIVATE', true, 'Whether webhooks may go to private networks.'),
  rateSources: rateSources('RATE_SOURCES', 'Public price sources, name or name=url; absent: a fixed table.'),
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
  readonly registration: 'open' | 'closed'
  readonly logLevel: (typeof logLevels)[number]
}

/**
 * Reads the settings, all problems at once.
 * @throws SettingsError
 */
export function readConfig(environment: Environment): Config {
  const { mode, publicUrl, dataDir, ...rest } = readSettings(settings, environment)
  const problems = [
    ...modeProblems(mode),
    ...urlProblems('PUBLIC_URL', publicUrl, ['http:', 'https:']),
    ...rest.evmRpcEthereum.flatMap((url) => urlProblems('EVM_RPC_ETHEREUM', url, ['http:', 'https:'])),
    ...databaseProblems('DATABASE_URL', rest.databaseUrl),
    ...databaseProblems('MIGRATION_DATABASE_URL', rest.migrationDatabaseUrl),
    ...secretProblems(rest),
  ]
  if (problems.length > 0) throw new SettingsError(problems)
  return {
    ...rest,
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(repositoryRoot, dataDir),
  }
}

function modeProblems(mode: 'sandbox' | 'production'): string[] {
  if (mode === 'sandbox') return []
  return [
    'COFFER_MODE=production is not offered before the signer exists: run the sandbox (leave COFFER_MODE unset)',
  ]
}

function urlProblems(name: string, value: string | undefined, protocols: readonly string[]): string[] {
  if (value === undefined) return []
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url !== undefined && protocols.includes(url.protocol)) return []
  return [`${name} must be a URL starting with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`]
}

/** A sandbox prints its secrets and plays with money: it stays on its own machine. */
function databaseProblems(name: string, value: Secret | undefined): string[] {
  if (value === undefined) return []
  const url = URL.canParse(value.reveal()) ? new URL(value.reveal()) : undefined
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    return [`${name} must be a URL such as postgresql://user:password@127.0.0.1:5432/coffer`]
  }
  const isLocal = ['127.0.0.1', '[::1]', 'localhost', ''].includes(url.hostname)
  return isLocal
    ? []
    : [`${name} is remote, and the sandbox takes only a database on this machine (127.0.0.1)`]
}

function secretProblems(
  config: Pick<Config, 'jwtSecret' | 'encryptionKey' | 'adminPassword' | 'serviceName'>,
): string[] {
  const problems: string[] = []
  if (config.jwtSecret && config.jwtSecret.reveal().length < 32)
    problems.push('JWT_SECRET must have 32 characters or more')
  if (config.encryptionKey && !/^[0-9a-fA-F]{64}$/.test(config.encryptionKey.reveal())) {
    problems.push('ENCRYPTION_KEY must be 64 hex digits, as `openssl rand -hex 32` prints')
  }
  if (config.adminPassword && config.adminPassword.reveal().length < 12) {
    problems.push('ADMIN_PASSWORD must have 12 characters or more')
  }
  if (!/^[A-Za-z][A-Za-z0-9]{0,29}$/.test(config.serviceName)) {
    problems.push('SERVICE_NAME must be letters and digits, as it becomes part of a header name')
  }
  return problems
}
