import type { FilterSize, InvoiceFilter } from './list-filter.ts'

const entriesMax = 2_000

/**
 * How much the filters asked for lately let through: only to choose how a page is read. What is out of date costs
 * time, never a wrong answer.
 */
export class ListSizes {
  readonly #sizes = new Map<string, FilterSize>()

  get(filter: InvoiceFilter): FilterSize | undefined {
    return this.#sizes.get(keyOf(filter))
  }

  /** Forgets what has changed much since it was learned, so that it is learned anew. */
  note(filter: InvoiceFilter, size: FilterSize): void {
    const key = keyOf(filter)
    const known = this.#sizes.get(key)
    if (known === undefined) {
      this.#sizes.set(key, size)
      const [oldest] = this.#sizes.keys()
      if (this.#sizes.size > entriesMax && oldest !== undefined) this.#sizes.delete(oldest)
    } else if (size.total > known.total * 2 + 100 || size.total * 2 + 100 < known.total) {
      this.#sizes.delete(key)
    }
  }
}

function keyOf(filter: InvoiceFilter): string {
  return JSON.stringify(filter, (_name, value) => (typeof value === 'bigint' ? value.toString() : value))
}
