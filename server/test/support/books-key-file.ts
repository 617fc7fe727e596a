import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes a key of the books into a folder, for processes that share a database, and returns the path of the
 * file.
 */
export async function writeBooksKey(folder: string): Promise<string> {
  const path = join(folder, 'shared-books.key')
  await writeFile(path, `${'b0'.repeat(32)}\n`, { mode: 0o600 })
  return path
}
