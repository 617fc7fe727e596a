/**
 * Stores the last heartbeat of a process in a file, so that a process that restarts right after a loss still
 * detects the loss.
 */

import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from '../../core/chance.ts'
import { exists } from '../../core/durable-file.ts'
import { isId } from '../../core/ids.ts'
import type { Remembered } from './history.ts'

/**
 * The id of a process, with its last heartbeat. A restart continues under the same id, so that restarts do
 * not add rows of heartbeats.
 */
export interface Memory extends Remembered {
  readonly processId: string
}

/** Keeps the last heartbeat of a process across restarts. */
export interface HeartbeatMemory {
  /** Returns undefined if no heartbeat is kept. */
  read(): Promise<Memory | undefined>
  write(memory: Memory): Promise<void>
}

/** Returns the memory of a role in the data folder; undefined if there is no data folder. */
export async function openMemory(dataDir: string, role: string): Promise<HeartbeatMemory | undefined> {
  return (await exists(dataDir)) ? memoryFile(join(dataDir, `heartbeat-${role}.json`)) : undefined
}

export function memoryFile(path: string): HeartbeatMemory {
  return { read: () => readMemory(path), write: (memory) => writeMemory(path, memory) }
}

/**
 * Returns the remembered heartbeat; undefined if the file is missing or malformed. Without that heartbeat,
 * the process cannot detect a loss of its own earlier heartbeats.
 */
async function readMemory(path: string): Promise<Memory | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : memoryOf(text)
}

/**
 * Replaces the file atomically, but does not sync it to disk. After a power failure the file may contain an
 * older heartbeat. Fewer losses can then be detected, but no loss is reported falsely.
 */
async function writeMemory(path: string, memory: Memory): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, `${JSON.stringify(memory)}\n`, { mode: 0o600 })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

function memoryOf(text: string): Memory | undefined {
  const read = parsed(text)
  if (typeof read !== 'object' || read === null) return undefined
  const { processId, incarnation, beat, beatAt, hasEnded } = read as Record<string, unknown>
  const isWhole =
    typeof processId === 'string' &&
    isId(processId) &&
    Number.isSafeInteger(incarnation) &&
    Number.isSafeInteger(beat) &&
    typeof beatAt === 'string' &&
    !Number.isNaN(Date.parse(beatAt)) &&
    typeof hasEnded === 'boolean'
  if (!isWhole) return undefined
  return {
    processId,
    incarnation: Number(incarnation),
    beat: Number(beat),
    beatAt: new Date(beatAt),
    hasEnded,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
