import { ListFormatError } from './list-format.ts'
import type { ListEntry } from './sanctions-list.ts'

/** Longer than an address of any chain; a line beyond it is something else. */
const addressCharsMax = 200

/** Reads one address a line, piece by piece. What follows `#` is a remark; empty lines count for nothing. */
export class PlainReader {
  readonly #entries: ListEntry[] = []
  #rest = ''
  #line = 0

  /** @throws ListFormatError */
  write(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    if (this.#rest.length > 64 * addressCharsMax) this.#take(this.#rest)
  }

  /** @throws ListFormatError */
  end(): readonly ListEntry[] {
    this.#take(this.#rest)
    return this.#entries
  }

  #take(line: string): void {
    this.#line += 1
    const address = (line.split('#', 1)[0] ?? '').trim()
    if (address === '') return
    if (/\s/.test(address) || address.length > addressCharsMax) {
      throw new ListFormatError(`line ${this.#line} is not one address; remarks begin with #`)
    }
    this.#entries.push({ address, code: 'plain', party: undefined })
  }
}
