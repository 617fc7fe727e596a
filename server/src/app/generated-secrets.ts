import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../core/durable-file.ts'
import { Secret } from '../core/settings.ts'
import { newMnemonic } from '../sandbox/seed.ts'

/** What the sandbox makes for itself once and keeps in DATA_DIR, for the settings that are absent. */
export interface GeneratedSecrets {
  readonly adminPassword: Secret
  readonly jwtSecret: Secret
  readonly encryptionKey: Secret
  readonly mnemonic: Secret
}

const makers: Record<keyof GeneratedSecrets, () => string> = {
  adminPassword: () => randomBytes(12).toString('base64url'),
  jwtSecret: () => randomBytes(32).toString('hex'),
  encryptionKey: () => randomBytes(32).toString('hex'),
  mnemonic: newMnemonic,
}

/** Reads <dataDir>/secrets.json or makes it; one that exists is never changed. */
export async function readOrMakeSecrets(dataDir: string): Promise<GeneratedSecrets> {
  const existing = await readSecrets(dataDir)
  if (existing !== undefined) return existing
  const path = pathIn(dataDir)
  const made = JSON.stringify(
    Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make()])),
    null,
    2,
  )
  await writeDurably(path, `${made}\n`)
  return parse(path, made)
}

/** What a sandbox made for itself in `dataDir`; undefined where none was started yet. */
export async function readSecrets(dataDir: string): Promise<GeneratedSecrets | undefined> {
  const path = pathIn(dataDir)
  const existing = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return existing === undefined ? undefined : parse(path, existing)
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

function parse(path: string, text: string): GeneratedSecrets {
  const values = JSON.parse(text) as Record<string, unknown>
  const secretOf = (name: keyof GeneratedSecrets) => {
    const value = values[name]
    if (typeof value !== 'string' || value === '') {
      throw new Error(
        `${path} holds no ${name}: put the file back from a backup, or start on an empty DATA_DIR`,
      )
    }
    return new Secret(value)
  }
  return {
    adminPassword: secretOf('adminPassword'),
    jwtSecret: secretOf('jwtSecret'),
    encryptionKey: secretOf('encryptionKey'),
    mnemonic: secretOf('mnemonic'),
  }
}
