import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { backup } from '../../src/platform/db/backup.ts'
import { type Manifest, readManifest, writeManifest } from '../../src/platform/db/backup-format.ts'
import { checkBackup } from '../../src/platform/db/check-backup.ts'
import { appRole } from '../../src/platform/db/embedded/provision.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { migrationsDirectory } from '../../src/platform/db/migration.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { type RestoreOptions, restore } from '../../src/platform/db/restore.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { readIncarnation } from '../../src/platform/incarnation/store.ts'
import { type TestDatabase, useDatabase } from '../support/database.ts'

const source = useDatabase()
const bystander = useDatabase()
let home = ''
let folder = ''
let copies = 0

/** A text with characters that COPY must escape, and a number that no float can represent. */
const awkward = 'tab\t, line\nbreak, back\\slash, \\N, NULL, "quotes", ₿ 😀'
const huge = `9${'0'.repeat(76)}1`

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'coffer-backup-test-'))
  const merchantId = newId()
  await inTransaction(source.db, async (tx) => {
    const accountId = newId()
    await tx.query(sql`insert into account (id, email, password_hash) values (${accountId}, 'a@b.test', 'x')`)
    await tx.query(sql`insert into session (id, account_id, type, expires_at, revoked_at)
      values (${newId()}, ${accountId}, 'login', now() + interval '1 day', null),
        (${newId()}, ${accountId}, 'login', now() + interval '1 day', '2020-01-01T00:00:00Z')`)
    await tx.query(
      sql`insert into merchant (id, name, ip_whitelist) values (${merchantId}, ${awkward}, '{"1.2.3.4","::1"}')`,
    )
    await tx.query(sql`insert into api_key (merchant_id, key_hash) values (${merchantId}, '\\x00ff0a5c')`)
    await tx.query(sql`insert into audit_entry (id, action, subject, details)
      values (${newId()}, 'test', ${awkward}, ${JSON.stringify({ text: awkward })})`)
    for (const name of ['custody', 'available']) {
      await tx.query(sql`insert into ledger_account (name, owner_id, asset, debits, credits)
        values (${name}, ${merchantId}, 'eth', ${huge}, ${huge})`)
    }
  })
  await postJournals(500)
  folder = await backup(source.db, home)
})
afterAll(() => rm(home, { recursive: true, force: true }))

/**
 * Posts journals. Every third one reverses the one before, so that rows of the table refer to older and to
 * newer rows.
 */
async function postJournals(count: number): Promise<void> {
  const [custody, available] = await source.db.query<{ id: number }>(
    sql`select id from ledger_account order by id`,
  )
  await inTransaction(source.db, async (tx) => {
    let before: string | null = null
    for (let number = 0; number < count; number++) {
      const id: string = newId()
      const reverses: string | null = number % 3 === 2 ? before : null
      await tx.query(sql`insert into journal (id, kind, subject, reverses)
        values (${id}, 'test', ${id}, ${reverses})`)
      await tx.query(sql`insert into journal_line (journal_id, ordinal, account_id, debit, credit)
        values (${id}, 0, ${custody?.id}, ${huge}, 0), (${id}, 1, ${available?.id}, 0, ${huge})`)
      before = id
    }
  })
}

/** The rows that the migrations insert. One of them contains the time of its insertion. */
const firstRows: Readonly<Record<string, RegExp>> = {
  signer_log_position: /^\(t,0\)$/,
  signer_log_generation: /^\(t,,\)$/,
  books_check: /^\(t,,".+"\)$/,
}
const untouched: unknown = expect.toSatisfy((all: Record<string, string>) =>
  Object.entries(all).every(([name, rows]) => (firstRows[name] ?? /^$/).test(rows)),
)

/** Returns every row of every table as text, by table. */
async function contents(db: Db): Promise<Record<string, string>> {
  const tables = await db.query<{ name: string }>(sql`select tablename as name from pg_tables
    where schemaname = current_schema() and tablename not in ('schema_migration', 'database_identity')`)
  const all: Record<string, string> = {}
  for (const { name } of tables) {
    const text = `select coalesce(string_agg(t::text, E'\n' order by t::text), '') as rows from ${name} t`
    const [row] = await db.query<{ rows: string }>({ text, values: [] })
    all[name] = row?.rows ?? ''
  }
  return all
}

async function incarnation(db: Db): Promise<readonly object[]> {
  return db.query(sql`select * from database_identity`)
}

async function restoreInto(
  { urls }: TestDatabase,
  from: string,
  over: Pick<RestoreOptions, 'directory' | 'onProgress'> = {},
): Promise<void> {
  const backup = await checkBackup(from, over.directory)
  await restore({ backup, ownerUrl: urls.owner, appRole, log: silentLog, ...over })
}

/**
 * Copies a backup, changes its manifest and signs it again, as another version of Coffer would have written
 * it.
 */
