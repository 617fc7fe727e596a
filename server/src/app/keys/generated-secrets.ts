import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDurably } from '../../core/durable-file.ts'
import { Secret } from '../../core/settings.ts'
import { runKeysProcess } from './signer-child.ts'

/** The secrets that a sandbox generated once and keeps in DATA_DIR. Each is used if its setting is absent. */
export interface GeneratedSecrets {
  readonly adminPassword: Secret
  readonly jwtSecret: Secret
  readonly encryptionKey: Secret
  /**
   * The account xpub of the seed in the keystore. Another process created that seed, and this process never
   * reads the seed.
   */
  readonly xpubEvm: string
}

/**
 * Reads the secrets that a sandbox generated in `dataDir`. Returns undefined if no sandbox was started there
 * yet.
 */
export async function readSecrets(dataDir: string): Promise<GeneratedSecrets | undefined> {
  const path = secretsPath(dataDir)
  const existing = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return existing === undefined ? undefined : parse(path, existing)
}

/**
 * Creates <dataDir>/secrets.json and returns the secrets. If another process has just created the file, its
 * secrets are returned. An existing file is never changed.
 */
export async function makeSecrets(dataDir: string): Promise<GeneratedSecrets> {
  const path = secretsPath(dataDir)
  const made = {
    adminPassword: randomBytes(12).toString('base64url'),
    jwtSecret: randomBytes(32).toString('hex'),
    encryptionKey: randomBytes(32).toString('hex'),
    xpubEvm: await prepareKeys(dataDir),
  }
  await createDurably(path, `${JSON.stringify(made, null, 2)}\n`)
  return parse(path, await readFile(path, 'utf8'))
}

/** Creates the keystore in a separate process, and returns the account xpub. */
async function prepareKeys(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  return runKeysProcess(['init', '--sandbox-folder', dataDir])
}

export function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

function parse(path: string, text: string): GeneratedSecrets {
  const values = jsonObject(text)
  const read = (name: keyof GeneratedSecrets): string => {
    const value = values[name]
    if (typeof value === 'string' && value !== '') return value
    throw new Error(`${path} has no ${name}: restore the file from a backup, or start on an empty DATA_DIR`)
  }
  return {
    adminPassword: new Secret(read('adminPassword')),
    jwtSecret: new Secret(read('jwtSecret')),
    encryptionKey: new Secret(read('encryptionKey')),
    xpubEvm: read('xpubEvm'),
  }
}

/**
 * Parses a JSON object. Returns an empty object for any other text, because the parser's own message would
 * quote the secrets.
 */
function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
