/** Checks that the operator's own money was sent only by treasury withdrawals, and as they were ordered. */
import sql from 'sql-template-tag'
import { sqlInvariant } from '../sql-invariant.ts'

/**
 * A treasury withdrawal has the same id as its outgoing transaction. If a dev chain loses its last blocks,
 * the transaction of a completed treasury withdrawal is sent again. The transaction may therefore be in a
 * state before `final`.
 */
export const takenOutOnce = sqlInvariant({
  id: 'M10-treasury-withdrawals',
  title: 'each completed treasury withdrawal was sent by one transaction and booked once, and no other was',
  unit: 'treasury withdrawals',
  examined: sql`select count(*) as examined from treasury_withdrawal`,
  violations: () => sql`
    with booked as (
      select split_part(journal.subject, ':', 2) as id, min(journal.kind) as kind, sum(line.credit) as amount
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id and account.name = 'custody'
      where journal.kind like 'treasury_withdrawal.%'
      group by 1
    ), sent as (
      select id::text, state = 'final' and is_success as is_done,
        state in ('signed', 'broadcast', 'needs_recheck', 'included') as is_open
      from outgoing_transaction where kind = 'treasury_withdrawal'
    )
    select format('treasury withdrawal %s is %s, of %s from %s; its outgoing transaction is %s, booked for it is %s (%s)', id,
      coalesce(treasury_withdrawal.state, 'unknown'), amount_minor, source,
      case when is_done then 'final' when is_open then 'on its way' else 'not sent' end, booked.amount, booked.kind)
      as finding
    from (select id::text, state, amount_minor, source from treasury_withdrawal) treasury_withdrawal
    full join booked using (id)
    full join sent using (id)
    where (case treasury_withdrawal.state
      when 'completed' then (is_done or is_open) and booked.amount = amount_minor
        and booked.kind = 'treasury_withdrawal.' || source
      when 'pending' then is_done is not true and booked.id is null
      when 'failed' then is_done is not true and is_open is not true and booked.id is null
    end) is not true`,
})
