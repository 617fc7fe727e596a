/**
 * The additional rules for settings in production: no value is generated, and the defaults that are weak in a
 * sandbox are stricter.
 */
import { evmNetworkNames } from '../../chains/evm/evm-networks.ts'
import {
  choice,
  type Environment,
  flag,
  ports,
  ruled,
  type Secret,
  type Setting,
} from '../../core/settings.ts'
import type { SourceChoice } from '../../pricing/rates/sources.ts'
import type { Role } from '../jobs.ts'
import { needsBooksKey } from '../keys/needs-books-key.ts'
import { logLevels } from '../log.ts'
import {
  type AccountSettings,
  type ColdAddressSettings,
  neededMainAccounts,
  ruledColdAddresses,
} from './coin-settings.ts'
import { evmNodesNameOf } from './evm-settings.ts'
import { needed } from './setting-rules.ts'

/** The settings of `config.ts` for which production has stricter rules. */
export interface StrictlyRead extends AccountSettings, ColdAddressSettings {
  readonly databaseUrl: Setting<Secret | undefined>
  readonly migrationDatabaseUrl: Setting<Secret | undefined>
  readonly publicUrl: Setting<string | undefined>
  readonly adminEmail: Setting<string>
  readonly jwtSecret: Setting<Secret | undefined>
  readonly encryptionKey: Setting<Secret | undefined>
  readonly xpubEvm: Setting<string | undefined>
  readonly evmRpcEthereum: Setting<readonly string[]>
  readonly rateSources: Setting<readonly SourceChoice[]>
  readonly signerSocket: Setting<string | undefined>
  readonly intentKeyFile: Setting<string | undefined>
  readonly orderKeyFile: Setting<string | undefined>
  readonly orderPublicKeysFile: Setting<string | undefined>
  readonly booksKeyFile: Setting<string | undefined>
  readonly keystoreFile: Setting<string | undefined>
  readonly keystorePassphraseFile: Setting<string | undefined>
  readonly screening: Setting<'on' | 'off'>
}

const inProduction = ' in production'

/**
 * Returns the settings for every command. Their defaults differ from those of a sandbox, and the operator
 * must provide a database.
 */
export function productionSettings({
  databaseUrl,
  ...coldAddresses
}: Pick<StrictlyRead, 'databaseUrl'> & ColdAddressSettings) {
  return {
    ...ruledColdAddresses(coldAddresses, 'main'),
    databaseUrl: needed(databaseUrl, `${inProduction}: PostgreSQL as a role that does not own the tables`),
    registration: choice(
      'REGISTRATION',
      ['open', 'closed'],
      'closed',
      'Whether anyone may register an account.',
    ),
    webhookAllowHttp: flag('WEBHOOK_ALLOW_HTTP', false, 'Whether webhooks may go to http:// addresses.'),
    webhookAllowPrivate: flag('WEBHOOK_ALLOW_PRIVATE', false, 'Whether webhooks may go to private networks.'),
    webhookPorts: ports('WEBHOOK_PORTS', [443, 8443], 'Ports of public addresses that webhooks may go to.'),
  }
}

/**
 * Returns the settings for a start. The settings that the started roles need are required. `environment`
 * shows which other settings are set, because some settings depend on others.
 */
