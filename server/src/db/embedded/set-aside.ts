import pg from 'pg'
import { databaseName, ownerRole } from './provision.ts'

/**
 * Renames the embedded server's database and puts an empty one in its place; returns the name it is kept under.
 * Nobody may be connected.
 */
export async function setDatabaseAside(superuserUrl: string): Promise<string> {
  const url = new URL(superuserUrl)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    const kept = `${databaseName}_until_${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`
    await client.query(`alter database ${databaseName} rename to ${kept}`)
    await client.query(`create database ${databaseName} owner ${ownerRole}`)
    return kept
  } finally {
    await client.end()
  }
}
