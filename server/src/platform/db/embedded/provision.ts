/** Creates the roles and the database of Coffer inside its embedded server. */
import pg from 'pg'
import type { Credentials } from './credentials.ts'

export const databaseName = 'coffer'
export const ownerRole = 'coffer_owner'
export const appRole = 'coffer_app'

export interface ServerUrls {
  readonly superuser: string
  readonly owner: string
  readonly app: string
}

export function serverUrls(port: number, { superuser, owner, app }: Credentials): ServerUrls {
  const url = (role: string, password: string) =>
    `postgres://${role}:${password}@127.0.0.1:${port}/${databaseName}`
  return {
    superuser: url('postgres', superuser.reveal()),
    owner: url(ownerRole, owner.reveal()),
    app: url(appRole, app.reveal()),
  }
}

/**
 * Creates the roles and the database if they are missing. It runs at every start, because an earlier run may
 * have been killed before it ended.
 */
export async function provision(urls: ServerUrls, credentials: Credentials): Promise<void> {
  const system = new URL(urls.superuser)
  system.pathname = '/postgres'
  const client = new pg.Client({ connectionString: system.href, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    // Keeps the server from logging a failed statement, which may contain a password.
    await client.query('set log_min_error_statement = panic')
    await makeRole(client, ownerRole, credentials.owner.reveal())
    await makeRole(client, appRole, credentials.app.reveal())
    const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
    if (rowCount === 0) await client.query(`create database ${databaseName} owner ${ownerRole}`)
  } finally {
    await client.end()
  }
}

async function makeRole(client: pg.Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  if (rowCount === 0)
    await client.query(`create role ${role} login password ${client.escapeLiteral(password)}`)
}
