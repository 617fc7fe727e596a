/**
 * Provides the secrets of a process from settings or secrets.json. It refuses secrets that do not belong to
 * the database.
 */
import type { AddressFamily, Network, UtxoNetwork } from '../../chains/networks.ts'
import { plainXpub } from '../../chains/utxo/account-key.ts'
import type { Log } from '../../core/log.ts'
import { encryptionKeyId } from '../../core/seal.ts'
import type { Secret } from '../../core/settings.ts'
import { xpubFingerprint } from '../../core/xpub-fingerprint.ts'
import { hasAccount } from '../../merchants/accounts/store.ts'
import { readNewestFingerprint } from '../../payments/invoices/addresses/address-store.ts'
import { noteEncryptionKeys } from '../../platform/db/key-fingerprint.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { Role } from '../jobs.ts'
import { readUtxoXpub } from '../open-utxo-nodes.ts'
import type { Config } from '../settings/config.ts'
import { ofNetwork } from '../settings/network-settings.ts'
import { type GeneratedSecrets, makeSecrets, secretsPath } from './generated-secrets.ts'

export interface Keys {
  readonly jwtSecret: Secret
  readonly encryptionKey: Secret
  /** The former key, for values that are not yet encrypted under the new key. */
  readonly encryptionKeyPrevious: Secret | undefined
  /** The account xpub of the deposit addresses on EVM networks. */
  readonly xpub: string
  /** The account xpub of each network that this server follows, by the network's name. */
  readonly xpubs: ReadonlyMap<string, string>
  /**
   * The password of the first account; undefined if this process does not know the password, for example
   * because an earlier start created the account.
   */
  readonly adminPassword: Secret | undefined
}

export interface OpenKeysParts {
  readonly config: Config
  readonly roles: readonly Role[]
  /** The secrets that DATA_DIR contains already. */
  readonly generated: GeneratedSecrets | undefined
  readonly networks: readonly Network[]
  readonly db: Queryable
  readonly log: Log
}

/**
 * Returns the configured keys. For settings that are absent, it returns the keys of secrets.json, which is
 * created only while the database is empty. The function rejects keys that do not belong to the data of the
 * database, before anything is encrypted, signed or given out.
 * @throws Error whose message says what to restore or set
 */
export async function openKeys(parts: OpenKeysParts): Promise<Keys> {
  const { config, db } = parts
  const generated = config.mode === 'sandbox' ? await readOrGenerate(parts) : undefined
  if (config.mode === 'production' && parts.roles.includes('api')) await requireFirstAccount(config, db)
  const keys = keysOf(config, generated)
  await refuseForeignEncryptionKey(parts, keys)
  await refuseForeignXpub(parts, {
    family: 'evm',
    xpub: keys.xpub,
    isConfigured: config.xpubEvm !== undefined,
  })
  return { ...keys, xpubs: await readXpubs(parts, keys.xpub) }
}

async function readXpubs(parts: OpenKeysParts, evmXpub: string): Promise<ReadonlyMap<string, string>> {
  const xpubs = new Map<string, string>()
  for (const network of parts.networks) {
    if (network.family === 'evm') xpubs.set(network.name, evmXpub)
    else xpubs.set(network.name, await readOwnXpub(parts, network))
  }
  return xpubs
}

async function readOwnXpub(parts: OpenKeysParts, network: UtxoNetwork): Promise<string> {
  const { name: family, chain } = network
  const xpub = plainXpub(await readUtxoXpub(parts.config, network), chain)
  const isConfigured = ofNetwork(parts.config, 'xpub', family) !== undefined
  await refuseForeignXpub(parts, { family, xpub, isConfigured })
  return xpub
}

async function readOrGenerate({ config, db, generated }: OpenKeysParts) {
  return generated ?? (await generateOnFirstStart(config, db))
}

/**
 * Refuses a start if there is no account and the settings name none. Nobody could log in, because
 * registration is closed.
 */
async function requireFirstAccount({ adminPassword }: Config, db: Queryable): Promise<void> {
  if (adminPassword !== undefined || (await hasAccount(db))) return
  throw new Error(
    'The database has no account yet: set ADMIN_EMAIL and ADMIN_PASSWORD for this first start, and unset them after it',
  )
}

/**
 * Returns the generated secrets, and creates them on the first start. Returns undefined if all required keys
 * are configured and the first account exists.
 */
