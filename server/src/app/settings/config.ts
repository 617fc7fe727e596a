import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NetworkName, utxoNetworkNames } from '../../chains/networks.ts'
import { limits } from '../../core/limits.ts'
import {
  choice,
  type Environment,
  flag,
  integer,
  list,
  ports,
  readSettings,
  ruled,
  type Secret,
  seconds,
  secret,
  text,
} from '../../core/settings.ts'
import { nativeGasMaxDefault } from '../../outgoing/evm/price-gas.ts'
import { gasBudgetDefault } from '../../outgoing/withdrawals/network-costs/gas-budget.ts'
import type { TrustedProxies } from '../../platform/http/limits/client-address.ts'
import { trustedProxies } from '../../platform/http/limits/trusted-proxies.ts'
import { type FeeDefaults, feeDefaults } from '../../pricing/fees/fee.ts'
import { rateSources, type SourceChoice } from '../../pricing/rates/sources.ts'
import type { Role } from '../jobs.ts'
import { logLevels } from '../log.ts'
import {
  accountSettings,
  type CoinConfig,
  coldAddressSettings,
  neededAccounts,
  nodeSettings,
  ofCoin,
  ruledColdAddresses,
} from './coin-settings.ts'
import { productionSettings, productionStartSettings } from './production-settings.ts'
import {
  absolutePathProblem,
  atLeast,
  databaseProblem,
  dnsServersProblem,
  etherProblem,
  evmAddressProblem,
  keyProblem,
  localDatabaseProblem,
  needed,
  oracleAddress,
  originProblem,
  redisProblem,
  sanctionsFileProblem,
  serviceNameProblem,
  urlProblem,
  usdProblem,
  xpubProblem,
} from './setting-rules.ts'

/** Where a clone lives: relative folders are meant from here, whatever the current folder is. */
const repositoryRoot = fileURLToPath(new URL('../../../../', import.meta.url))

