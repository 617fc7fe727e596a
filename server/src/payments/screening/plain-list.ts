import { ListFormatError } from './list-format.ts'
import type { ListEntry } from './sanctions-list.ts'

/** Maximum number of characters of an address, more than any chain uses. A longer line is not an address. */
const addressCharsMax = 200

/**
 * Reads a list with one address on each line, in chunks. Text after `#` is a remark, and empty lines are
 * skipped.
 */
export class PlainReader {
  readonly #entries: ListEntry[] = []
  #rest = ''
  #line = 0

  /** @throws ListFormatError if a line is not a single address */
  write(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    if (this.#rest.length > 64 * addressCharsMax) this.#take(this.#rest)
  }

  /** @throws ListFormatError if the last line is not a single address */
  end(): readonly ListEntry[] {
    this.#take(this.#rest)
    return this.#entries
  }

  #take(line: string): void {
    this.#line += 1
    const address = (line.split('#', 1)[0] ?? '').trim()
    if (address === '') return
    if (/\s/.test(address) || address.length > addressCharsMax) {
      throw new ListFormatError(`line ${this.#line} is not a single address; comments begin with #`)
    }
    this.#entries.push({ address, code: 'plain', party: undefined })
  }
}
