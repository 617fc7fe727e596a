import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDurably } from '../../core/durable-file.ts'
import { Secret } from '../../core/settings.ts'
import { runKeysProcess } from './signer-child.ts'

/** What the sandbox made for itself once and keeps in DATA_DIR, for the settings that are absent. */
export interface GeneratedSecrets {
  readonly adminPassword: Secret
  readonly jwtSecret: Secret
  readonly encryptionKey: Secret
  /** Of the seed in the keystore beside it, which another process made and which this one never sees. */
  readonly xpubEvm: string
}

/** What a sandbox made for itself in `dataDir`; undefined where none was started yet. */
export async function readSecrets(dataDir: string): Promise<GeneratedSecrets | undefined> {
  const path = secretsPath(dataDir)
  const existing = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return existing === undefined ? undefined : parse(path, existing)
}

/** Makes <dataDir>/secrets.json, or takes the one that another process made meanwhile: none is ever changed. */
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

/** Makes the keystore in a process of its own; the account xpub. */
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
    throw new Error(
      `${path} holds no ${name}: put the file back from a backup, or start on an empty DATA_DIR`,
    )
  }
  return {
    adminPassword: new Secret(read('adminPassword')),
    jwtSecret: new Secret(read('jwtSecret')),
    encryptionKey: new Secret(read('encryptionKey')),
    xpubEvm: read('xpubEvm'),
  }
}

/** Empty for what is none: the parser's own message would quote the text. */
function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
