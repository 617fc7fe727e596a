import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'

/** The payment methods and assets that the books contain. */
export interface BookedMethods {
  /** The ids from a given one, ascending. */
  readonly ids: readonly number[]
  readonly assets: readonly string[]
}

/** Reads the counts of invoices and deposits instead of the records, so that the time does not grow with the books. */
export async function readBookedMethods(on: Queryable, firstId: number): Promise<BookedMethods> {
  const row = await one<BookedMethods>(
    on,
    sql`
    with counted (id) as (
      select unnest(payment_method_ids) from invoice_facet_count
      union select unnest(payment_method_ids) from invoice_count_change
      union select payment_method_id from deposit_count
      union select payment_method_id from deposit_count_change
    )
    select coalesce((select array_agg(id order by id) from counted where id >= ${firstId}), '{}') as ids,
      coalesce((select array_agg(distinct asset) from ledger_account), '{}') as assets`,
  )
  return row ?? { ids: [], assets: [] }
}
