/**
 * Takes and restores what a host's snapshot contains of Coffer: the rows of the database and the files of the
 * signer.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { SignerRecords } from '../../src/signer/log/records.ts'
import type { TestDatabase } from './database.ts'
import { openTestSigner, type TestSigner } from './signer.ts'

interface TableRows {
  readonly table: string
  readonly columns: string
  /** The rows as JSON that PostgreSQL wrote. JavaScript's numbers would lose digits of amounts. */
  readonly rows: string
}

/** Returns all rows except the leases, which later processes acquire again. */
export async function snapshotDatabase({ urls }: TestDatabase): Promise<readonly TableRows[]> {
  return asSuperuser(urls.superuser, async (client) => {
    const { rows: tables } = await client.query<{ table: string; columns: string }>(`
      select quote_ident(c.table_name) as table, string_agg(quote_ident(c.column_name), ', ' order by ordinal_position) as columns
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
        and c.table_name not in ('lease', 'migration')
      group by c.table_name`)
    const kept: TableRows[] = []
    await client.query('begin isolation level repeatable read')
    for (const { table, columns } of tables) {
      const { rows } = await client.query<{ all: string }>(
        `select coalesce(jsonb_agg(to_jsonb(one)), '[]')::text as all from (select ${columns} from ${table}) one`,
      )
      kept.push({ table, columns, rows: rows[0]?.all ?? '[]' })
    }
    await client.query('commit')
    return kept
  })
}

export async function restoreDatabase({ urls }: TestDatabase, kept: readonly TableRows[]): Promise<void> {
  await asSuperuser(urls.superuser, async (client) => {
    await client.query('begin')
    // A restored backup bypasses the triggers that keep tables append-only.
    await client.query(`set local session_replication_role = 'replica'`)
    for (const { table } of kept) await client.query(`delete from ${table}`)
    for (const { table, columns, rows } of kept) {
      await client.query(
        `insert into ${table} (${columns}) overriding system value
         select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
        [rows],
      )
    }
    await client.query('commit')
  })
}

async function asSuperuser<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Copies the signer's folder as it is, with its checkpoint. `host-snapshot.ts` restores the checkpoint
 * separately.
 */
export async function snapshotSigner({ options }: TestSigner): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'coffer-snapshot-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true }))
  await cp(options.folder, copy, { recursive: true })
  return copy
}

/** Closes the signer, restores the copy and starts the signer on it. */
export async function restoreSigner(current: TestSigner, copy: string): Promise<TestSigner> {
  await restoreFolder(current, copy)
  return openTestSigner({ ...current.options, isNew: false })
}

/**
 * Closes the signer and restores the copy, but not its checkpoint. The operator accepts that entries are lost, and the
 * signer starts in a new generation of its log.
 */
export async function restoreLogAndAcceptLoss(current: TestSigner, copy: string): Promise<TestSigner> {
  const { logPath, checkpointPath, keys, options } = current
  const checkpoint = await readFile(checkpointPath)
  await restoreFolder(current, copy)
  await writeFile(checkpointPath, checkpoint)
  const records = { logPath, checkpointPath, key: keys.logKey }
  await SignerRecords.acceptLoss(records, 'a snapshot was restored', new Date())
  return openTestSigner({ ...options, isNew: false })
}

async function restoreFolder({ signer, options }: TestSigner, copy: string): Promise<void> {
  await signer.close()
  await rm(options.folder, { recursive: true, force: true })
  await cp(copy, options.folder, { recursive: true })
}
