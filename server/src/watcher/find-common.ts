import { required } from '../core/assert.ts'

/**
 * Returns the highest block that the node has too; undefined if it has none. The blocks are consecutive, highest
 * first, so all blocks below a common one are common too. The search is by bisection, because each step asks a
 * node. Most forks are shallow, so the steps first double from the top.
 */
export async function findCommon<Block>(
  held: readonly Block[],
  isShared: (block: Block) => Promise<boolean>,
): Promise<Block | undefined> {
  const isSharedAt = (depth: number) => isShared(required(held[depth], 'a booked block'))
  const last = held.length - 1
  let differing = -1
  let shared: number | undefined
  for (let depth = 0; depth <= last; depth = depth === last ? depth + 1 : Math.min(2 * depth + 1, last)) {
    if (await isSharedAt(depth)) shared = depth
    if (shared !== undefined) break
    differing = depth
  }
  while (shared !== undefined && shared - differing > 1) {
    const middle = Math.floor((shared + differing) / 2)
    if (await isSharedAt(middle)) shared = middle
    else differing = middle
  }
  return shared === undefined ? undefined : held[shared]
}
