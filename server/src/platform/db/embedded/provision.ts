/** The roles and the database that Coffer works with, inside its embedded server. */
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

/** Makes what is missing; run at every start, since a kill may have left the work half done. */
export async function provision(urls: ServerUrls, credentials: Credentials): Promise<void> {
  const system = new URL(urls.superuser)
  system.pathname = '/postgres'
  const client = new pg.Client({ connectionString: system.href, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    // A statement that fails would otherwise land in the server's log, with the password in it.
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
