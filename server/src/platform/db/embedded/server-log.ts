/** Rotates the log file of the embedded server, and reads the end of that file after an error. */
import { open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'

const logBytesMax = 10 * 1024 * 1024
const tailBytes = 4096
const tailLines = 15

export function serverLogPath(dataDir: string): string {
  return join(dataDir, 'postgres.log')
}

/**
 * Renames a log that has become too large; only the last renamed log is kept. Call it only while no server
 * writes to the log.
 */
export async function rotateServerLog(path: string): Promise<void> {
  if ((await sizeOf(path)) > logBytesMax) await rename(path, `${path}.1`)
}

export async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

/** Returns the last lines of a file that were written after byte `from`. */
export async function readTail(path: string, from = 0): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return ''
  try {
    const { size } = await file.stat()
    const start = Math.max(from, size - tailBytes)
    const buffer = Buffer.alloc(Math.max(0, size - start))
    await file.read(buffer, 0, buffer.length, start)
    return buffer.toString('utf8').trim().split('\n').slice(-tailLines).join('\n')
  } finally {
    await file.close()
  }
}
