/** Yields the items in their order, in chunks of at most `itemsMax`. */
export function* chunksOf<T>(items: readonly T[], itemsMax: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += itemsMax) yield items.slice(from, from + itemsMax)
}