async function resigned(from: string, change: (manifest: Manifest) => Manifest): Promise<string> {
  copies += 1
  const copy = join(home, `copy-${copies}`)
  await cp(from, copy, { recursive: true })
  const path = join(copy, 'manifest.json')
  await writeFile(path, writeManifest(change(readManifest(await readFile(path, 'utf8')))))
  return copy
}

/** Returns a folder with our migrations and one of a later version. */
async function laterMigrations(): Promise<string> {
  const directory = join(home, 'migrations')
  await cp(migrationsDirectory, directory, { recursive: true })
  const later = "alter table merchant add column motto text not null default 'none yet'"
  await writeFile(join(directory, '9999-later.sql'), later)
  return directory
}

async function damagedCopy(change: (copy: string) => Promise<unknown>): Promise<string> {
  copies += 1
  const copy = join(home, `copy-${copies}`)
  await cp(folder, copy, { recursive: true })
  await change(copy)
  return copy
}

describe('backup', () => {
  it('is readable only by its owner, and leaves no incomplete folder behind', async () => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const name of await readdir(folder))
      expect((await stat(join(folder, name))).mode & 0o077, name).toBe(0)
    expect((await readdir(home)).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('shows one moment: nothing that is committed during the backup is in it', async () => {
    const path = await backup(source.db, join(home, 'busy'), async ({ table }) => {
      if (table === 'account') await postJournals(10)
    })
    const { manifest } = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'))
    const rows = (name: string) => manifest.tables.find((table: { name: string }) => table.name === name).rows
    expect(rows('journal_line')).toBe(2 * rows('journal'))
    expect(rows('journal')).toBe(500)
  })

  it('leaves no files behind and keeps its connection usable if it fails', async () => {
    const into = join(home, 'unfinished')
    const stopped = backup(source.db, into, () => {
      throw new Error('the disk is full')
    })
    await expect(stopped).rejects.toThrow('the disk is full')
    expect(await readdir(into)).toEqual([])
    expect(await source.db.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })
})

describe('restore', () => {
  const target = useDatabase()

  it('changes nothing if a file is damaged, and names the file', async () => {
    const journal = (copy: string) => join(copy, 'journal.copy.gz')
    const cases = {
      truncated: await damagedCopy((copy) => truncate(journal(copy), 200)),
      'one byte changed': await damagedCopy(async (copy) => {
        const rows = gunzipSync(await readFile(journal(copy)))
        rows[100] = (rows[100] ?? 0) ^ 1
        await writeFile(journal(copy), gzipSync(rows))
      }),
      'a row lost': await damagedCopy(async (copy) => {
        const rows = gunzipSync(await readFile(journal(copy)))
        await writeFile(journal(copy), gzipSync(rows.subarray(rows.indexOf(10) + 1)))
      }),
      missing: await damagedCopy((copy) => rm(journal(copy))),
    }
    const before = await incarnation(target.db)
    for (const [what, copy] of Object.entries(cases)) {
      await expect(restoreInto(target, copy), what).rejects.toThrow(/journal\.copy\.gz is damaged/)
    }
    expect(await incarnation(target.db)).toEqual(before)
    expect(await contents(target.db)).toEqual(untouched)
  })

  it('detects an edited manifest', async () => {
    const copy = await damagedCopy(async (path) => {
      const manifest = join(path, 'manifest.json')
      const text = await readFile(manifest, 'utf8')
      await writeFile(manifest, text.replace(/"lastValue": "\d+"/, '"lastValue": "999"'))
    })
    await expect(restoreInto(target, copy)).rejects.toThrow(/manifest\.json is damaged/)
  })

  it('keeps nothing if it fails half way', async () => {
    const interrupted = restoreInto(target, folder, {
      onProgress: ({ table }) => {
        if (table === 'journal') throw new Error('interrupted')
      },
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    expect(await contents(target.db)).toEqual(untouched)
  })

  it('restores every row as the owner, with a new incarnation and continued identity columns', async () => {
    const seen: string[] = []
    const before = await incarnation(target.db)
    await restoreInto(target, folder, { onProgress: ({ table }) => void seen.push(table) })
    const restored = await contents(target.db)
    const original = await contents(source.db)
    // The ten journals of an earlier test were posted after this backup.
    const late = (await source.db.query(sql`select from journal`)).length - 500
    expect(late).toBe(10)
    expect(restored['merchant']).toBe(original['merchant'])
    expect(restored['audit_entry']).toBe(original['audit_entry'])
    expect(restored['ledger_account']).toBe(original['ledger_account'])
    expect(restored['journal']?.split('\n').length).toBe(500)
    expect(restored['journal_line']?.split('\n').length).toBe(1000)
    for (const line of restored['journal']?.split('\n') ?? []) expect(original['journal']).toContain(line)
    expect(await incarnation(target.db)).toHaveLength(1)
    expect(await incarnation(target.db)).not.toEqual(before)
    expect(await incarnation(target.db)).not.toEqual(await incarnation(source.db))
    expect(await readIncarnation(target.db)).toMatchObject({ number: 2, cause: 'restore' })
    const added = await target.db.query(
      sql`insert into ledger_account (name, asset) values ('fees', 'eth') returning id`,
    )
    expect(added).toEqual([{ id: 3 }])
    const entered = await target.db.query(
      sql`insert into audit_entry (id, action, subject) values (${newId()}, 'test', 'later') returning sequence`,
    )
    expect(entered).toEqual([{ sequence: 2 }])
    expect(seen).toContain('journal_line')
  })

  it('keeps the triggers and constraints of the tables in force', async () => {
    await expect(target.owner.query(sql`update journal set kind = 'other'`)).rejects.toThrow(/append-only/)
    await expect(
      target.db.query(sql`insert into journal (id, kind, subject) values (${newId()}, 'test', 'alone')`),
    ).rejects.toThrow(/^journal .* (does not balance|has fewer than two lines)/)
  })

  it('refuses a database that is not empty', async () => {
    await expect(restoreInto(target, folder)).rejects.toThrow(/not empty/)
  })

  it('refuses a database with other migrations', async () => {
    await bystander.owner.query(sql`update schema_migration set checksum = 'other' where name like '0002%'`)
    await expect(restoreInto(bystander, folder)).rejects.toThrow(/have different migrations/)
  })

  it('ends every session, and leaves sessions that were already ended unchanged', async () => {
    const sessions = await target.db.query(sql`select revoked_at < now() as ended from session`)
    expect(sessions).toEqual([{ ended: true }, { ended: true }])
    const [early] = await target.db.query(
      sql`select count(*) from session where revoked_at = '2020-01-01T00:00:00Z'`,
    )
    expect(early).toEqual({ count: 1 })
  })
})

describe('restore of a backup of an older Coffer', () => {
  const target = useDatabase({ migrated: false })
  const further = useDatabase()

  it('loads it unchanged, then migrates it to this version', async () => {
    const directory = await laterMigrations()
    await restoreInto(target, folder, { directory })
    const rows = await target.db.query(sql`select name, motto from merchant`)
    expect(rows).toEqual([{ name: awkward, motto: 'none yet' }])
    expect(await target.db.query(sql`select count(*) from journal`)).toEqual([{ count: 500 }])
    const applied = await target.db.query(sql`select max(name) as last from schema_migration`)
    expect(applied).toEqual([{ last: '9999-later.sql' }])
  })

  it('refuses a database with later migrations than the backup, and changes nothing in it', async () => {
    const older = await resigned(folder, ({ migrations, ...rest }) => ({
      ...rest,
      migrations: migrations.slice(0, -1),
    }))
    await expect(restoreInto(further, older)).rejects.toThrow(/have different migrations/)
    expect(await contents(further.db)).toEqual(untouched)
  })

  it('refuses a backup of migrations that this Coffer does not know, before it looks at any database', async () => {
    const newer = await resigned(folder, ({ migrations, ...rest }) => ({
      ...rest,
      migrations: [...migrations, { name: '9999-later.sql', checksum: 'f'.repeat(64) }],
    }))
    const reworded = await resigned(folder, ({ migrations, ...rest }) => ({
      ...rest,
      migrations: migrations.map((one) => ({ ...one, checksum: 'f'.repeat(64) })),
    }))
    await expect(checkBackup(newer)).rejects.toThrow(/made by another version of Coffer.*9999-later\.sql/)
    await expect(checkBackup(reworded)).rejects.toThrow(/made by another version of Coffer.*0001-/)
  })

  it('refuses a backup from before the baseline, and states the remedy', async () => {
    const older = await resigned(folder, ({ migrations, ...rest }) => ({
      ...rest,
      migrations: migrations.map((one, index) => ({ ...one, name: `000${index + 1}-of-before.sql` })),
    }))
    await expect(checkBackup(older)).rejects.toThrow(
      /before the first release: it has 0001-of-before\.sql.*Restore it with that version/,
    )
  })
})

describe('a database and a backup of the baseline version', () => {
  const older = useDatabase({ migrated: false })
  const target = useDatabase({ migrated: false })

  it('are backed up and restored by a later version', async () => {
    const baseline = 11
    await migrate({ ownerUrl: older.urls.owner, appRole, log: silentLog, count: baseline })
    const path = await backup(older.owner, join(home, 'baseline'))
    const { manifest } = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'))
    expect(manifest.migrations).toHaveLength(baseline)
    await restoreInto(target, path)
    const [row] = await target.owner.query<{ later: Date }>(sql`select coffer_now() as later`)
    expect(row?.later).toBeInstanceOf(Date)
  })
})
