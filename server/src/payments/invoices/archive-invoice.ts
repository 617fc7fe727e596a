import { fail } from '../../core/errors.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { archive } from './decision-store.ts'

/** Hides an invoice from default lists. The invoice can still be paid. Archiving again changes nothing. */
export async function archiveInvoice(on: Queryable, merchantId: string, id: string): Promise<void> {
  if (!(await archive(on, merchantId, id))) throw fail('not-found', 'No such invoice.')
}