/** Every setting of `coffer`, with default and meaning; `coffer help settings` prints this list. */
export const settings = {
  host: text('HOST', '127.0.0.1', 'Where the API listens.'),
  port: integer('PORT', 3000, { min: 0, max: 65_535 }, 'The port of the API; 0 takes a free one.'),
  publicUrl: ruled(
    text(
      'PUBLIC_URL',
      undefined,
      'How browsers reach the API, at the root of a host; by default http://HOST:PORT.',
    ),
    originProblem,
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
  mode: choice(
    'COFFER_MODE',
    ['sandbox', 'production'],
    'sandbox',
    'sandbox, or production, which generates nothing and takes no default that is weak.',
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
  encryptionKeyPrevious: ruled(
    secret(
      'ENCRYPTION_KEY_PREVIOUS',
      'The key before it, while "coffer keys rotate-encryption" is to be run.',
    ),
    keyProblem,
  ),
  xpubEvm: ruled(
    text('XPUB_EVM', undefined, 'Account xpub at m/44’/60’/0’; from a generated seed when absent.'),
    xpubProblem,
  ),
  ...accountSettings,
  keystoreFile: text('KEYSTORE_FILE', undefined, 'The sandbox signer’s encrypted seed; made in DATA_DIR.'),
  keystorePassphraseFile: text(
    'KEYSTORE_PASSPHRASE_FILE',
    undefined,
    'Where that signer reads its passphrase; made in DATA_DIR. Nothing else reads it.',
  ),
  signerSocket: ruled(
    text('SIGNER_SOCKET', undefined, 'The unix socket of a "coffer signer"; absent: a child of the sandbox.'),
    absolutePathProblem,
  ),
  intentKeyFile: text(
    'INTENT_KEY_FILE',
    undefined,
    'Key under which withdrawals are approved, read by the role payouts; made in DATA_DIR.',
  ),
  orderKeyFile: ruled(
    text(
      'ORDER_KEY_FILE',
      undefined,
      'Key that signs withdrawals as they are ordered, read by the role api; made in DATA_DIR.',
    ),
    absolutePathProblem,
  ),
  orderPublicKeysFile: ruled(
    text(
      'ORDER_PUBLIC_KEYS_FILE',
      undefined,
      'Public keys that check it, read by the role payouts; made in DATA_DIR.',
    ),
    absolutePathProblem,
  ),
  booksKeyFile: text(
    'BOOKS_KEY_FILE',
    undefined,
    'Keys of the MACs in the books, the current one first; for the roles api, watcher and payouts; made in DATA_DIR.',
  ),
  payoutLanes: integer(
    'PAYOUT_LANES',
    4,
    { min: 1, max: 16 },
    'How many hot wallets the sandbox signer has.',
  ),
  coldAddressEthereum: ruled(
    text('COLD_ADDRESS_ETHEREUM', undefined, 'Where the operator takes money out to; absent: nowhere.'),
    evmAddressProblem,
  ),
  ...coldAddressSettings,
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
  sandboxLitecoin: flag(
    'SANDBOX_LITECOIN',
    false,
    'Whether the sandbox starts a Litecoin chain too, by the litecoind on the PATH; --with-litecoin says so as well.',
  ),
  evmRpcEthereum: ruled(
    list('EVM_RPC_ETHEREUM', 'Node URLs of ethereum, comma-separated; absent: the dev chain.'),
    (urls, name) => urls.map((url) => urlProblem(url, name)).find((problem) => problem !== undefined),
  ),
  ...nodeSettings,
  webhookAllowHttp: flag('WEBHOOK_ALLOW_HTTP', true, 'Whether webhooks may go to http:// addresses.'),
  webhookAllowPrivate: flag('WEBHOOK_ALLOW_PRIVATE', true, 'Whether webhooks may go to private networks.'),
  webhookPorts: ports(
    'WEBHOOK_PORTS',
    [],
    'Ports of public addresses that webhooks may go to, comma-separated; absent: all but system ports, in production 443 and 8443.',
  ),
  webhookInFlight: integer(
    'WEBHOOK_IN_FLIGHT',
    limits.deliveriesPerEndpoint,
    { min: 1, max: 64 },
    'How many deliveries to one endpoint may be under way at once, over all processes.',
  ),
  webhookDnsServers: ruled(
    list('WEBHOOK_DNS_SERVERS', 'Name servers asked for the hosts of webhooks; absent: those of the system.'),
    dnsServersProblem,
  ),
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
  sanctionsFile: ruled(
    text('SANCTIONS_FILE', undefined, 'Sanctions list: an absolute path or an https URL; read every 6 h.'),
    sanctionsFileProblem,
  ),
  sanctionsOracleEthereum: oracleAddress(
    'SANCTIONS_ORACLE_ETHEREUM',
    'A contract on ethereum with isSanctioned(address), as 0x40C57923924B5c5c5455c48D93317139ADDaC8fb is.',
  ),
  screening: choice('SCREENING', ['on', 'off'], 'on', 'off: nobody is screened, whatever is configured.'),
  approvalAboveUsd: ruled(
    text(
      'APPROVAL_ABOVE_USD',
      undefined,
      'Withdrawals worth more, alone or with those of 24 hours, wait for an operator; absent: none does.',
    ),
    usdProblem,
  ),
  nativeGasMax: integer(
    'NATIVE_GAS_MAX',
    Number(nativeGasMaxDefault),
    { min: 21_000, max: 1_000_000 },
    'The most gas that a withdrawal of ETH may take; one that needs more fails before it is signed.',
  ),
  gasBudgetEthereum: ruled(
    text(
      'GAS_BUDGET_ETHEREUM',
      gasBudgetDefault,
      'ETH that a merchant’s transactions may cost in 24 h beyond the fees it pays; then its withdrawals wait.',
    ),
    etherProblem,
  ),
  registration: choice('REGISTRATION', ['open', 'closed'], 'open', 'Whether anyone may register an account.'),
  logLevel: choice(
    'LOG_LEVEL',
    logLevels,
    'warn',
    'The least severe log lines to write; info by default where production starts.',
  ),
} as const

export interface Config extends CoinConfig {
  readonly mode: 'sandbox' | 'production'
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
  /** Opens what it sealed; nothing is sealed under it. */
  readonly encryptionKeyPrevious: Secret | undefined
  readonly xpubEvm: string | undefined
  readonly keystoreFile: string | undefined
  readonly keystorePassphraseFile: string | undefined
  readonly signerSocket: string | undefined
  readonly intentKeyFile: string | undefined
  readonly orderKeyFile: string | undefined
  readonly orderPublicKeysFile: string | undefined
  readonly booksKeyFile: string | undefined
  readonly payoutLanes: number
  /** As it was written. */
  readonly coldAddressEthereum: string | undefined
  readonly serviceName: string
  readonly sandboxEvmPort: number
  readonly sandboxBlockTimeS: number
  /** Only where UTXO_RPC_LITECOIN names no node. */
  readonly sandboxLitecoin: boolean
  readonly evmRpcEthereum: readonly string[]
  readonly webhookAllowHttp: boolean
  readonly webhookAllowPrivate: boolean
  /** Empty: all but system ports. */
  readonly webhookPorts: readonly number[]
  readonly webhookInFlight: number
  readonly webhookDnsServers: readonly string[]
  readonly rateSources: readonly SourceChoice[]
  readonly tlsCertFile: string | undefined
  readonly tlsKeyFile: string | undefined
  readonly trustedProxies: TrustedProxies | undefined
  readonly rateLimitPerSecond: number
  readonly redisUrl: Secret | undefined
  /** Where the sanctions list is read from; undefined where none is kept. */
  readonly sanctionsFile: string | undefined
  /** In canonical spelling. */
  readonly sanctionsOracleEthereum: string | undefined
  readonly screening: 'on' | 'off'
  /** Withdrawals worth more than so many USD wait for an operator; undefined where none does. */
  readonly approvalAboveUsd: string | undefined
  readonly nativeGasMax: number
  /** In ETH, as it was written. */
  readonly gasBudgetEthereum: string
  readonly registration: 'open' | 'closed'
  /** What is charged where no operator set a fee. */
  readonly feeDefaults: FeeDefaults
  readonly logLevel: (typeof logLevels)[number]
}

/** Where profit is taken out to on each network, as it was written; where it is left out, nothing can be. */
export function coldAddressesOf(config: Config): ReadonlyMap<NetworkName, string> {
  const written = [
    ['ethereum', config.coldAddressEthereum] as const,
    ...utxoNetworkNames.map((name) => [name, ofCoin(config, 'coldAddress', name)] as const),
  ]
  return new Map(written.flatMap(([name, address]) => (address === undefined ? [] : [[name, address]])))
}

/** The networks that are used, in the order of the catalogue. */
export function networksOf(config: Config): readonly NetworkName[] {
  return ['ethereum', ...utxoNetworkNames.filter((name) => ofCoin(config, 'utxoRpc', name).length > 0)]
}

/** What every process on one database must have alike: none may make its own. */
const shared = ', and the same for every process of --roles on this DATABASE_URL'
const sharedKeys = {
  jwtSecret: needed(settings.jwtSecret, shared),
  encryptionKey: needed(settings.encryptionKey, shared),
  xpubEvm: needed(settings.xpubEvm, shared),
  booksKeyFile: needed(settings.booksKeyFile, shared),
}

const sandboxSettings = {
  databaseUrl: ruled(settings.databaseUrl, localDatabaseProblem),
  migrationDatabaseUrl: ruled(settings.migrationDatabaseUrl, localDatabaseProblem),
  ...ruledColdAddresses(settings, 'regtest'),
}

export interface ConfigUse {
  /** The roles that are to be started; undefined for every other command. */
  readonly roles?: readonly Role[]
  /** Whether other processes do the rest of the work: those on one DATABASE_URL share their keys. */
  readonly isOneOfSeveral?: boolean
}

/**
 * Reads the settings, all problems at once.
 * @throws SettingsError
 */
export function readConfig(environment: Environment, use: ConfigUse = {}): Config {
  const declared = { ...settings, ...strictSettings(environment, use) }
  const { publicUrl, dataDir, ...rest } = readSettings(declared, environment)
  return {
    ...rest,
    feeDefaults: feeDefaults[rest.mode],
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(repositoryRoot, dataDir),
  }
}

/** What the mode asks for beyond what each setting must be like. */
function strictSettings(environment: Environment, { roles, isOneOfSeveral = false }: ConfigUse) {
  if (environment[settings.mode.name] !== 'production') {
    const needsSharedKeys = isOneOfSeveral && Boolean(environment[settings.databaseUrl.name])
    const accounts = neededAccounts(settings, environment, shared)
    return { ...sandboxSettings, ...(needsSharedKeys && { ...sharedKeys, ...accounts }) }
  }
  const strict = productionSettings(settings)
  return roles === undefined
    ? strict
    : { ...productionStartSettings(settings, environment, roles), ...strict }
}
