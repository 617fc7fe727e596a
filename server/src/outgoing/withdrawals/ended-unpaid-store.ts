import sql, { type Sql } from 'sql-template-tag'

/** The kinds of journals that end a hold without a payment. */
const unpaidKinds = ['withdrawal.failed', 'withdrawal.cancelled', 'withdrawal.failure_charged']

/**
 * SQL condition: the withdrawal ended without a payment. The condition reads the journals alone, because
 * whoever can write to the database can change the state of a row, but not a journal. If the withdrawal was
 * held a second time, the end of its second hold decides.
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
