import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BooksMacs, booksMacs } from '../../core/books-macs.ts'
import { createDurably, exists } from '../../core/durable-file.ts'
import { macKeyId } from '../../core/mac-ring.ts'
import { findCarriers, noteBooksKey, readBooksKeys } from '../../oversight/adoption/books-key-store.ts'
import { type Db, withMacs } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { readPrivateFile } from '../../signer/keys/private-file.ts'
import type { Config } from '../settings/config.ts'

type BooksKeyConfig = Pick<Config, 'mode' | 'dataDir' | 'booksKeyFile'>

/**
 * The handle with the keys of the books, for a process of such roles. A sandbox makes its key where there is none yet.
 * @throws Error saying what to put back, where the database's books carry MACs of a key that is not at hand
 */
export async function withBooksKey(config: BooksKeyConfig, db: Db): Promise<Db> {
  const { ids, hasBooks } = await readBooksKeys(db)
  if (ids.length === 0 && hasBooks) {
    throw new Error(
      'The books of this database are from a version in which they carried no MACs: run "coffer books-key adopt", which ' +
        'gives them theirs once "coffer verify" finds them in order (docs/books-key.md), or start on an empty database',
    )
  }
  const { path, keys } = await openKeyFile(config, ids)
  await refuseForeign(db, { path, keys, noted: ids })
  await refuseForeign(db, { path, keys, noted: await noteBooksKey(db, macKeyId(keys[0])) })
  return withMacs(db, booksMacs(keys))
}

/** The keys of books that carry no MACs yet, and the id under which they will. A sandbox makes its key where there is none. */
export async function openKeyForAdoption(
  config: BooksKeyConfig,
): Promise<{ readonly macs: BooksMacs; readonly id: string }> {
  const { keys } = await openKeyFile(config, [])
  return { macs: booksMacs(keys), id: macKeyId(keys[0]) }
}

interface KeyFile {
  readonly path: string
  /** The current one first. */
  readonly keys: readonly [Buffer, ...Buffer[]]
}

/** @param noted ids of the keys of books that are there: then no new key is made */
async function openKeyFile(config: BooksKeyConfig, noted: readonly string[]): Promise<KeyFile> {
  const path = booksKeyPath(config)
  if (config.booksKeyFile === undefined && !(await exists(path))) await makeKey(config, path, noted)
  return { path, keys: await readKeys(path) }
}

/** The same for a command, which makes and notes no key, and can do without one as long as it posts nothing. */
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
      `${path} is missing, and the books of this database carry MACs under the key in it (${ids.join(', ')}): put the ` +
        'file back, or set BOOKS_KEY_FILE. A new one is not made: what is in the books could not be told from a forgery',
    )
  }
  await mkdir(dataDir, { recursive: true })
  await createDurably(path, `${randomBytes(32).toString('hex')}\n`)
}

/** One key a line, the current one first. */
function parseBooksKeys(text: string, path: string): readonly [Buffer, ...Buffer[]] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const [current, ...former] = lines
  if (current === undefined || !lines.every((line) => /^[0-9a-f]{64}$/i.test(line))) {
    throw new Error(
      `The key file of the books ${path} must hold lines of 64 hex digits, as "openssl rand -hex 32" prints, the current key first`,
    )
  }
  return [Buffer.from(current, 'hex'), ...former.map((line) => Buffer.from(line, 'hex'))]
}

/**
 * Every key under which something in the books may carry a MAC must be at hand. Whether anything does under one that is not is
 * looked up only then, since it reads the books from end to end.
 */
async function refuseForeign(
  db: Db,
  { path, keys, noted }: KeyFile & { readonly noted: readonly string[] },
): Promise<void> {
  const atHand = new Set(keys.map(macKeyId))
  const missing = noted.filter((id) => !atHand.has(id))
  if (missing.length === 0) return
  const told: string[] = []
  for (const id of missing) told.push(tellMissing(id, await inTransaction(db, (tx) => findCarriers(tx, id))))
  throw new Error(
    `${path} lacks keys that this database says its books carry MACs under. ${told.join('. ')}. Where a key is yours, put ` +
      'back the file that belongs to this database; to change the key, add the new one and keep the former ones below it ' +
      '(docs/books-key.md)',
  )
}

/** @param carriers what carries MACs under the key, in words */
function tellMissing(id: string, carriers: readonly string[]): string {
  const name = JSON.stringify(id.slice(0, shownIdChars))
  return carriers.length > 0
    ? `Key ${name}: there are ${carriers.join(', ')} with MACs under it`
    : `Key ${name}: nothing carries a MAC under it, so that somebody may have made it up, or the process that noted it has ` +
        `written nothing yet; "coffer books-key forget ${id.slice(0, shownIdChars)}" forgets it`
}

const shownIdChars = 20
