/**
 * Opens a separate PostgreSQL with books of a given size. The books are generated, or kept in a folder from
 * an earlier run.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../src/core/log.ts'
import { appRole } from '../src/platform/db/embedded/provision.ts'
import { startEmbedded } from '../src/platform/db/embedded/start-embedded.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { type BooksConfig, fillBooks } from './fill-books.ts'

/** Size of the full books: two years of business. */
const whole = { invoices: 3_000_000, addresses: 4_000_000 }
const dayMs = 24 * 60 * 60 * 1000

export interface OpenedBooks {
  /** The URL for the role of the service. */
  readonly appUrl: string
  readonly superuserUrl: string
  readonly invoices: number
  /** Adds the rows of one more day. Returns the number of new invoices. */
  grow(): Promise<number>
  stop(): Promise<void>
}

export interface BooksOptions {
  readonly scale: number
  /** The folder that keeps the books. */
  readonly keep: string | undefined
  note(line: string): void
}

export async function openBooks({ scale, keep, note }: BooksOptions): Promise<OpenedBooks> {
  const folder = keep ?? (await mkdtemp(join(tmpdir(), 'coffer-bench-')))
  await mkdir(folder, { recursive: true })
  // If this process runs as root, PostgreSQL runs as another user, who must be able to read the folder.
  await chmod(folder, 0o755)
  const settings = { max_wal_size: '4GB', shared_buffers: '1GB', maintenance_work_mem: '512MB' }
  const server = await startEmbedded({ dataDir: folder, log: silentLog, settings })
  await migrate({ ownerUrl: server.ownerUrl, appRole, log: silentLog })
  const invoices = Math.round(whole.invoices * scale)
  const markerPath = join(folder, 'books.json')
  const made = await readFile(markerPath, 'utf8').catch(() => undefined)
  const wanted = JSON.stringify({ invoices })
  if (made !== undefined && made !== wanted) {
    await server.stop()
    throw new Error(`${folder} has books of ${made}, not of ${wanted}: use another folder or another scale`)
  }
  if (made === undefined) {
    const beganMs = performance.now()
    const addresses = Math.round(whole.addresses * scale)
    await fillBooks(server.superuserUrl, configOf(invoices, addresses), note)
    note(`generated books of ${invoices} invoices in ${Math.round((performance.now() - beganMs) / 1000)} s`)
    await writeFile(markerPath, wanted)
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

/**
 * Returns a period of two years that ended a hundred days ago. Coffer would already have deleted all
 * deliveries of this period.
 */
function configOf(invoices: number, addresses: number): BooksConfig {
  const toMs = Date.now() - 100 * dayMs
  return { invoices, addresses, fromMs: toMs - 730 * dayMs, toMs, hasDeliveries: false }
}
