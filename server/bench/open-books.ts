/** A PostgreSQL of its own with books of a stated size, made anew or kept in a folder from an earlier run. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../src/core/log.ts'
import { appRole } from '../src/platform/db/embedded/provision.ts'
import { startEmbedded } from '../src/platform/db/embedded/start-embedded.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { type BooksWish, fillBooks } from './fill-books.ts'

/** Of the operator's walk: two years of business. */
const whole = { invoices: 3_000_000, addresses: 4_000_000 }
const dayMs = 24 * 60 * 60 * 1000

export interface OpenedBooks {
  /** As the role the service works as. */
  readonly appUrl: string
  readonly superuserUrl: string
  readonly invoices: number
  /** Adds what a day adds to books of a year. */
  grow(): Promise<number>
  stop(): Promise<void>
}

export interface BooksOptions {
  readonly scale: number
  /** The folder they are kept in. */
  readonly keep: string | undefined
  note(line: string): void
}

export async function openBooks({ scale, keep, note }: BooksOptions): Promise<OpenedBooks> {
  const folder = keep ?? (await mkdtemp(join(tmpdir(), 'coffer-bench-')))
  await mkdir(folder, { recursive: true })
  // The server runs as another user under root.
  await chmod(folder, 0o755)
  const settings = { max_wal_size: '4GB', shared_buffers: '1GB', maintenance_work_mem: '512MB' }
  const server = await startEmbedded({ dataDir: folder, log: silentLog, settings })
  await migrate({ ownerUrl: server.ownerUrl, appRole, log: silentLog })
  const invoices = Math.round(whole.invoices * scale)
  const mark = join(folder, 'books.json')
  const made = await readFile(mark, 'utf8').catch(() => undefined)
  const wished = JSON.stringify({ invoices })
  if (made !== undefined && made !== wished) {
    await server.stop()
    throw new Error(`${folder} has books of ${made}, not of ${wished}: name another folder, or another scale`)
  }
  if (made === undefined) {
    const beganMs = performance.now()
    const addresses = Math.round(whole.addresses * scale)
    await fillBooks(server.superuserUrl, wishOf(invoices, addresses), note)
    note(`made books of ${invoices} invoices in ${Math.round((performance.now() - beganMs) / 1000)} s`)
    await writeFile(mark, wished)
  }
  const grow = async () => {
    const more = Math.max(50, Math.round(invoices / 180))
    const nowMs = Date.now()
    const day = { fromMs: nowMs - 20 * 60_000, toMs: nowMs - 10 * 60_000, hasDeliveries: true }
    await fillBooks(server.superuserUrl, { invoices: more, addresses: more, ...day }, note)
    return more
  }
  const stop = async () => {
    await server.stop()
    if (keep === undefined) await rm(folder, { recursive: true, force: true })
  }
  return { appUrl: server.appUrl, superuserUrl: server.superuserUrl, invoices, grow, stop }
}

/** Two years that ended a hundred days ago, when the last deliveries were forgotten. */
function wishOf(invoices: number, addresses: number): BooksWish {
  const toMs = Date.now() - 100 * dayMs
  return { invoices, addresses, fromMs: toMs - 730 * dayMs, toMs, hasDeliveries: false }
}
