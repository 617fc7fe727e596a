/** Accesses the files on the disk, creates files atomically, and writes and reads whole texts. */

import { access, type FileHandle, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { randomBytes } from './chance.ts'
import type { Files, OpenFile } from './files.ts'

const streamBytes = 64 * 1024

/** The files on the disk of this host. */
export const diskFiles: Files = {
  open: async (path) => openFileOf(await open(path, 'r+')),
  create: createFile,
  link,
  remove: (path) => rm(path, { force: true }),
  exists,
  syncFolder,
}

/**
 * Creates a small private file atomically, with mode 0600 from the start. The content is synced under a
 * temporary name, and then linked to `path`. If the file exists already, it stays unchanged and there is no
 * error. Callers must therefore read the file back.
 */
export async function createDurably(path: string, text: string, files: Files = diskFiles): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await files.create(draft, text)
  try {
    // link(2) fails if the name exists. rename(2) would replace the existing file.
    await files.link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await files.remove(draft)
  }
  await files.syncFolder(dirname(path))
}

/**
 * Writes a whole text at an offset of a file. The number of written bytes is checked, because write(2) may
 * write less without an error when the disk fills up.
 * @throws Error if fewer bytes were written; a part of the text may then be in the file
 */
export async function writeWhole(file: OpenFile, text: string, offset: number): Promise<void> {
  const bytes = Buffer.from(text)
  const bytesWritten = await file.write(bytes, offset)
  if (bytesWritten === bytes.length) return
  throw new Error(`Only ${bytesWritten} of ${bytes.length} bytes were written: is the disk full?`)
}

/**
 * Yields the whole text of a file in parts. A read stream of Node is not used, because it closes the file when
 * the loop over it ends early.
 */
export async function* streamText(file: Pick<OpenFile, 'read'>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  const part = Buffer.alloc(streamBytes)
  let offset = 0
  for (let bytesRead = await file.read(part, 0); bytesRead > 0; bytesRead = await file.read(part, offset)) {
    offset += bytesRead
    yield decoder.write(part.subarray(0, bytesRead))
  }
  yield decoder.end()
}

/**
 * Syncs a folder to disk, so that new and renamed files in it keep their names after a crash. Syncing a file
 * does not make its name durable.
 */
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

/** Creates a private file and syncs it. Removes the file again if it could not be written in full. */
async function createFile(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

function openFileOf(file: FileHandle): OpenFile {
  return {
    read: async (bytes, offset) => (await file.read(bytes, 0, bytes.length, offset)).bytesRead,
    write: async (bytes, offset) => (await file.write(bytes, 0, bytes.length, offset)).bytesWritten,
    truncate: (length) => file.truncate(length),
    datasync: () => file.datasync(),
    close: () => file.close(),
  }
}
