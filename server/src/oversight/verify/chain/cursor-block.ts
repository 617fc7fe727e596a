/** Where the books end: what the chain is asked at a height means something only while it has our block there. */
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

const reorganised = 'the node is on another branch than the cursor, look again when it has been followed'

export function unseen(skipped: string): Outcome {
  return { examined: 0, findings: [], skipped }
}

/**
 * What `look` finds, if the node has the cursor's block before it and after it: then all that was seen up to there is of
 * our branch, and what contradicts itself is a fault of the node.
 */
export async function whileAt(
  chain: Pick<ComparedChain, 'reader'>,
  cursor: CursorBlock,
  signal: AbortSignal,
  look: () => Promise<Outcome>,
): Promise<Outcome> {
  return (await lookWhileAt(chain, cursor, signal, look)) ?? unseen(reorganised)
}

/** The same for whatever is looked for; undefined where the node is on another branch. */
export async function lookWhileAt<T>(
  { reader }: Pick<ComparedChain, 'reader'>,
  { height, hash }: CursorBlock,
  signal: AbortSignal,
  look: () => Promise<T>,
): Promise<T | undefined> {
  const isThere = async () => (await reader.readHeader(height, signal))?.hash === hash
  if (!(await isThere())) return undefined
  const seen = await look().then(
    (outcome) => () => outcome,
    (error: unknown) => () => {
      throw error
    },
  )
  return (await isThere()) ? seen() : undefined
}
