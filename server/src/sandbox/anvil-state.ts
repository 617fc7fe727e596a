/**
 * The dev chain's state on disk. anvil 1.7.1 rewrites `state.json` in place, so a kill or a full disk can leave half
 * of it; a copy of the last whole one is kept beside it, as old as `copyEveryMs` at most while Coffer runs.
 */
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { exists } from '../core/durable-file.ts'
import type { Log } from '../core/log.ts'

export interface StateFiles {
  readonly folder: string
  readonly state: string
  readonly copy: string
}

export const copyEveryMs = 10_000

export async function openStateFiles(dataDir: string): Promise<StateFiles> {
  const folder = path.join(path.resolve(dataDir), 'anvil')
  await mkdir(folder, { recursive: true })
  return { folder, state: path.join(folder, 'state.json'), copy: path.join(folder, 'state.copy.json') }
}

/**
 * Puts aside a state that anvil could not load, and the copy in its place; without a copy the chain starts anew.
 * Called again when the copy does not load either.
 */
export async function putAside(files: StateFiles, log: Log): Promise<void> {
  await rename(files.state, `${files.state}.torn`)
  if (await exists(files.copy)) {
    await rename(files.copy, files.state)
    log.warn(
      { state: files.state },
      'the dev chain was cut off while saving; it goes on from its last good copy',
    )
  } else {
    log.error(
      { state: files.state },
      'the dev chain was cut off while saving and has no good copy; it starts anew',
    )
  }
}

/** Copies the state if it has been saved since the last copy and no save is going on. */
export async function copyState(files: StateFiles): Promise<void> {
  const before = await modifiedAt(files.state)
  if (before === undefined || before === (await modifiedAt(files.copy))) return
  const unfinished = `${files.copy}.new`
  await copyFile(files.state, unfinished)
  const settled = before === (await modifiedAt(files.state)) && (await endsLikeJson(unfinished))
  await (settled ? rename(unfinished, files.copy) : rm(unfinished, { force: true }))
}

const bytesPerSaveSecond = 20_000_000

/**
 * Seconds between saves. Each save writes the whole chain (about 1.8 kB a block), so on a long-lived chain saving
 * every second would take a core for itself.
 */
export async function saveIntervalS(files: StateFiles): Promise<number> {
  const bytes = (await exists(files.state)) ? (await stat(files.state)).size : 0
  return 1 + Math.floor(bytes / bytesPerSaveSecond)
}

/** A cheap guard; whether a copy is good anvil itself judges when it is needed. */
async function endsLikeJson(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
    return bytesRead === 1 && buffer.toString() === '}'
  } finally {
    await handle.close()
  }
}

async function modifiedAt(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs
  } catch {
    return undefined
  }
}