async function generateOnFirstStart(config: Config, db: Queryable): Promise<GeneratedSecrets | undefined> {
  const isFirst = !(await hasAccount(db))
  const missing = missingKeys(config)
  if (missing.length === 0 && !isFirst) return undefined
  const isEmpty = isFirst && (await readNewestFingerprint(db, 'evm')) === undefined
  if (missing.length > 0 && !isEmpty) {
    throw new Error(
      `${secretsPath(config.dataDir)} is missing, and the database has accounts or addresses that belong to it: ` +
        `restore the file, or set ${missing.join(', ')} to the former values. No new keys are generated, because with them ` +
        'nobody could decrypt the stored secrets or spend what customers pay to those addresses',
    )
  }
  return makeSecrets(config.dataDir)
}

function missingKeys({ jwtSecret, encryptionKey, xpubEvm }: Config): readonly string[] {
  const wanted = { JWT_SECRET: jwtSecret, ENCRYPTION_KEY: encryptionKey, XPUB_EVM: xpubEvm }
  return Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [name] : []))
}

function keysOf(config: Config, generated: GeneratedSecrets | undefined): Omit<Keys, 'xpubs'> {
  const jwtSecret = config.jwtSecret ?? generated?.jwtSecret
  const encryptionKey = config.encryptionKey ?? generated?.encryptionKey
  const xpub = config.xpubEvm ?? generated?.xpubEvm
  if (jwtSecret === undefined || encryptionKey === undefined || xpub === undefined) {
    throw new Error(`Missing: ${missingKeys(config).join(', ')}`)
  }
  const { encryptionKeyPrevious } = config
  const adminPassword = config.adminPassword ?? generated?.adminPassword
  return { jwtSecret, encryptionKey, encryptionKeyPrevious, xpub, adminPassword }
}

export type EncryptionKeys = Pick<Keys, 'encryptionKey' | 'encryptionKeyPrevious'>

/**
 * Checks that this process has every key with which a value in the database may be encrypted.
 * @throws Error whose message says which key to set
 */
export async function refuseForeignEncryptionKey(
  { config, db }: Pick<OpenKeysParts, 'config' | 'db'>,
  { encryptionKey, encryptionKeyPrevious }: EncryptionKeys,
): Promise<void> {
  const keyId = encryptionKeyId(encryptionKey)
  const formerId = encryptionKeyPrevious && encryptionKeyId(encryptionKeyPrevious)
  const { current, next } = await noteEncryptionKeys(db, keyId, formerId)
  const isAvailable = (id: string) => id === keyId || id === formerId
  if (isAvailable(current) && (next === undefined || isAvailable(next))) return
  if (isAvailable(current)) {
    throw new Error(
      'This database is being re-encrypted under another ENCRYPTION_KEY: set that key, and the previous one as ' +
        'ENCRYPTION_KEY_PREVIOUS, until "coffer keys rotate-encryption" has finished',
    )
  }
  const [what, remedy] =
    config.encryptionKey === undefined
      ? [`The key in ${secretsPath(config.dataDir)}`, 'restore the file that belongs to this database']
      : ['ENCRYPTION_KEY', 'set the key that this database was created with']
  throw new Error(
    `${what} is not the key that this database is encrypted with: ${remedy}. To change the key, also set the previous ` +
      'one as ENCRYPTION_KEY_PREVIOUS',
  )
}

interface OwnXpub {
  readonly family: AddressFamily
  readonly xpub: string
  readonly isConfigured: boolean
}

/**
 * Refuses a generated seed if the newest addresses belong to another seed. A different XPUB_... setting is
 * accepted as a deliberate change. Addresses that were assigned earlier are still watched.
 * @throws Error whose message says what to restore or set
 */
async function refuseForeignXpub(
  { config, db, log }: OpenKeysParts,
  { family, xpub, isConfigured }: OwnXpub,
): Promise<void> {
  const name = `XPUB_${family.toUpperCase()}`
  const newest = await readNewestFingerprint(db, family)
  if (newest === undefined || newest === xpubFingerprint(xpub)) return
  if (isConfigured) {
    log.warn({ family }, `${name} has changed: new addresses are derived from it`)
    return
  }
  throw new Error(
    `The seed in ${secretsPath(config.dataDir)} is not the one from which the newest addresses of this database were derived: ` +
      `restore the file that belongs to this database, or set ${name} to the account xpub that was used. To change to ` +
      `another seed, set ${name} to its account xpub; this version has no other method`,
  )
}
