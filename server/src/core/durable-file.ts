import { randomBytes } from 'node:crypto'
import { access, type FileHandle, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a small private file (mode 0600 from its first byte), whole or not at all: it is on disk under another name
 * before it gets its own. One that is there stays as it is, also when two make it at once: read it back afterwards.
 */
export async function createDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    // link(2) refuses a name that is taken, where rename(2) would replace the file.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
  await syncFolder(dirname(path))
}

/**
 * Writes all of a text at a place in a file. write(2) may take less without an error, where the disk fills up.
 * @throws where it did: part of the text may be there then
 */
export async function writeWhole(file: FileHandle, text: string, offset: number): Promise<void> {
  const bytes = Buffer.from(text)
  const { bytesWritten } = await file.write(bytes, 0, bytes.length, offset)
  if (bytesWritten === bytes.length) return
  throw new Error(`Only ${bytesWritten} of ${bytes.length} bytes were written: is the disk full?`)
}

/** Makes the names in a folder durable (a new file, a rename), which syncing a file does not. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
