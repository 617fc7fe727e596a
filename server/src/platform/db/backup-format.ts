/**
 * A backup is a folder: manifest.json, and one <table>.copy.gz for each table, which is gzip over the text format of
 * COPY. That format, unlike a copy of the server's files, can be read by every PostgreSQL version.
 */
import { createHash, type Hash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import type { AppliedMigration } from './migration.ts'

export interface BackupTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: number
  /** Of the uncompressed rows, in hex. */
  readonly sha256: string
}

export interface BackupSequence {
  readonly name: string
  /** The last value given out, in decimal; null if none was yet. */
  readonly lastValue: string | null
}

export interface Manifest {
  readonly format: typeof backupFormat
  /** ISO 8601, by the database's clock: the moment the backup shows. */
  readonly takenAt: string
  readonly migrations: readonly AppliedMigration[]
  readonly tables: readonly BackupTable[]
  readonly sequences: readonly BackupSequence[]
}

export const backupFormat = 1
export const manifestName = 'manifest.json'

/** Written from the migrations list, not from a backup: they describe the database itself. */
export const tablesLeftOut: readonly string[] = ['schema_migration']

export const incarnationTable = 'database_incarnation'

/** What has a row that the migrations themselves put in, which the backup's takes the place of. */
export const tablesWithFirstRow: readonly string[] = [
  incarnationTable,
  'signer_log_mark',
  'signer_log_life',
  'books_check',
]

/** Sessions of a backup are over once it is restored. */
export const sessionTable = 'session'

export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export interface BackupProgress {
  readonly table: string
  readonly rows: number
}

/** Called after each table, and waited for. */
export type OnProgress = (progress: BackupProgress) => void | Promise<void>

export function fileNameOf(table: string): string {
  return `${table}.copy.gz`
}

/** The session settings under which both ends write and read values the same way. */
export const copySettings = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local client_encoding = 'UTF8';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'iso_8601';
  set local timezone = 'UTC';
  set local bytea_output = 'hex';
  set local extra_float_digits = 1;`

/** The manifest carries a hash of itself, so that a changed count or sequence is noticed as well. */
export function writeManifest(manifest: Manifest): string {
  const body = JSON.stringify(manifest)
  return `${JSON.stringify({ sha256: sha256(body), manifest }, null, 2)}\n`
}

/** @throws BackupError if it is damaged or of a format this Coffer does not read. */
export function readManifest(text: string): Manifest {
  const { sha256: expected, manifest } = parseJson(text)
  if (typeof manifest !== 'object' || manifest === null || sha256(JSON.stringify(manifest)) !== expected) {
    throw new BackupError(`${manifestName} is damaged`)
  }
  const { format } = manifest as { format?: unknown }
  if (format !== backupFormat) {
    throw new BackupError(`This is a backup of format ${String(format)}, this Coffer reads ${backupFormat}`)
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

/** Passes rows through and counts and hashes them. COPY's text format writes a line break only at the end of a row. */
export class RowMeter extends Transform {
  #rows = 0
  readonly #hash: Hash = createHash('sha256')

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) this.#rows += 1
    done(null, chunk)
  }

  /** Once, when all rows have passed. */
  result(): { readonly rows: number; readonly sha256: string } {
    return { rows: this.#rows, sha256: this.#hash.digest('hex') }
  }
}
