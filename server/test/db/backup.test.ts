import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { backup } from '../../src/db/backup.ts'
import type { Db } from '../../src/db/pool.ts'
import { restore } from '../../src/db/restore.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { useDatabase } from '../support/database.ts'

const source = useDatabase()
const bystander = useDatabase()
let home = ''
let folder = ''
let copies = 0

/** Text that COPY has to escape, and a number no float holds. */
const awkward = 'tab\t, line\nbreak, back\\slash, \\N, NULL, "quotes", ₿ 😀'
const huge = `9${'0'.repeat(76)}1`

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'coffer-backup-test-'))
  const merchantId = newId()
  await inTransaction(source.db, async (tx) => {
    await tx.query(sql`insert into account (id, email, password_hash) values (${newId()}, 'a@b.test', 'x')`)
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

/** Every third journal reverses the one before, so that the table refers to itself in both directions of age. */
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
      await tx.query(sql`insert into journal_line (journal_id, place, account_id, debit, credit)
        values (${id}, 0, ${custody?.id}, ${huge}, 0), (${id}, 1, ${available?.id}, 0, ${huge})`)
      before = id
    }
  })
}

/** Every row of every table, in one text. */
async function contents(db: Db): Promise<Record<string, string>> {
  const tables = await db.query<{ name: string }>(sql`select tablename as name from pg_tables
    where schemaname = current_schema() and tablename not in ('schema_migration', 'database_incarnation')`)
  const all: Record<string, string> = {}
  for (const { name } of tables) {
    const text = `select coalesce(string_agg(t::text, E'\n' order by t::text), '') as rows from ${name} t`
    const [row] = await db.query<{ rows: string }>({ text, values: [] })
    all[name] = row?.rows ?? ''
  }
  return all
}

async function incarnation(db: Db): Promise<readonly object[]> {
  return db.query(sql`select * from database_incarnation`)
}

async function damagedCopy(change: (copy: string) => Promise<unknown>): Promise<string> {
  copies += 1
  const copy = join(home, `copy-${copies}`)
  await cp(folder, copy, { recursive: true })
  await change(copy)
  return copy
}

describe('backup', () => {
  it('is readable by its owner alone, and leaves no half-made folder beside it', async () => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const name of await readdir(folder))
      expect((await stat(join(folder, name))).mode & 0o077, name).toBe(0)
    expect((await readdir(home)).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('shows one moment: what is committed while it runs is in none of its tables', async () => {
    const path = await backup(source.db, join(home, 'busy'), async ({ table }) => {
      if (table === 'account') await postJournals(10)
    })
    const { manifest } = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'))
    const rows = (name: string) => manifest.tables.find((table: { name: string }) => table.name === name).rows
    expect(rows('journal_line')).toBe(2 * rows('journal'))
    expect(rows('journal')).toBe(500)
  })

  it('leaves nothing behind, and its connection usable, when it cannot be finished', async () => {
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

  it('touches nothing when a file is damaged, and names the file', async () => {
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
      await expect(restore({ url: target.urls.owner, folder: copy }), what).rejects.toThrow(
        /journal\.copy\.gz is damaged/,
      )
    }
    expect(await incarnation(target.db)).toEqual(before)
    expect(Object.values(await contents(target.db)).join('')).toBe('')
  })

  it('notices a manifest that was edited', async () => {
    const copy = await damagedCopy(async (path) => {
      const manifest = join(path, 'manifest.json')
      const text = await readFile(manifest, 'utf8')
      await writeFile(manifest, text.replace(/"lastValue": "\d+"/, '"lastValue": "1"'))
    })
    await expect(restore({ url: target.urls.owner, folder: copy })).rejects.toThrow(
      /manifest\.json is damaged/,
    )
  })

  it('keeps nothing when it fails half way', async () => {
    const interrupted = restore({
      url: target.urls.owner,
      folder,
      onProgress: ({ table }) => {
        if (table === 'journal') throw new Error('interrupted')
      },
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    expect(Object.values(await contents(target.db)).join('')).toBe('')
  })

  it('brings back every row as the owner, with a new incarnation and identities that go on', async () => {
    const seen: string[] = []
    const before = await incarnation(target.db)
    await restore({ url: target.urls.owner, folder, onProgress: ({ table }) => void seen.push(table) })
    const restored = await contents(target.db)
    const original = await contents(source.db)
    // The ten journals of an earlier test came after this backup.
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
    const added = await target.db.query(
      sql`insert into ledger_account (name, asset) values ('fees', 'eth') returning id`,
    )
    expect(added).toEqual([{ id: 3 }])
    expect(seen).toContain('journal_line')
  })

  it('leaves the guards of the tables in force', async () => {
    await expect(target.owner.query(sql`update journal set kind = 'other'`)).rejects.toThrow(/append-only/)
    await expect(
      target.db.query(sql`insert into journal (id, kind, subject) values (${newId()}, 'test', 'alone')`),
    ).rejects.toThrow(/^journal .* (does not balance|has fewer than two lines)/)
  })

  it('refuses a database that holds something already', async () => {
    await expect(restore({ url: target.urls.owner, folder })).rejects.toThrow(/not empty/)
  })

  it('refuses a database with other migrations, and one with none', async () => {
    await bystander.owner.query(sql`update schema_migration set checksum = 'other' where name like '0002%'`)
    await expect(restore({ url: bystander.urls.owner, folder })).rejects.toThrow(/exactly these migrations/)
    await bystander.owner.query(sql`drop table schema_migration`)
    await expect(restore({ url: bystander.urls.owner, folder })).rejects.toThrow(/run coffer migrate first/)
  })
})

describe('restore through the superuser', () => {
  const target = useDatabase()

  it('works as well', async () => {
    await restore({ url: target.urls.superuser, folder })
    expect(await target.db.query(sql`select count(*) from journal`)).toEqual([{ count: 500 }])
  })
})
