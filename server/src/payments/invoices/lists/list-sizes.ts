import type { FilterSize, InvoiceFilter } from './list-filter.ts'

const entriesMax = 2_000

/**
 * Remembers how many rows recent filters matched. The sizes are used only to choose a plan, so an outdated
 * size costs time but never gives a wrong result.
 */
export class ListSizes {
  readonly #sizes = new Map<string, FilterSize>()

  get(filter: InvoiceFilter): FilterSize | undefined {
    return this.#sizes.get(keyOf(filter))
  }

  /**
   * Stores the size of a filter. If the size differs much from the stored size, the entry is deleted. The
   * next request then reads the size again.
   */
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
