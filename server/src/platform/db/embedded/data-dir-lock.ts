/**
 * Locks a DATA_DIR for one Coffer. Two Coffers would conflict over the same database cluster, dev chain and
 * keys.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { birthOf, isAlive } from '../../../core/process-table.ts'

interface Holder {
  readonly pid: number
  /**
   * Distinguishes this process from a later process with the same id; null if the system does not report it.
   */
  readonly birth: string | null
  /** A random value that no other lock has. */
  readonly nonce: string
}

export type Release = () => void

export class DataDirLocked extends Error {
  override readonly name = 'DataDirLocked'
}

/**
 * Takes the lock file <dataDir>/coffer.lock, and creates the folder if it is missing. The lock is held until
 * the returned function is called or this process ends in any way. The lock of a process that has ended is
 * taken over.
 * @throws DataDirLocked while another process, or this one, holds the lock
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

/** Returns true if a running process holds the folder's lock. */
export function isDataDirLocked(dataDir: string): boolean {
  const holder = readHolder(join(dataDir, 'coffer.lock'))
  return holder !== undefined && isLiving(holder)
}

/**
 * Tries once to take the lock. Returns false if another process changed the lock meanwhile, and the caller
 * must try again. @throws DataDirLocked
 */
function take(path: string, draft: string, dataDir: string): boolean {
  if (linked(draft, path)) return true
  const holder = readHolder(path)
  if (holder === undefined) return false
  refuseIfHeld(holder, dataDir)
  return takeOver(path, draft, holder, dataDir)
}

/**
 * Replaces the lock of a process that has ended. First creates a file whose name contains the nonce of that
 * lock, so that only one process at a time can replace the lock. Then reads the lock again, because another
 * process may have replaced it before. The lock of a running process must not be replaced.
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

/**
 * Creates the lock file by linking a complete draft. Returns false if the file exists. link(2) is atomic, so
 * a lock is never visible without its content.
 */
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
    throw new DataDirLocked(`${path} cannot be read: if no Coffer uses this folder, delete the file`, {
      cause: error,
    })
  }
}
