/**
 * Reads the last booked block, the cursor's block. The node's data up to that height can be compared with the
 * books only if the node has the same block at that height.
 */
import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { ComparedChain, Outcome } from '../invariant.ts'

export interface CursorBlock {
  readonly height: number
  readonly hash: string
}

export function readCursorBlock(on: Queryable, network: string): Promise<CursorBlock | undefined> {
  return one<CursorBlock>(on, sql`select height, hash from chain_cursor where network = ${network}`)
}

const reorganised =
  'the node is on another branch than the cursor; run the check again when the watcher has followed it'

export function unseen(skipped: string): Outcome {
  return { examined: 0, findings: [], skipped }
}

/**
 * Returns the outcome of `read` if the node has the cursor's block (the last booked one) both before and
 * after `read`. Everything that was read up to that block is then on the same branch of the chain as the
 * books. If the node has another block, the outcome is marked as skipped.
 */
export async function whileAt(
  chain: Pick<ComparedChain, 'reader'>,
  cursor: CursorBlock,
  signal: AbortSignal,
  read: () => Promise<Outcome>,
): Promise<Outcome> {
  return (await readWhileAt(chain, cursor, signal, read)) ?? unseen(reorganised)
}

/** Returns the result of `read`, or undefined if the node lacks the cursor's block before or after `read`. */
export async function readWhileAt<T>(
  { reader }: Pick<ComparedChain, 'reader'>,
  { height, hash }: CursorBlock,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T | undefined> {
  const isThere = async () => (await reader.readHeader(height, signal))?.hash === hash
  if (!(await isThere())) return undefined
  const seen = await read().then(
    (outcome) => () => outcome,
    (error: unknown) => () => {
      throw error
    },
  )
  return (await isThere()) ? seen() : undefined
}
