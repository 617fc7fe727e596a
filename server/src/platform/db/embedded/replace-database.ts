import pg from 'pg'
import { databaseName, ownerRole, type ServerUrls } from './provision.ts'

const freshName = `${databaseName}_restoring`

/**
 * Creates a new database on the embedded server and fills it with `fill`. Then renames the existing database,
 * which is kept, and gives its name to the new one. The existing database is unchanged if `fill` fails or
 * this process is killed. No client may be connected to the existing database.
 * @returns the name under which the old database is kept
 */
export async function replaceDatabase(
  urls: ServerUrls,
  fill: (fresh: ServerUrls) => Promise<void>,
): Promise<string> {
  const client = new pg.Client({ connectionString: withName(urls.superuser, 'postgres') })
  await client.connect()
  try {
    // An earlier run that was killed may have left its new database.
    await dropFresh(client)
    await client.query(`create database ${freshName} owner ${ownerRole}`)
    await fill({
      superuser: withName(urls.superuser, freshName),
      owner: withName(urls.owner, freshName),
      app: withName(urls.app, freshName),
    })
    return await swapNames(client)
  } catch (error) {
    await dropFresh(client).catch(() => {})
    throw error
  } finally {
    await client.end()
  }
}

/** Swaps the names in one transaction, so that a database named `coffer` exists at every moment. */
async function swapNames(client: pg.Client): Promise<string> {
  const kept = `${databaseName}_until_${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`
  await client.query('begin')
  try {
    await client.query(`alter database ${databaseName} rename to ${kept}`)
    await client.query(`alter database ${freshName} rename to ${databaseName}`)
    await client.query('commit')
    return kept
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function dropFresh(client: pg.Client): Promise<void> {
  await client.query(`drop database if exists ${freshName} with (force)`)
}

function withName(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
