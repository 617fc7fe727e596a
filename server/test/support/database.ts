import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { silentLog } from '../../src/core/log.ts'
import { ownerRole } from '../../src/platform/db/embedded/provision.ts'
import { type Db, openDb } from '../../src/platform/db/pool.ts'
import { testMacs } from './books-macs.ts'

export interface DatabaseUrls {
  readonly app: string
  readonly owner: string
  readonly superuser: string
}

export interface TestDatabase {
  /** Connects as the role that the service runs as. */
  readonly db: Db
  /** Connects as the role that owns the tables. */
  readonly owner: Db
  readonly urls: DatabaseUrls
}

/**
 * The time in milliseconds that background loops get after a test to finish a short statement. A longer one
 * is a leak.
 */
const settleMs = 2_000

/**
 * Gives the test file a database of its own: a copy of the migrated template, or an empty one. A test fails
 * if it leaves a transaction open or a statement running. Call this at the top of a file or a `describe`.
 */
export function useDatabase({ migrated = true } = {}): TestDatabase {
  let made: Copy | undefined
  const current = () => required(made, 'the test database, which exists inside tests only,')
  beforeAll(async () => {
    made = await copyTemplate(migrated)
  })
  afterEach(async () => {
    expect(await leftOpen(current()), 'the test left work open in the database').toEqual([])
  })
  afterAll(async () => {
    if (made === undefined) return
    const { db, owner, superuser, name } = made
    await Promise.all([db.close(), owner.close()])
    await superuser.query(`drop database if exists ${name} with (force)`)
    await superuser.end()
  })
  return {
    get db() {
      return current().db
    },
    get owner() {
      return current().owner
    },
    get urls() {
      return current().urls
    },
  }
}

interface Copy extends TestDatabase {
  readonly name: string
  /**
   * A connection to the server's own database for the life of the copy. A new connection for each query would
   * cost more than the query.
   */
  readonly superuser: pg.Client
}

async function copyTemplate(migrated: boolean): Promise<Copy> {
  const server = inject('testServer')
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = migrated ? server.template : server.emptyTemplate
  const superuser = new pg.Client({ connectionString: withDatabase(server.superuserUrl, 'postgres') })
  await superuser.connect()
  await superuser.query(`create database ${name} template ${template} strategy file_copy owner ${ownerRole}`)
  const urls = {
    app: withDatabase(server.appUrl, name),
    owner: withDatabase(server.ownerUrl, name),
    superuser: withDatabase(server.superuserUrl, name),
  }
  const db = openDb({ url: urls.app, log: silentLog, macs: testMacs })
  const owner = openDb({ url: urls.owner, connections: 4, log: silentLog, macs: testMacs })
  return { name, urls, db, owner, superuser }
}

/**
 * Returns the connections of that database that are still inside a transaction or a statement after
 * `settleMs`.
 */
async function leftOpen({ name, superuser }: Copy): Promise<readonly object[]> {
  const giveUpAt = performance.now() + settleMs
  for (;;) {
    const { rows } = await superuser.query(
      `select usename as role, state, query from pg_stat_activity
       where datname = $1 and backend_type = 'client backend'
         and (state like 'idle in transaction%' or state = 'active')`,
      [name],
    )
    if (rows.length === 0 || performance.now() > giveUpAt) return rows
    await superuser.query('select pg_sleep(0.02)')
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
