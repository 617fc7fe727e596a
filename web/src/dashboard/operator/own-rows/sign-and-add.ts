import type { Client } from 'coffer-sdk'
import { KeyFileError, openSigner } from './operator-key.ts'

interface ProposedEntry {
  readonly text: string
  /** The encrypted list of nodes of a new network. */
  readonly nodes: string | null
}

/**
 * Signs an entry with the chosen key file and adds it. Nothing is signed before the server has said, to a user who has
 * entered the password, that it would take the entry: a signature that is sent and not stored may be added later by
 * whoever has it.
 * @param file undefined if the server signs
 * @throws KeyFileError if the file has no key
 */
export async function signAndAdd(
  api: Pick<Client, 'checkOwnEntry' | 'addOwnEntry'>,
  file: Pick<File, 'text'> | undefined,
  { text, nodes }: ProposedEntry,
): ReturnType<Client['addOwnEntry']> {
  const unsigned = { text, ...(nodes !== null && { nodes }) }
  if (file === undefined) return api.addOwnEntry({ body: unsigned })
  const sign = await openSigner(await readFile(file))
  await api.checkOwnEntry({ body: unsigned })
  return api.addOwnEntry({ body: { ...unsigned, signature: await sign(text) } })
}

/** The file may have been moved, or the browser may not be allowed to read it. */
async function readFile(file: Pick<File, 'text'>): Promise<string> {
  try {
    return await file.text()
  } catch {
    throw new KeyFileError('The file cannot be read: choose it again.')
  }
}
