/** Declares every setting and reads them all from the environment into one `Config`. */
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { evmNetworkNames, type ShippedEvmName } from '../../chains/evm/evm-networks.ts'
import { type NetworkName, type ShippedNetworkName, utxoNetworkNames } from '../../chains/networks.ts'
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
  ruledColdAddresses,
} from './coin-settings.ts'
import {
  type EvmConfig,
  evmColdAddressSettings,
  evmNodeSettings,
  gasBudgetSettings,
  sanctionsOracleSettings,
  tokensOnlySetting,
} from './evm-settings.ts'
import { ofNetwork } from './network-settings.ts'
import { productionSettings, productionStartSettings } from './production-settings.ts'
import {
  absolutePathProblem,
  atLeast,
  databaseProblem,
  dnsServersProblem,
  keyProblem,
  localDatabaseProblem,
  needed,
  originProblem,
  publicKeysProblem,
  redisProblem,
  sanctionsFileProblem,
  serviceNameProblem,
  usdProblem,
  xpubProblem,
} from './setting-rules.ts'

/**
 * The root of the repository. Relative folders are resolved from this folder, not from the current folder.
 */
const repositoryRoot = fileURLToPath(new URL('../../../../', import.meta.url))

/** Every setting of `coffer`, with default and meaning. `coffer help settings` prints this list. */
export const settings = {
  host: text('HOST', '127.0.0.1', 'The address on which the API listens.'),
  port: integer('PORT', 3000, { min: 0, max: 65_535 }, 'The port of the API; 0 selects a free one.'),
  publicUrl: ruled(
    text(
      'PUBLIC_URL',
      undefined,
      'The URL at which browsers reach the API, at the root of a host; by default http://HOST:PORT.',
    ),
    originProblem,
  ),
  dataDir: text('DATA_DIR', './data', 'Embedded database, dev chain state, generated secrets.'),
  databaseUrl: ruled(
    secret('DATABASE_URL', 'PostgreSQL 15 to 18, with the role of the service; unset: an embedded server.'),
    databaseProblem,
  ),
  migrationDatabaseUrl: ruled(
    secret('MIGRATION_DATABASE_URL', 'The same database, with the role that owns its tables.'),
    databaseProblem,
  ),
  mode: choice(
    'COFFER_MODE',
    ['sandbox', 'production'],
    'sandbox',
    'sandbox, or production, which generates nothing and has no weak defaults.',
  ),
  adminEmail: text('ADMIN_EMAIL', 'admin@coffer.test', 'The first account, created if there is none.'),
  adminPassword: ruled(
    secret('ADMIN_PASSWORD', 'Its password; unset: generated and stored in DATA_DIR.'),
    atLeast(12),
  ),
  jwtSecret: ruled(
    secret('JWT_SECRET', 'Signs session tokens, 32 characters or more; unset: generated.'),
    atLeast(32),
  ),
  encryptionKey: ruled(
    secret('ENCRYPTION_KEY', 'Encrypts secrets at rest: 64 hex digits; unset: generated.'),
    keyProblem,
  ),
  encryptionKeyPrevious: ruled(
    secret(
      'ENCRYPTION_KEY_PREVIOUS',
      'The previous key, until "coffer keys rotate-encryption" has finished.',
    ),
    keyProblem,
  ),
  xpubEvm: ruled(
    text('XPUB_EVM', undefined, 'Account xpub at m/44’/60’/0’; unset: from a generated seed.'),
    xpubProblem,
  ),
  ...accountSettings,
  keystoreFile: text(
    'KEYSTORE_FILE',
    undefined,
    'The sandbox signer’s encrypted seed; generated in DATA_DIR.',
  ),
  keystorePassphraseFile: text(
    'KEYSTORE_PASSPHRASE_FILE',
    undefined,
    'The file with that signer’s passphrase, read by nothing else; generated in DATA_DIR.',
  ),
  signerSocket: ruled(
    text(
      'SIGNER_SOCKET',
      undefined,
      'The unix socket of a "coffer signer"; unset: a child process of the sandbox.',
    ),
    absolutePathProblem,
  ),
  intentKeyFile: text(
    'INTENT_KEY_FILE',
    undefined,
    'Key that authenticates payments to the signer, read by the role payouts; generated in DATA_DIR.',
  ),
  orderKeyFile: ruled(
    text(
      'ORDER_KEY_FILE',
      undefined,
      'Key that signs withdrawals when they are ordered, read by the role api; generated in DATA_DIR.',
    ),
    absolutePathProblem,
  ),
  orderPublicKeysFile: ruled(
    text(
      'ORDER_PUBLIC_KEYS_FILE',
      undefined,
      'Public keys that verify its signatures, read by the role payouts; generated in DATA_DIR.',
    ),
    absolutePathProblem,
  ),
  operatorKeyFile: ruled(
    text(
      'OPERATOR_KEY_FILE',
      undefined,
      'Key that signs your own networks and tokens, read by "coffer networks" and "coffer tokens"; generated in DATA_DIR.',
    ),
    absolutePathProblem,
  ),
  operatorPublicKeys: ruled(
    list(
      'OPERATOR_PUBLIC_KEYS',
      'Public keys that verify your own networks and tokens, as "coffer networks key" prints them; unset in production: none is used.',
    ),
    publicKeysProblem,
  ),
  operatorEntryMin: integer(
    'OPERATOR_ENTRY_MIN',
    0,
    { min: 0, max: 1_000_000_000 },
    'The number of the last signed entry that you know; with fewer in the database, none is used.',
  ),
  booksKeyFile: text(
    'BOOKS_KEY_FILE',
    undefined,
    'Keys of the MACs in the books, the current one first; for the roles api, watcher and payouts; generated in DATA_DIR.',
  ),
  hotWalletCount: integer(
    'HOT_WALLET_COUNT',
    4,
    { min: 1, max: 16 },
    'The number of hot wallets of the sandbox signer.',
  ),
  ...evmColdAddressSettings,
  ...coldAddressSettings,
  serviceName: ruled(
    text('SERVICE_NAME', 'Service', 'The name in the webhook header X-<Name>-Signature.'),
    serviceNameProblem,
  ),
  sandboxEvmPort: integer(
    'SANDBOX_EVM_PORT',
    8545,
    { min: 1, max: 65_535 },
    'The RPC port of the dev chain.',
  ),
  sandboxBlockTimeS: seconds('SANDBOX_BLOCK_TIME_S', 1, 'Its block time; may be fractional.'),
  sandboxBase: flag(
    'SANDBOX_BASE',
    false,
    'Whether the sandbox also starts a development chain of Base; the same as --with-base.',
  ),
  sandboxBasePort: integer('SANDBOX_BASE_PORT', 8546, { min: 1, max: 65_535 }, 'The RPC port of that chain.'),
  sandboxLitecoin: flag(
    'SANDBOX_LITECOIN',
    false,
    'Whether the sandbox also starts a Litecoin chain, with the litecoind on the PATH; the same as --with-litecoin.',
  ),
  ...evmNodeSettings,
  tokensOnlyNetworks: tokensOnlySetting,
  ...nodeSettings,
  webhookAllowHttp: flag('WEBHOOK_ALLOW_HTTP', true, 'Whether webhooks may go to http:// addresses.'),
  webhookAllowPrivate: flag('WEBHOOK_ALLOW_PRIVATE', true, 'Whether webhooks may go to private networks.'),
  webhookPorts: ports(
    'WEBHOOK_PORTS',
    [],
    'Ports of public addresses that webhooks may go to, comma-separated; unset: all but system ports, in production 443 and 8443.',
  ),
  webhookInFlight: integer(
    'WEBHOOK_IN_FLIGHT',
    limits.deliveriesPerEndpoint,
    { min: 1, max: 64 },
    'The maximum number of concurrent deliveries to one endpoint, over all processes.',
  ),
  webhookDnsServers: ruled(
    list(
      'WEBHOOK_DNS_SERVERS',
      'Name servers that resolve the hosts of webhooks; unset: those of the system.',
    ),
    dnsServersProblem,
  ),
  rateSources: rateSources('RATE_SOURCES', 'Public price sources, name or name=url; unset: a fixed table.'),
  tlsCertFile: text(
    'TLS_CERT_FILE',
    undefined,
    'PEM certificate chain; with TLS_KEY_FILE the API uses HTTPS.',
  ),
  tlsKeyFile: text('TLS_KEY_FILE', undefined, 'Its private key, as PEM without a passphrase.'),
  trustedProxies: trustedProxies(
    'TRUST_PROXY',
    'Proxies whose X-Forwarded-For is trusted: their number in the chain, or their addresses and CIDRs; unset: none.',
  ),
  rateLimitPerSecond: integer(
    'RATE_LIMIT_PER_SECOND',
    100,
    { min: 0, max: 1_000_000 },
    'Requests per second of one credential, with bursts of twice that; 0: no limit.',
  ),
  redisUrl: ruled(
    secret(
      'REDIS_URL',
      'Redis for rate limits that several processes share; unset: each process counts separately.',
    ),
    redisProblem,
  ),
  sanctionsFile: ruled(
    text('SANCTIONS_FILE', undefined, 'Sanctions list: an absolute path or an https URL; read every 6 h.'),
    sanctionsFileProblem,
  ),
  ...sanctionsOracleSettings,
  screening: choice(
    'SCREENING',
    ['on', 'off'],
    'on',
    'off: nobody is screened, whatever else is configured.',
  ),
  approvalAboveUsd: ruled(
    text(
      'APPROVAL_ABOVE_USD',
      undefined,
      'Withdrawals worth more, alone or with those of the last 24 hours, wait for an operator; unset: none waits.',
    ),
    usdProblem,
  ),
  nativeGasMax: integer(
    'NATIVE_GAS_MAX',
    Number(nativeGasMaxDefault),
    { min: 21_000, max: 1_000_000 },
    'The maximum gas of a withdrawal of ETH; one that needs more fails before it is signed.',
  ),
  ...gasBudgetSettings,
  registration: choice('REGISTRATION', ['open', 'closed'], 'open', 'Whether anyone may register an account.'),
  logLevel: choice(
    'LOG_LEVEL',
    logLevels,
    'warn',
    'The lowest severity that is logged; the default in production is info.',
  ),
} as const

