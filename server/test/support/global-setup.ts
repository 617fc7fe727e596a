/** Starts one real PostgreSQL for the whole run, with a migrated template that each test file copies. */
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { silentLog } from '../../src/core/log.ts'
import { appRole, databaseName, ownerRole } from '../../src/platform/db/embedded/provision.ts'
import { startEmbedded } from '../../src/platform/db/embedded/start-embedded.ts'
import { migrate } from '../../src/platform/db/migrate.ts'

export interface TestServer {
  readonly superuserUrl: string
  readonly ownerUrl: string
  readonly appUrl: string
  /** The name of the migrated database that is copied, and that of an empty database. */
  readonly template: string
  readonly emptyTemplate: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestServer
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(await roomyFolder(), 'coffer-test-'))
  // If this process runs as root, PostgreSQL runs as another user. That user has no access to a folder with
  // the mode 0700 of mkdtemp.
  await chmod(dataDir, 0o755)
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    max_connections: '200',
  }
  const server = await startEmbedded({ dataDir, log: silentLog, settings }).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true })
    throw error
  })
  const close = async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const { superuserUrl, ownerUrl, appUrl } = server
    const emptyTemplate = 'coffer_empty'
    const client = new pg.Client({ connectionString: superuserUrl })
    await client.connect()
    await client.query(`create database ${emptyTemplate} owner ${ownerRole}`)
    await client.end()
    await migrate({ ownerUrl, appRole, log: silentLog })
    project.provide('testServer', { superuserUrl, ownerUrl, appUrl, template: databaseName, emptyTemplate })
  } catch (error) {
    await close()
    throw error
  }
  return close
}

/**
 * Chooses the folder of the cluster. It is in memory if at least 4 GiB are free there, so that a busy disk
 * slows no test. A run copies and drops some two hundred databases.
 */
async function roomyFolder(): Promise<string> {
  const inMemory = '/dev/shm'
  const freeBytes = await statfs(inMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return freeBytes >= 4 * 1024 ** 3 ? inMemory : tmpdir()
}
