/**
 * Keeps the dev chain's state on disk. anvil 1.7.1 rewrites `state.json` in place, so a kill or a full disk
 * can truncate the file. While Coffer runs, a copy of the last complete state is therefore kept beside the
 * file. The copy is at most `copyEveryMs` older than the file.
 */
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { ShippedEvmName } from '../chains/evm/evm-networks.ts'
import { exists } from '../core/durable-file.ts'
import type { Log } from '../core/log.ts'

export interface StateFiles {
  readonly folder: string
  readonly state: string
  readonly copy: string
}

export const copyEveryMs = 10_000

/** Returns the files of the dev chain of an EVM network. The folder is created if it is missing. */
export async function openStateFiles(dataDir: string, network: ShippedEvmName): Promise<StateFiles> {
  const files = stateFilesOf(dataDir, network)
  await mkdir(files.folder, { recursive: true })
  return files
}

export function stateFilesOf(dataDir: string, network: ShippedEvmName): StateFiles {
  const folder = path.join(path.resolve(dataDir), network === 'ethereum' ? 'anvil' : `anvil-${network}`)
  return { folder, state: path.join(folder, 'state.json'), copy: path.join(folder, 'state.copy.json') }
}

/**
 * Renames the state file that anvil could not load, and puts the copy in its place. Without a copy, the chain
 * starts from its genesis block. If anvil cannot load the copy either, the caller calls this function again.
 * There is then no other copy.
 */
export async function putAside(files: StateFiles, log: Log): Promise<void> {
  await rename(files.state, `${files.state}.torn`)
  if (await exists(files.copy)) {
    await rename(files.copy, files.state)
    log.warn(
      { state: files.state },
      'the saved state of the dev chain is incomplete; it continues from the last copy',
    )
  } else {
    log.error(
      { state: files.state },
      'the saved state of the dev chain is incomplete and has no copy; a new chain is started',
    )
  }
}

/** Copies the state file if anvil has saved it since the last copy and is not saving it at the moment. */
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
 * Returns the number of seconds between two saves of the chain. Each save writes the whole chain (about 1.8
 * kB a block), so saving a long-lived chain every second would occupy a CPU core.
 */
export async function saveIntervalS(files: StateFiles): Promise<number> {
  const bytes = (await exists(files.state)) ? (await stat(files.state)).size : 0
  return 1 + Math.floor(bytes / bytesPerSaveSecond)
}

/** Decides whether a copy seems complete, by its last byte. Only anvil can check the rest of the copy. */
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
