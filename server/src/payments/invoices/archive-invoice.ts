import { fail } from '../../core/errors.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { archive } from './decision-store.ts'

/** Hides an invoice from default lists; its addresses and transactions go on as before. Once or often is the same. */
export async function archiveInvoice(on: Queryable, merchantId: string, id: string): Promise<void> {
  if (!(await archive(on, merchantId, id))) throw fail('not-found', 'No such invoice.')
}
