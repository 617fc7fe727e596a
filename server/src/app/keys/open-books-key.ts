/** Provides the keys of the books, and refuses a key file that lacks a key of this database. */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { booksMacs } from '../../core/books-macs.ts'
import { createDurably, exists } from '../../core/durable-file.ts'
import { macKeyId } from '../../core/mac-key-ring.ts'
import { findCarriers, noteBooksKey, readBooksKeys } from '../../oversight/books-key/books-key-store.ts'
import { type Db, withMacs } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { readPrivateFile } from '../../signer/keys/private-file.ts'
import type { Config } from '../settings/config.ts'

type BooksKeyConfig = Pick<Config, 'mode' | 'dataDir' | 'booksKeyFile'>

/**
 * Returns the database handle with the keys of the books, for a process whose role needs them. A sandbox that
 * has no key creates one.
 * @throws Error if the database lists a key of the books that this process lacks, or has books but lists no
 * key. The message says what to restore.
 */
export async function withBooksKey(config: BooksKeyConfig, db: Db): Promise<Db> {
  const { ids, hasBooks } = await readBooksKeys(db)
  if (ids.length === 0 && hasBooks) {
    throw new Error(
      'This database has books, but lists no key of their MACs, so somebody deleted the rows of books_key. Restore ' +
        'a backup, or list the keys of these books again (docs/books-key.md)',
    )
  }
  const { path, keys } = await openKeyFile(config, ids)
  await refuseForeign(db, { path, keys, noted: ids })
  await refuseForeign(db, { path, keys, noted: await noteBooksKey(db, macKeyId(keys[0])) })
  return withMacs(db, booksMacs(keys))
}

interface KeyFile {
  readonly path: string
  /** The keys of the file, the current one first. */
  readonly keys: readonly [Buffer, ...Buffer[]]
}

/**
 * Reads the key file. A sandbox creates the file if it is missing.
 * @param noted the ids of the keys of existing books; if there are any, no new key is created
 */
async function openKeyFile(config: BooksKeyConfig, noted: readonly string[]): Promise<KeyFile> {
  const path = booksKeyPath(config)
  if (config.booksKeyFile === undefined && !(await exists(path))) await makeKey(config, path, noted)
  return { path, keys: await readKeys(path) }
}

/**
 * Returns the database handle with the keys of the books, for a command. It creates and records no key. If
 * production configures no key file, or a sandbox has none, it returns the handle without keys. A handle
 * without keys is enough for a command that posts no journal.
 */
export async function withBooksKeyIfThere(config: BooksKeyConfig, db: Db): Promise<Db> {
  const path = booksKeyPath(config)
  if (config.booksKeyFile === undefined && (config.mode === 'production' || !(await exists(path)))) return db
  const keys = await readKeys(path)
  await refuseForeign(db, { path, keys, noted: (await readBooksKeys(db)).ids })
  return withMacs(db, booksMacs(keys))
}

function booksKeyPath({ booksKeyFile, dataDir }: BooksKeyConfig): string {
  return booksKeyFile ?? join(dataDir, 'books.key')
}

async function readKeys(path: string): Promise<readonly [Buffer, ...Buffer[]]> {
  return parseBooksKeys(await readPrivateFile(path, 'key file of the books', 0o640), path)
}

async function makeKey({ mode, dataDir }: BooksKeyConfig, path: string, ids: readonly string[]) {
  if (mode === 'production') throw new Error('BOOKS_KEY_FILE must be set in production')
  if (ids.length > 0) {
    throw new Error(
      `${path} is missing, and the books of this database carry MACs under its key (${ids.join(', ')}): restore the ` +
        'file, or set BOOKS_KEY_FILE. No new key is generated, because the existing books could not be verified with it',
    )
  }
  await mkdir(dataDir, { recursive: true })
  await createDurably(path, `${randomBytes(32).toString('hex')}\n`)
}

/** Parses a key file: one key in each line, the current one first. */
function parseBooksKeys(text: string, path: string): readonly [Buffer, ...Buffer[]] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const [current, ...former] = lines
  if (current === undefined || !lines.every((line) => /^[0-9a-f]{64}$/i.test(line))) {
    throw new Error(
      `The books key file ${path} must contain lines of 64 hex digits, as "openssl rand -hex 32" prints, with the current key first`,
    )
  }
  return [Buffer.from(current, 'hex'), ...former.map((line) => Buffer.from(line, 'hex'))]
}

/**
 * Throws an error if the database lists a key of the books that this process lacks. The error says which kinds
 * of rows carry MACs of that key. The rows are searched only in this case, because the search reads all books.
 */
async function refuseForeign(
  db: Db,
  { path, keys, noted }: KeyFile & { readonly noted: readonly string[] },
): Promise<void> {
  const available = new Set(keys.map(macKeyId))
  const missing = noted.filter((id) => !available.has(id))
  if (missing.length === 0) return
  const descriptions: string[] = []
  for (const id of missing)
    descriptions.push(describeMissingKey(id, await inTransaction(db, (tx) => findCarriers(tx, id))))
  throw new Error(
    `${path} lacks keys that this database lists for the MACs of its books. ${descriptions.join('. ')}. If a key is yours, ` +
      'restore the file that belongs to this database; to change the key, put the new one above the former ones ' +
      '(docs/books-key.md)',
  )
}

/** @param carriers names the kinds of rows whose MACs were made with the missing key */
function describeMissingKey(id: string, carriers: readonly string[]): string {
  const name = JSON.stringify(id.slice(0, shownIdChars))
  return carriers.length > 0
    ? `Key ${name}: there are ${carriers.join(', ')} with MACs under it`
    : `Key ${name}: no MACs under this key, so somebody may have made it up, or the process that added it has ` +
        `written nothing yet; "coffer books-key forget ${id.slice(0, shownIdChars)}" removes it`
}

const shownIdChars = 20
