/**
 * Groups items in order. A group ends when `isFull` returns true. If reading fails, the items before the
 * error form the last group, and then the error is thrown.
 */
export async function* inGroups<T>(
  items: AsyncIterable<T>,
  isFull: (group: readonly T[]) => boolean,
): AsyncGenerator<readonly T[]> {
  let group: T[] = []
  try {
    for await (const item of items) {
      group.push(item)
      if (!isFull(group)) continue
      yield group
      group = []
    }
  } catch (error) {
    if (group.length > 0) yield group
    throw error
  }
  if (group.length > 0) yield group
}
