import sql, { type Sql } from 'sql-template-tag'

/** Kinds of the journals that end a hold without a payment. */
const unpaidKinds = ['withdrawal.failed', 'withdrawal.cancelled', 'withdrawal.failure_charged']

/**
 * Whether a withdrawal ended without a payment, by the journal alone: whoever writes the database can change a row's state, but
 * no journal. A withdrawal that was retaken, because its transaction was mined after all, counts by how its second hold ended.
 * @param id the withdrawal's id as text
 */
export function endedUnpaid(id: Sql): Sql {
  const wasRetaken = sql`exists (select from journal where subject = 'withdrawal:' || ${id} || ':retaken')`
  return sql`exists (
    select from journal
    where kind = any (${unpaidKinds}::text[]) and subject in (
      'withdrawal:' || ${id} || case when ${wasRetaken} then ':released-again' else ':released' end,
      'withdrawal:' || ${id} || case when ${wasRetaken} then ':failure-charged-again' else ':failure-charged' end))`
}