export function productionStartSettings(
  settings: StrictlyRead,
  environment: Environment,
  roles: readonly Role[],
) {
  const isSet = (name: string) => Boolean(environment[name])
  const speaksTls = isSet('TLS_CERT_FILE') || isSet('TRUST_PROXY') || !roles.includes('api')
  return {
    publicUrl: ruled(needed(settings.publicUrl, inProduction), (value, name) =>
      publicUrlProblem(value, name, speaksTls),
    ),
    migrationDatabaseUrl: ruled(settings.migrationDatabaseUrl, (value, name) =>
      value === undefined
        ? undefined
        : `${name} is for commands such as "coffer migrate": unset it here, because a start never migrates`,
    ),
    adminEmail: ruled(settings.adminEmail, (_, name) =>
      isSet('ADMIN_PASSWORD') && !isSet(name) ? `${name} must be set with ADMIN_PASSWORD` : undefined,
    ),
    // The default is `info`, because the log then shows when addresses were given out. A recovery needs these
    // times (docs/production.md, section 10).
    logLevel: choice('LOG_LEVEL', logLevels, 'info', 'The lowest severity that is logged.'),
    jwtSecret: ruled(needed(settings.jwtSecret, inProduction), secretProblem),
    encryptionKey: ruled(needed(settings.encryptionKey, inProduction), secretProblem),
    xpubEvm: ruled(
      needed(settings.xpubEvm, `${inProduction}, as "coffer keys export-xpub" prints it`),
      xpubProblem,
    ),
    ...neededMainAccounts(
      settings,
      environment,
      `${inProduction}, as "coffer keys export-xpub --network" prints it`,
    ),
    evmRpcEthereum: ruled(settings.evmRpcEthereum, (_, name) =>
      evmNetworkNames.some((network) => isSet(evmNodesNameOf(network)))
        ? undefined
        : `${name} must be set in production, or EVM_RPC_<NETWORK> of another EVM network: its nodes; with three, one may be dishonest`,
    ),
    rateSources: neededList(settings.rateSources, 'price sources; with three, one may be wrong'),
    screening: ruled(settings.screening, (value, name) =>
      value === 'on' && !isSet('SANCTIONS_FILE')
        ? `SANCTIONS_FILE must be set in production, or ${name}=off explicitly`
        : undefined,
    ),
    ...signerSettings(settings, roles),
    booksKeyFile: needsBooksKey(roles)
      ? needed(settings.booksKeyFile, ' for the roles api, watcher and payouts')
      : settings.booksKeyFile,
  }
}

/**
 * Returns the settings that concern the signer. Only the role `payouts` may have the signer's socket, so that
 * no process with that socket receives requests from outside.
 */
function signerSettings(settings: StrictlyRead, roles: readonly Role[]) {
  const { signerSocket, intentKeyFile, keystoreFile, keystorePassphraseFile } = settings
  const { orderKeyFile, orderPublicKeysFile } = settings
  const none = (setting: Setting<string | undefined>, why: string) =>
    ruled(setting, (value, name) => (value === undefined ? undefined : `${name} ${why}`))
  const signersOwn = 'is for the signer only, which takes it as an option of "coffer signer": unset it'
  const isPayouts = roles.includes('payouts')
  const isApart = !(isPayouts && roles.includes('api'))
  return {
    keystoreFile: none(keystoreFile, signersOwn),
    keystorePassphraseFile: none(keystorePassphraseFile, signersOwn),
    signerSocket: ruled(
      isPayouts
        ? needed(signerSocket, ' for the role payouts')
        : none(signerSocket, 'is for the role payouts only'),
      () =>
        isApart
          ? undefined
          : 'in production the roles payouts and api run in separate processes under separate users: start two processes with --roles',
    ),
    intentKeyFile: isPayouts
      ? needed(intentKeyFile, ' for the role payouts')
      : none(intentKeyFile, 'is for the role payouts only'),
    orderKeyFile: roles.includes('api')
      ? needed(orderKeyFile, ' for the role api; "coffer keys order-key" creates it')
      : none(orderKeyFile, 'is for the role api only'),
    orderPublicKeysFile: isPayouts
      ? needed(orderPublicKeysFile, ' for the role payouts; "coffer keys order-key" writes it')
      : orderPublicKeysFile,
  }
}

function publicUrlProblem(value: string | undefined, name: string, speaksTls: boolean): string | undefined {
  if (value === undefined) return undefined
  if (!value.startsWith('https://')) return `${name} must start with https:// in production`
  if (speaksTls) return undefined
  return (
    `${name} is https, and HTTPS is not configured: set TLS_CERT_FILE and TLS_KEY_FILE, ` +
    'or TRUST_PROXY to the proxy that terminates TLS'
  )
}

/**
 * The minimum number of distinct characters in a secret. A random key of the required length almost always
 * has more.
 */
const kindsMin = 8

function secretProblem(value: Secret | undefined, name: string): string | undefined {
  if (value === undefined || new Set(value.reveal()).size >= kindsMin) return undefined
  return `${name} is not a random secret: use the output of "openssl rand -hex 32"`
}

/**
 * The account xpub of m/44'/60'/0' under the seed of dev chains, "test test test test test test test test
 * test test test junk". Production refuses this xpub, because its seed is publicly known.
 */
const testAccountXpub =
  'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP'

function xpubProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined || value !== testAccountXpub) return undefined
  return `${name} belongs to the publicly known test phrase: generate keys with "coffer keys init"`
}

function neededList<T>(setting: Setting<readonly T[]>, what: string): Setting<readonly T[]> {
  return ruled(setting, (values, name) =>
    values.length === 0 ? `${name} must be set in production: ${what}` : undefined,
  )
}
