import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { booksMacs } from '../../core/books-macs.ts'
import { createDurably, exists } from '../../core/durable-file.ts'
import { macKeyId } from '../../core/mac-ring.ts'
import { noteBooksKey, readBooksKeys } from '../../db/books-key-store.ts'
import { type Db, withMacs } from '../../db/pool.ts'
import { readPrivateFile } from '../../signer/keys/private-file.ts'
import type { Config } from '../settings/config.ts'

type BooksKeyConfig = Pick<Config, 'mode' | 'dataDir' | 'booksKeyFile'>

/**
 * The handle with the keys of the books, for a process of such roles. A sandbox makes its key where there is none yet.
 * @throws Error saying what to put back, where the database's books carry MACs of a key that is not at hand
 */
export async function withBooksKey(config: BooksKeyConfig, db: Db): Promise<Db> {
  const path = booksKeyPath(config)
  const { ids, hasJournals } = await readBooksKeys(db)
  if (ids.length === 0 && hasJournals) {
    throw new Error(
      'This database is from a version whose books carried no MACs: start on an empty database, or an empty DATA_DIR',
    )
  }
  if (config.booksKeyFile === undefined && !(await exists(path))) await makeKey(config, path, ids)
  const keys = await readKeys(path)
  refuseForeign(path, keys, ids)
  refuseForeign(path, keys, await noteBooksKey(db, macKeyId(keys[0])))
  return withMacs(db, booksMacs(keys))
}

/** The same for a command, which makes and notes no key, and can do without one as long as it posts nothing. */
export async function withBooksKeyIfThere(config: BooksKeyConfig, db: Db): Promise<Db> {
  const path = booksKeyPath(config)
  if (config.booksKeyFile === undefined && (config.mode === 'production' || !(await exists(path)))) return db
  const keys = await readKeys(path)
  refuseForeign(path, keys, (await readBooksKeys(db)).ids)
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

/** Every key under which something in the books may carry a MAC must be at hand. */
function refuseForeign(path: string, keys: readonly Buffer[], noted: readonly string[]): void {
  const atHand = new Set(keys.map(macKeyId))
  const missing = noted.filter((id) => !atHand.has(id))
  if (missing.length === 0) return
  throw new Error(
    `${path} lacks keys under which the books of this database carry MACs (${missing.join(', ')}): put back the file ` +
      'that belongs to this database. To change the key, add the new one and keep the former ones below it (docs/books-key.md)',
  )
}
