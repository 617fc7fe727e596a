import { createHash } from 'node:crypto'
import { limits } from '../../core/limits.ts'
import { ListFormatError } from './list-format.ts'
import { PlainReader } from './plain-list.ts'
import type { ListEntry } from './sanctions-list.ts'
import { SdnReader } from './sdn-list.ts'

export interface ReadList {
  readonly entries: readonly ListEntry[]
  /** SHA-256 of the bytes as they were received. */
  readonly sha256: Buffer
}

/**
 * Reads a list. Only the entries are kept in memory, not the text. A list that begins with `<` is read as
 * OFAC's XML (`sdn_advanced.xml`), any other list as text with one address on each line.
 * @throws ListFormatError if the content is in neither format, or was cut off
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
    if (bytes > limits.sanctionsListBytes)
      throw new ListFormatError('it is larger than the limit for sanctions lists')
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
    throw new ListFormatError('it is not valid UTF-8')
  }
}
