/** What the database notes of keys of the books is not believed blindly, and is mended by a command. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from '../../src/app/cli.ts'
import { withBooksKey } from '../../src/app/keys/open-books-key.ts'
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

it('a key that somebody made up is named with the command that forgets it, after which everything starts', async () => {
  await start(empty)
  await empty.db.query(sql`insert into books_key (id) values ('deadbeef')`)
  await expect(start(empty)).rejects.toThrow(
    /"deadbeef": nothing carries a MAC under it.*"coffer books-key forget deadbeef"/,
  )
  const listed = await command(empty, 'list')
  expect(listed.said).toContain('deadbeef  nothing carries a MAC under it')
  expect(await command(empty, 'forget', 'deadbeef', '--reason', 'made up')).toMatchObject({ code: 0 })
  await start(empty)
  const audited = sql`select subject, details ->> 'reason' as reason from audit_entry where action = 'books.key_forgotten'`
  expect(await empty.db.query(audited)).toEqual([{ subject: 'deadbeef', reason: 'made up' }])
  expect(await command(empty, 'forget', 'deadbeef', '--reason', 'again')).toMatchObject({ code: 1 })
})

it('a name that no key has cannot be noted', async () => {
  await expect(empty.db.query(sql`insert into books_key (id) values ('; rm -rf')`)).rejects.toThrow(
    'books_key_id_check',
  )
})

it('a key that something carries MACs under is not forgotten', async () => {
  const [carried] = await full.db.query<{ id: string }>(
    sql`select split_part(mac, '.', 1) as id from journal limit 1`,
  )
  const id = carried?.id ?? ''
  booksKeyFile = join(folder, 'other.key')
  await writeFile(booksKeyFile, `${'c1'.repeat(32)}\n`, { mode: 0o600 })
  await tamper(full, [sql`insert into books_key (id) values (${id})`])
  await expect(start(full)).rejects.toThrow(
    `"${id}": there are journals, deposits, quotes, addresses with MACs under it`,
  )
  const refused = await command(full, 'forget', id, '--reason', 'made up')
  expect(refused.code).toBe(1)
  expect(refused.said).toContain('journals, deposits, quotes, addresses')
  expect(await full.db.query(sql`select id from books_key`)).toEqual([{ id }])
})

it('books that carry no MACs, given addresses alone among them, are started by nobody before they are adopted', async () => {
  await tamper(full, [
    sql`delete from books_key`,
    sql`delete from journal`,
    sql`delete from transaction`,
    sql`delete from quote`,
    sql`update address set assignment_mac = null`,
  ])
  await expect(start(full)).rejects.toThrow('coffer books-key adopt')
  expect(await full.db.query(sql`select id from books_key`)).toEqual([])
})
