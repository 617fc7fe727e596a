import { createHash } from 'node:crypto'
import { limits } from '../../core/limits.ts'
import { ListFormatError } from './list-format.ts'
import { PlainReader } from './plain-list.ts'
import type { ListEntry } from './sanctions-list.ts'
import { SdnReader } from './sdn-list.ts'

export interface ReadList {
  readonly entries: readonly ListEntry[]
  /** Of the bytes as they came. */
  readonly sha256: Buffer
}

/**
 * Reads a list in constant memory beside its entries: XML as OFAC publishes it (`sdn_advanced.xml`), told by its first
 * character, else one address a line.
 * @throws ListFormatError where it is neither, or cut
 */
export async function readList(chunks: AsyncIterable<Uint8Array>): Promise<ReadList> {
  const hash = createHash('sha256')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let reader: SdnReader | PlainReader | undefined
  let head = ''
  let bytes = 0
  const take = (text: string) => {
    if (reader !== undefined) return reader.write(text)
    head += text
    const first = head.trimStart().charAt(0)
    if (first === '') return
    reader = first === '<' ? new SdnReader() : new PlainReader()
    reader.write(head)
  }
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > limits.sanctionsListBytes) throw new ListFormatError('it is too long for a sanctions list')
    hash.update(chunk)
    take(decode(() => decoder.decode(chunk, { stream: true })))
  }
  take(decode(() => decoder.decode()))
  return { entries: reader?.end() ?? [], sha256: hash.digest() }
}

function decode(step: () => string): string {
  try {
    return step()
  } catch {
    throw new ListFormatError('it is not text in UTF-8')
  }
}
