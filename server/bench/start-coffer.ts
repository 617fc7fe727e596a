import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { required } from '../src/core/assert.ts'
import { freePort } from '../src/core/free-port.ts'
import { KeyTree } from '../src/signer/keys/key-tree.ts'
import { writeBooksKey } from '../test/support/books-key-file.ts'
import { encryptionKey } from './fill-shop.ts'
import type { DevNode } from './open-node.ts'
import type { OpenedDatabase } from './open-postgres.ts'

export interface Coffer {
  /** URL of the API, if the process has that role. */
  readonly url: string
  readonly pid: number
  /** Returns the resident memory of the process in megabytes. */
  memoryMb(): Promise<number>
  stop(): Promise<void>
}

const command = fileURLToPath(new URL('../src/bin/coffer.js', import.meta.url))

/**
 * Runs `coffer start` with the given roles on this database and node, as an operator would, but without rate
 * limits. `settings` are further environment variables.
 */
export async function startCoffer(
  database: OpenedDatabase,
  node: Pick<DevNode, 'url'>,
  roles = 'watcher,dispatcher',
  settings: Readonly<Record<string, string>> = {},
): Promise<Coffer> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-'))
  const port = await freePort()
  const child = spawn(process.execPath, [command, 'start', '--roles', roles], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: folder,
      BOOKS_KEY_FILE: await writeBooksKey(folder),
      DATABASE_URL: database.appUrl,
      MIGRATION_DATABASE_URL: database.ownerUrl,
      EVM_RPC_ETHEREUM: node.url,
      ENCRYPTION_KEY: encryptionKey.reveal(),
      JWT_SECRET: encryptionKey.reveal(),
      XPUB_EVM: new KeyTree('test test test test test test test test test test test junk', 1).depositXpub,
      PORT: String(port),
      RATE_LIMIT_PER_SECOND: '0',
      ...settings,
    },
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  // Coffer prints its first line when it is ready.
  const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)])
  child.stdout.resume()
  const url = `http://127.0.0.1:${port}`
  const pid = required(child.pid, 'pid of Coffer')
  if (isReady) return { url, pid, stop, memoryMb: () => memoryMbOf(pid) }
  await stop()
  throw new Error('Coffer did not start')
}

async function memoryMbOf(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}
