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
import { ofCoin } from '../settings/coin-settings.ts'
import type { Config } from '../settings/config.ts'
import { type GeneratedSecrets, makeSecrets, secretsPath } from './generated-secrets.ts'

export interface Keys {
  readonly jwtSecret: Secret
  readonly encryptionKey: Secret
  /** The key before it, for what is not sealed anew yet. */
  readonly encryptionKeyPrevious: Secret | undefined
  /** The account of the deposit addresses on EVM networks. */
  readonly xpub: string
  /** The same of each network that is followed, by its name. */
  readonly xpubs: ReadonlyMap<string, string>
  /** Of the first account; undefined where that was made long ago and nothing here knows it. */
  readonly adminPassword: Secret | undefined
}

export interface OpenKeysParts {
  readonly config: Config
  readonly roles: readonly Role[]
  /** What DATA_DIR holds already. */
  readonly generated: GeneratedSecrets | undefined
  readonly networks: readonly Network[]
  readonly db: Queryable
  readonly log: Log
}

/**
 * The keys to work with: those that are configured, else those of secrets.json, which is made only while the database
 * is empty. Keys that the data does not belong to are refused here, before anything is sealed, signed or handed out.
 * @throws Error saying what to put back or set
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
  const isConfigured = ofCoin(parts.config, 'xpub', family) !== undefined
  await refuseForeignXpub(parts, { family, xpub, isConfigured })
  return xpub
}

async function readOrGenerate({ config, db, generated }: OpenKeysParts) {
  return generated ?? (await generateOnFirstStart(config, db))
}

/** Nobody could log in, and registration is closed. */
async function requireFirstAccount({ adminPassword }: Config, db: Queryable): Promise<void> {
  if (adminPassword !== undefined || (await hasAccount(db))) return
  throw new Error(
    'The database has no account yet: set ADMIN_EMAIL and ADMIN_PASSWORD for this first start, and unset them after it',
  )
}

/** Undefined where all that matters is configured and the first account is there. */
async function generateOnFirstStart(config: Config, db: Queryable): Promise<GeneratedSecrets | undefined> {
  const isFirst = !(await hasAccount(db))
  const missing = missingKeys(config)
  if (missing.length === 0 && !isFirst) return undefined
  const isEmpty = isFirst && (await readNewestFingerprint(db, 'evm')) === undefined
  if (missing.length > 0 && !isEmpty) {
    throw new Error(
      `${secretsPath(config.dataDir)} is missing, and the database holds accounts or addresses that belong to it: ` +
        `put the file back, or set ${missing.join(', ')} as they were. New ones are not made: nobody could open what ` +
        'is sealed, or spend what customers pay to those addresses',
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
    throw new Error(`There is no ${missingKeys(config).join(', ')}`)
  }
  const { encryptionKeyPrevious } = config
  const adminPassword = config.adminPassword ?? generated?.adminPassword
  return { jwtSecret, encryptionKey, encryptionKeyPrevious, xpub, adminPassword }
}

export type EncryptionKeys = Pick<Keys, 'encryptionKey' | 'encryptionKeyPrevious'>

/** Every key under which something may be sealed must be at hand. */
export async function refuseForeignEncryptionKey(
  { config, db }: Pick<OpenKeysParts, 'config' | 'db'>,
  { encryptionKey, encryptionKeyPrevious }: EncryptionKeys,
): Promise<void> {
  const keyId = encryptionKeyId(encryptionKey)
  const formerId = encryptionKeyPrevious && encryptionKeyId(encryptionKeyPrevious)
  const { current, next } = await noteEncryptionKeys(db, keyId, formerId)
  const isAtHand = (id: string) => id === keyId || id === formerId
  if (isAtHand(current) && (next === undefined || isAtHand(next))) return
  if (isAtHand(current)) {
    throw new Error(
      'This database is being changed to another ENCRYPTION_KEY: set that one, and the one before it as ' +
        'ENCRYPTION_KEY_PREVIOUS, until "coffer keys rotate-encryption" has ended',
    )
  }
  const [what, remedy] =
    config.encryptionKey === undefined
      ? [`The key in ${secretsPath(config.dataDir)}`, 'put back the file that belongs to this database']
      : ['ENCRYPTION_KEY', 'set the one that this database was made with']
  throw new Error(
    `${what} is not the one that this database is sealed with: ${remedy}. To change it on purpose, also set the one ` +
      'before as ENCRYPTION_KEY_PREVIOUS',
  )
}

interface OwnXpub {
  readonly family: AddressFamily
  readonly xpub: string
  readonly isConfigured: boolean
}

/** Whoever sets another XPUB_... changes to it on purpose: addresses given out before stay watched. */
async function refuseForeignXpub(
  { config, db, log }: OpenKeysParts,
  { family, xpub, isConfigured }: OwnXpub,
): Promise<void> {
  const name = `XPUB_${family.toUpperCase()}`
  const newest = await readNewestFingerprint(db, family)
  if (newest === undefined || newest === xpubFingerprint(xpub)) return
  if (isConfigured) {
    log.warn({ family }, `${name} is another than before: new addresses are derived from it`)
    return
  }
  throw new Error(
    `The seed in ${secretsPath(config.dataDir)} is not the one that this database's newest addresses come from: put ` +
      `back the file that belongs to this database, or set ${name} to the account xpub that was used. To change to ` +
      `another seed on purpose, set ${name} to its account xpub; there is no other way in this version`,
  )
}
