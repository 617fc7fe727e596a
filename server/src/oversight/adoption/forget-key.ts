import { recordAudit } from '../../platform/audit/store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { findCarriers, forgetBooksKey } from './books-key-store.ts'

export type Forgotten =
  | { readonly type: 'forgotten' | 'unknown' }
  /** @property carriers what carries MACs under it, in words */
  | { readonly type: 'carried'; readonly carriers: readonly string[] }

/**
 * Takes a key off the list of those that every start asks for. One under which anything carries a MAC stays on it: that may be
 * genuine, and without the key nothing could tell.
 */
export async function forgetKey(tx: Tx, id: string, reason: string): Promise<Forgotten> {
  const carriers = await findCarriers(tx, id)
  if (carriers.length > 0) return { type: 'carried', carriers }
  if (!(await forgetBooksKey(tx, id))) return { type: 'unknown' }
  await recordAudit(tx, { action: 'books.key_forgotten', subject: id, details: { reason } })
  return { type: 'forgotten' }
}