export interface Config extends CoinConfig, EvmConfig {
  readonly mode: 'sandbox' | 'production'
  readonly host: string
  readonly port: number
  /** Undefined if the setting is absent. The default depends on the port, which is not known yet. */
  readonly publicUrl: string | undefined
  readonly dataDir: string
  readonly databaseUrl: Secret | undefined
  readonly migrationDatabaseUrl: Secret | undefined
  readonly adminEmail: string
  readonly adminPassword: Secret | undefined
  readonly jwtSecret: Secret | undefined
  readonly encryptionKey: Secret | undefined
  /**
   * Used only to decrypt values that were encrypted under this key before. Nothing new is encrypted under it.
   */
  readonly encryptionKeyPrevious: Secret | undefined
  readonly xpubEvm: string | undefined
  readonly keystoreFile: string | undefined
  readonly keystorePassphraseFile: string | undefined
  readonly signerSocket: string | undefined
  readonly intentKeyFile: string | undefined
  readonly orderKeyFile: string | undefined
  readonly orderPublicKeysFile: string | undefined
  readonly operatorKeyFile: string | undefined
  /** In hex. */
  readonly operatorPublicKeys: readonly string[]
  readonly operatorEntryMin: number
  readonly booksKeyFile: string | undefined
  readonly hotWalletCount: number
  readonly serviceName: string
  readonly sandboxEvmPort: number
  readonly sandboxBlockTimeS: number
  /** Whether a sandbox starts a chain of Base of its own. Ignored if EVM_RPC_BASE names a node. */
  /** Names of EVM networks. */
  readonly tokensOnlyNetworks: readonly string[]
  readonly sandboxBase: boolean
  readonly sandboxBasePort: number
  /** Whether a sandbox starts a Litecoin chain of its own. Ignored if UTXO_RPC_LITECOIN names a node. */
  readonly sandboxLitecoin: boolean
  readonly webhookAllowHttp: boolean
  readonly webhookAllowPrivate: boolean
  /** If the list is empty, 443 and all ports from 1024 are allowed. */
  readonly webhookPorts: readonly number[]
  readonly webhookInFlight: number
  readonly webhookDnsServers: readonly string[]
  readonly rateSources: readonly SourceChoice[]
  readonly tlsCertFile: string | undefined
  readonly tlsKeyFile: string | undefined
  readonly trustedProxies: TrustedProxies | undefined
  readonly rateLimitPerSecond: number
  readonly redisUrl: Secret | undefined
  /** The path or URL of the sanctions list; undefined if there is none. */
  readonly sanctionsFile: string | undefined
  readonly screening: 'on' | 'off'
  /** Withdrawals worth more than this amount in USD wait for an operator; undefined if none waits. */
  readonly approvalAboveUsd: string | undefined
  readonly nativeGasMax: number
  readonly registration: 'open' | 'closed'
  /** The fees that apply if no operator has set fees. */
  readonly feeDefaults: FeeDefaults
  readonly logLevel: (typeof logLevels)[number]
}

