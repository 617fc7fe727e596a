/**
 * Tests that the keys of the books which the database lists are not trusted blindly, and that a command
 * corrects the list.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from '../../src/app/cli.ts'
import { withBooksKey } from '../../src/app/keys/open-books-key.ts'
import { booksKeyRecords } from '../support/books/records.ts'
import { writeBooksKey } from '../support/books-key-file.ts'
import { useDatabase } from '../support/database.ts'
import { useSealedBooks } from '../verify/healthy-books.ts'
import { tamper } from '../verify/tampering.ts'

const empty = useDatabase()
const full = useSealedBooks()
let folder = ''
let booksKeyFile = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coffer-books-key-'))
  booksKeyFile = await writeBooksKey(folder)
})
afterEach(() => rm(folder, { recursive: true }))

const start = (database: typeof full) =>
  withBooksKey({ mode: 'production', dataDir: folder, booksKeyFile }, database.db)

async function command(database: typeof full, ...words: string[]) {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const environment = {
    DATABASE_URL: database.urls.app,
    MIGRATION_DATABASE_URL: database.urls.owner,
    BOOKS_KEY_FILE: booksKeyFile,
    DATA_DIR: folder,
  }
  const code = await runCli(['books-key', ...words], { environment, print: say, note: say })
  return { code, said: lines.join('\n') }
}

it('names an invented key with the command that removes it, after which everything starts', async () => {
  await start(empty)
  await booksKeyRecords.add(empty.db, { id: 'deadbeef' })
  await expect(start(empty)).rejects.toThrow(
    /"deadbeef": no MACs under this key.*"coffer books-key forget deadbeef"/,
  )
  const listed = await command(empty, 'list')
  expect(listed.said).toContain('deadbeef  no MACs under this key')
  expect(await command(empty, 'forget', 'deadbeef', '--reason', 'made up')).toMatchObject({ code: 0 })
  await start(empty)
  const audited = sql`select subject, details ->> 'reason' as reason from audit_entry where action = 'books.key_forgotten'`
  expect(await empty.db.query(audited)).toEqual([{ subject: 'deadbeef', reason: 'made up' }])
  expect(await command(empty, 'forget', 'deadbeef', '--reason', 'again')).toMatchObject({ code: 1 })
})

it('refuses to list a name that no key has', async () => {
  await expect(booksKeyRecords.add(empty.db, { id: '; rm -rf' })).rejects.toThrow('books_key_id_check')
})

it('refuses to remove a key under which something carries MACs', async () => {
  const [carried] = await full.db.query<{ id: string }>(
    sql`select split_part(mac, '.', 1) as id from journal limit 1`,
  )
  const id = carried?.id ?? ''
  booksKeyFile = join(folder, 'other.key')
  await writeFile(booksKeyFile, `${'c1'.repeat(32)}\n`, { mode: 0o600 })
  await tamper(full, [sql`insert into books_key (id) values (${id})`])
  await expect(start(full)).rejects.toThrow(
    `"${id}": there are journals, deposits, quotes, addresses, invoices with MACs under it`,
  )
  const refused = await command(full, 'forget', id, '--reason', 'made up')
  expect(refused.code).toBe(1)
  expect(refused.said).toContain('journals, deposits, quotes, addresses, invoices')
  expect(await booksKeyRecords.all(full.db, {}, 'id')).toEqual([{ id }])
})

it('starts no process if the books list no key, even if there are only assigned addresses', async () => {
  await tamper(full, [
    sql`delete from books_key`,
    sql`delete from journal`,
    sql`delete from deposit`,
    sql`delete from quote`,
    sql`update address set assignment_mac = null`,
  ])
  await expect(start(full)).rejects.toThrow('lists no key of their MACs')
  expect(await booksKeyRecords.all(full.db, {}, 'id')).toEqual([])
})
