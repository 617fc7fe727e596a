/** One Coffer per DATA_DIR: two would fight over one database cluster, one dev chain and one set of keys. */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { birthOf, isAlive } from '../../../core/process-table.ts'

interface Holder {
  readonly pid: number
  /** Tells this life of the process id from a later one; null where the system does not say. */
  readonly birth: string | null
  /** Differs for every lock ever taken. */
  readonly nonce: string
}

export type Release = () => void

export class DataDirLocked extends Error {
  override readonly name = 'DataDirLocked'
}

/**
 * Takes <dataDir>/coffer.lock (the folder is made if missing) until the returned function is called or the process
 * ends in any way: the lock of a process that is gone is taken over.
 * @throws DataDirLocked while another process, or this one, holds it.
 */
export function lockDataDir(dataDir: string): Release {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, 'coffer.lock')
  const mine: Holder = {
    pid: process.pid,
    birth: birthOf(process.pid) ?? null,
    nonce: randomBytes(8).toString('hex'),
  }
  const draft = `${path}.${mine.nonce}`
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 })
  try {
    while (!take(path, draft, dataDir)) {}
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (readHolder(path)?.nonce === mine.nonce) rmSync(path, { force: true })
  }
}

/** Whether a process that is alive holds the folder's lock. */
export function isDataDirLocked(dataDir: string): boolean {
  const holder = readHolder(join(dataDir, 'coffer.lock'))
  return holder !== undefined && isLiving(holder)
}

/** One try; false means that the lock changed hands meanwhile and is to be looked at again. */
function take(path: string, draft: string, dataDir: string): boolean {
  if (linked(draft, path)) return true
  const holder = readHolder(path)
  if (holder === undefined) return false
  refuseIfHeld(holder, dataDir)
  return takeOver(path, draft, holder, dataDir)
}

/**
 * Replaces the lock of a dead holder. The file named after its nonce lets one process at a time do so, and whoever
 * has it looks at the lock again: the takeover may already have happened, and a living lock must not be replaced.
 */
export function takeOver(path: string, draft: string, dead: Holder, dataDir: string): boolean {
  const right = `${path}.after-${dead.nonce}`
  if (!linked(draft, right)) {
    const other = readHolder(right)
    if (other !== undefined) refuseIfHeld(other, dataDir)
    rmSync(right, { force: true })
    return false
  }
  try {
    if (readHolder(path)?.nonce !== dead.nonce) return false
    renameSync(draft, path)
    return true
  } finally {
    rmSync(right, { force: true })
  }
}

function refuseIfHeld(holder: Holder, dataDir: string): void {
  if (!isLiving(holder)) return
  throw new DataDirLocked(
    `Coffer is already running on ${dataDir} (pid ${holder.pid}): stop it or use another DATA_DIR`,
  )
}

function isLiving({ pid, birth }: Holder): boolean {
  return isAlive(pid) && (birth === null || birthOf(pid) === birth)
}

/** link(2) is atomic and refuses an existing name, so a lock is never seen without its content. */
function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new DataDirLocked(`${path} cannot be read: if no Coffer runs on this folder, delete the file`, {
      cause: error,
    })
  }
}