/**
 * Returns the address of treasury withdrawals on each network, as written in the settings. A network without
 * such an address allows no treasury withdrawal.
 */
export function coldAddressesOf(config: Config): Map<NetworkName, string> {
  const names: readonly ShippedNetworkName[] = [...evmNetworkNames, ...utxoNetworkNames]
  const written = names.map((name) => [name, ofNetwork(config, 'coldAddress', name)] as const)
  return new Map(written.flatMap(([name, address]) => (address === undefined ? [] : [[name, address]])))
}

/**
 * Returns the networks that have configured nodes, in the order of the catalogue. A sandbox without nodes of
 * Ethereum starts a chain of its own.
 */
export function networksOf(config: Config): readonly NetworkName[] {
  const isOwn = (name: ShippedEvmName) => config.mode === 'sandbox' && name === 'ethereum'
  return [
    ...evmNetworkNames.filter((name) => isOwn(name) || ofNetwork(config, 'evmRpc', name).length > 0),
    ...utxoNetworkNames.filter((name) => ofNetwork(config, 'utxoRpc', name).length > 0),
  ]
}

/**
 * The end of the error message for a setting whose value must be the same in all processes on one database.
 * No process may generate such a value itself.
 */
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
  /** The roles to start; undefined for every command that starts no role. */
  readonly roles?: readonly Role[]
  /**
   * Whether other processes run the remaining roles. All processes on one DATABASE_URL need the same keys.
   */
  readonly isOneOfSeveral?: boolean
}

/**
 * Reads the settings.
 * @throws SettingsError with all problems at once
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

/** Returns the settings that have stricter rules in the configured mode. */
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
