/** What production asks of settings beyond what each must be like: nothing is generated, and no default is weak. */
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
import { needed } from './setting-rules.ts'

/** The settings of `config.ts` that production is strict about. */
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

/** For every command: other defaults than a sandbox has, and a database of the operator's own. */
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

/** For a start: what its roles cannot work without. `environment` tells of settings that depend on each other. */
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
        : `${name} is for coffer migrate alone: unset it, a start never migrates`,
    ),
    adminEmail: ruled(settings.adminEmail, (_, name) =>
      isSet('ADMIN_PASSWORD') && !isSet(name) ? `${name} must be set with ADMIN_PASSWORD` : undefined,
    ),
    // A recovery needs to know when addresses began to be given out (docs/production.md, section 10).
    logLevel: choice('LOG_LEVEL', logLevels, 'info', 'The least severe log lines to write.'),
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
    evmRpcEthereum: neededList(settings.evmRpcEthereum, 'nodes of ethereum; of three, one may lie'),
    rateSources: neededList(settings.rateSources, 'price sources; of three, one may be wrong'),
    screening: ruled(settings.screening, (value, name) =>
      value === 'on' && !isSet('SANCTIONS_FILE')
        ? `SANCTIONS_FILE must be set in production, or ${name}=off said aloud`
        : undefined,
    ),
    ...signerSettings(settings, roles),
    booksKeyFile: needsBooksKey(roles)
      ? needed(settings.booksKeyFile, ' for the roles api, watcher and payouts')
      : settings.booksKeyFile,
  }
}

/** The way to the signer is for the role payouts alone: no request from outside may reach a process that has it. */
function signerSettings(settings: StrictlyRead, roles: readonly Role[]) {
  const { signerSocket, intentKeyFile, keystoreFile, keystorePassphraseFile } = settings
  const { orderKeyFile, orderPublicKeysFile } = settings
  const none = (setting: Setting<string | undefined>, why: string) =>
    ruled(setting, (value, name) => (value === undefined ? undefined : `${name} ${why}`))
  const signersOwn = 'is for the signer alone, which "coffer signer" is told by its words: unset it'
  const isPayouts = roles.includes('payouts')
  const isApart = !(isPayouts && roles.includes('api'))
  return {
    keystoreFile: none(keystoreFile, signersOwn),
    keystorePassphraseFile: none(keystorePassphraseFile, signersOwn),
    signerSocket: ruled(
      isPayouts
        ? needed(signerSocket, ' for the role payouts')
        : none(signerSocket, 'is for the role payouts alone'),
      () =>
        isApart
          ? undefined
          : 'in production the role payouts runs apart from the role api, under a user of its own: start twice with --roles',
    ),
    intentKeyFile: isPayouts
      ? needed(intentKeyFile, ' for the role payouts')
      : none(intentKeyFile, 'is for the role payouts alone'),
    orderKeyFile: roles.includes('api')
      ? needed(orderKeyFile, ' for the role api, as "coffer keys order-key" makes it')
      : none(orderKeyFile, 'is for the role api alone'),
    orderPublicKeysFile: isPayouts
      ? needed(orderPublicKeysFile, ' for the role payouts, as "coffer keys order-key" writes it')
      : orderPublicKeysFile,
  }
}

function publicUrlProblem(value: string | undefined, name: string, speaksTls: boolean): string | undefined {
  if (value === undefined) return undefined
  if (!value.startsWith('https://')) return `${name} must start with https:// in production`
  if (speaksTls) return undefined
  return (
    `${name} is https, and nothing here speaks it: set TLS_CERT_FILE and TLS_KEY_FILE, ` +
    'or TRUST_PROXY to the proxy that does'
  )
}

/** Fewer kinds of characters than any random key of that length has. */
const kindsMin = 8

function secretProblem(value: Secret | undefined, name: string): string | undefined {
  if (value === undefined || new Set(value.reveal()).size >= kindsMin) return undefined
  return `${name} is no random secret: use what "openssl rand -hex 32" prints`
}

/** Of m/44'/60'/0' under "test test test test test test test test test test test junk", as dev chains have it. */
const testAccountXpub =
  'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP'

function xpubProblem(value: string | undefined, name: string): string | undefined {
  if (value === undefined || value !== testAccountXpub) return undefined
  return `${name} is of the test phrase that everybody knows: make keys by "coffer keys init"`
}

function neededList<T>(setting: Setting<readonly T[]>, what: string): Setting<readonly T[]> {
  return ruled(setting, (values, name) =>
    values.length === 0 ? `${name} must be set in production: ${what}` : undefined,
  )
}
