import pg from 'pg'
import { databaseName, ownerRole, type ServerUrls } from './provision.ts'

const freshName = `${databaseName}_restoring`

/**
 * Makes a fresh database on the embedded server, has it filled, and only then puts it into the place of the one that is
 * there, which is renamed and kept. Until then that one is as it was, also after a failure or a kill. Nobody may be
 * connected to it.
 * @returns the name under which it is kept
 */
export async function replaceDatabase(
  urls: ServerUrls,
  fill: (fresh: ServerUrls) => Promise<void>,
): Promise<string> {
  const client = new pg.Client({ connectionString: withName(urls.superuser, 'postgres') })
  await client.connect()
  try {
    // One may be left of a restore that was killed.
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

/** In one transaction: there is a database of our name at every moment. */
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
