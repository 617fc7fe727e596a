/**
 * The passwords of the embedded server's roles. The passwords are created before the cluster and never
 * change.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDurably } from '../../../core/durable-file.ts'
import { Secret } from '../../../core/settings.ts'
import { EmbeddedServerError } from './embedded-error.ts'

export interface Credentials {
  readonly superuser: Secret
  readonly owner: Secret
  readonly app: Secret
}

const roles = ['superuser', 'owner', 'app'] as const

/**
 * Reads <dataDir>/postgres-credentials.json, or creates the file with new passwords. A new file has mode 0600
 * from its first byte, and is on disk before the passwords are used.
 * @throws EmbeddedServerError if a cluster exists but the file does not, or if the file cannot be read
 */
export async function readOrMakeCredentials(dataDir: string, hasCluster: boolean): Promise<Credentials> {
  const path = join(dataDir, 'postgres-credentials.json')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new EmbeddedServerError(`${path} cannot be read: ${error.message}`, { cause: error })
  })
  if (text !== undefined) return parse(path, text)
  if (hasCluster) {
    throw new EmbeddedServerError(
      `${path} is missing, but a database exists: put the file back from a backup`,
    )
  }
  const made = JSON.stringify(
    Object.fromEntries(roles.map((role) => [role, randomBytes(24).toString('hex')])),
  )
  await createDurably(path, made)
  return parse(path, await readFile(path, 'utf8'))
}

function parse(path: string, text: string): Credentials {
  const [superuser, owner, app] = roles.map((role) => {
    const password: unknown = jsonObject(text)[role]
    if (typeof password === 'string' && /^[0-9a-f]{32,}$/.test(password)) return new Secret(password)
    throw new EmbeddedServerError(`${path} holds no password for ${role}: put the file back from a backup`)
  })
  return { superuser, owner, app } as Credentials
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
