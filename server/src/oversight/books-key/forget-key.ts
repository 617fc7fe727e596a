import { recordAudit } from '../../platform/audit/store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { findCarriers, forgetBooksKey } from './books-key-store.ts'

export type Forgotten =
  | { readonly type: 'forgotten' | 'unknown' }
  /** `carriers`: the kinds of rows that carry MACs of the key. */
  | { readonly type: 'carried'; readonly carriers: readonly string[] }

/**
 * Removes a key from the list of books keys, all of which a process needs to start. A key stays on the list
 * if any row carries a MAC of it. The row may be genuine, and only the key can show that.
 */
export async function forgetKey(tx: Tx, id: string, reason: string): Promise<Forgotten> {
  const carriers = await findCarriers(tx, id)
  if (carriers.length > 0) return { type: 'carried', carriers }
  if (!(await forgetBooksKey(tx, id))) return { type: 'unknown' }
  await recordAudit(tx, { action: 'books.key_forgotten', subject: id, details: { reason } })
  return { type: 'forgotten' }
}
