/**
 * The format of a backup. A backup is a folder with manifest.json and one file <table>.copy.gz for each
 * table. Such a file is the gzipped text format of COPY, which every PostgreSQL version can read. A copy of
 * the server's files can be read by one version only.
 */
import { createHash, type Hash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import type { AppliedMigration } from './migration.ts'

export interface BackupTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: number
  /** The SHA-256 of the uncompressed rows, in hex. */
  readonly sha256: string
}

export interface BackupSequence {
  readonly name: string
  /** The last value of the sequence, in decimal; null if the sequence has never returned a value. */
  readonly lastValue: string | null
}

export interface Manifest {
  readonly format: typeof backupFormat
  /** The moment of the backup's snapshot, in ISO 8601, by the database's clock. */
  readonly takenAt: string
  readonly migrations: readonly AppliedMigration[]
  readonly tables: readonly BackupTable[]
  readonly sequences: readonly BackupSequence[]
}

export const backupFormat = 1
export const manifestName = 'manifest.json'

/** Tables that a backup leaves out, because the migrations fill them in the new database. */
export const tablesLeftOut: readonly string[] = ['schema_migration']

export const databaseIdentityTable = 'database_identity'

/** Tables in which the migrations themselves insert a row. The row in the backup replaces that row. */
export const tablesWithFirstRow: readonly string[] = [
  databaseIdentityTable,
  'signer_log_position',
  'signer_log_generation',
  'books_check',
]

/** Restoring a backup ends all sessions in this table. */
export const sessionTable = 'session'

export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export interface BackupProgress {
  readonly table: string
  readonly rows: number
}

/** Called after each table. The next table begins when the returned promise has resolved. */
export type OnProgress = (progress: BackupProgress) => void | Promise<void>

export function fileNameOf(table: string): string {
  return `${table}.copy.gz`
}

/** Session settings for backup and restore, so that values are written and read in the same form. */
export const copySettings = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local client_encoding = 'UTF8';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'iso_8601';
  set local timezone = 'UTC';
  set local bytea_output = 'hex';
  set local extra_float_digits = 1;`

/**
 * Returns the text of manifest.json: the manifest and its SHA-256. The hash reveals a later change of a count
 * or a sequence.
 */
export function writeManifest(manifest: Manifest): string {
  const body = JSON.stringify(manifest)
  return `${JSON.stringify({ sha256: sha256(body), manifest }, null, 2)}\n`
}

/** @throws BackupError if the manifest is damaged, or has a format that this Coffer cannot read */
export function readManifest(text: string): Manifest {
  const { sha256: expected, manifest } = parseJson(text)
  if (typeof manifest !== 'object' || manifest === null || sha256(JSON.stringify(manifest)) !== expected) {
    throw new BackupError(`${manifestName} is damaged`)
  }
  const { format } = manifest as { format?: unknown }
  if (format !== backupFormat) {
    throw new BackupError(
      `The backup has format ${String(format)}, but this version of Coffer reads format ${backupFormat}`,
    )
  }
  return manifest as Manifest
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (error) {
    throw new BackupError(`${manifestName} is damaged`, { cause: error })
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Passes rows on unchanged, and counts and hashes them. It counts line breaks, because the text format of
 * COPY has a line break only at the end of a row.
 */
export class RowMeter extends Transform {
  #rows = 0
  readonly #hash: Hash = createHash('sha256')

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) this.#rows += 1
    done(null, chunk)
  }

  /** Returns the count and hash of all rows. Call it once, after all rows have passed. */
  result(): { readonly rows: number; readonly sha256: string } {
    return { rows: this.#rows, sha256: this.#hash.digest('hex') }
  }
}
