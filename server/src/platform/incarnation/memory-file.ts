/** What a process remembers of its last beat, kept in a file so that a restart right after a loss does not forget it. */
import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '../../core/durable-file.ts'
import { isId } from '../../core/ids.ts'
import type { Remembered } from './history.ts'

/** The process that beats, and how far it came. A restart goes on under the same id, so that rows do not pile up. */
export interface Memory extends Remembered {
  readonly processId: string
}

/** Undefined where there is no folder for such files: then a process remembers in memory alone. */
export async function memoryPath(dataDir: string, role: string): Promise<string | undefined> {
  return (await exists(dataDir)) ? join(dataDir, `heartbeat-${role}.json`) : undefined
}

/** Undefined where there is none, or it cannot be read as one: an earlier one proves less, and none proves nothing. */
export async function readMemory(path: string): Promise<Memory | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : memoryOf(text)
}

/** Whole or not at all. It is not synced: after a power failure an older beat is there, which shows less and nothing wrong. */
export async function writeMemory(path: string, memory: Memory): Promise<void> {
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
