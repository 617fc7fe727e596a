/**
 * A snapshot of which each part can be restored separately: the database, both logs of the signer, and the
 * checkpoint. The checkpoint is meant for a medium outside the host's snapshots.
 */
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignLogError } from '../../src/signer/log/chained-log.ts'
import { SignerRecords } from '../../src/signer/log/records.ts'
import type { TestDatabase } from './database.ts'
import { openTestSigner, type TestSigner } from './signer.ts'
import { restoreDatabase, snapshotDatabase } from './snapshot.ts'

const hostParts = ['database', 'log', 'checkpoint'] as const
export type HostPart = (typeof hostParts)[number]

/** Every non-empty subset of the parts. */
export const partSubsets: readonly (readonly HostPart[])[] = Array.from({ length: 7 }, (_, index) =>
  hostParts.filter((_part, bit) => ((index + 1) & (1 << bit)) !== 0),
)

export interface HostSnapshot {
  readonly rows: Awaited<ReturnType<typeof snapshotDatabase>>
  /** A folder with a copy of the signer's folder. */
  readonly folder: string
}

export interface RestoredSigner {
  readonly signer: TestSigner
  /** Whether the signer refused its log, so that its operator had to accept the loss. */
  readonly isLossAccepted: boolean
  /** Whether the checkpoint is newer than the signer's log, so that the signer must refuse to sign. */
  readonly isLossKnown: boolean
}

export async function takeSnapshot(database: TestDatabase, signer: TestSigner): Promise<HostSnapshot> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-snapshot-'))
  await cp(signer.options.folder, folder, { recursive: true })
  return { rows: await snapshotDatabase(database), folder }
}

/** Restores parts of the snapshot, and starts the signer on the resulting files. */
export async function restoreParts(
  database: TestDatabase,
  current: TestSigner,
  { rows, folder }: HostSnapshot,
  parts: readonly HostPart[],
): Promise<RestoredSigner> {
  await current.signer.close()
  if (parts.includes('database')) await restoreDatabase(database, rows)
  let isLogOlder = false
  for (const name of await readdir(folder)) {
    const path = join(current.options.folder, name)
    const part = path === current.checkpointPath ? 'checkpoint' : 'log'
    if (!parts.includes(part)) continue
    if (part === 'log' && !(await readFile(path)).equals(await readFile(join(folder, name))))
      isLogOlder = true
    await cp(join(folder, name), path)
  }
  await rm(folder, { recursive: true, force: true })
  const isLossKnown = isLogOlder && !parts.includes('checkpoint')
  return { ...(await openOrAcceptLoss(current)), isLossKnown }
}

/**
 * Opens the signer. If the signer refuses its log, runs `coffer signer accept-loss` first, as docs/signer.md
 * describes.
 */
async function openOrAcceptLoss({
  options,
  keys,
  logPath,
  checkpointPath,
}: TestSigner): Promise<Omit<RestoredSigner, 'isLossKnown'>> {
  const open = () => openTestSigner({ ...options, isNew: false })
  try {
    return { signer: await open(), isLossAccepted: false }
  } catch (error) {
    if (!(error instanceof SignLogError)) throw error
    const files = { logPath, checkpointPath, key: keys.logKey }
    await SignerRecords.acceptLoss(files, 'a snapshot was put back', new Date())
    return { signer: await open(), isLossAccepted: true }
  }
}
