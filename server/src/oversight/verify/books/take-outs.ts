/** The operator's own money left as it was ordered, and no more of it. */
import sql from 'sql-template-tag'
import { sqlInvariant } from '../sql-invariant.ts'

/** A take-out has its payout's id. A dev chain that lost its tail has a booked one sent again: then it is on its way. */
export const takenOutOnce = sqlInvariant({
  id: 'M10-take-outs',
  title: 'each completed take-out was sent by one transaction and booked once, and no other was',
  unit: 'take-outs',
  examined: sql`select count(*) as examined from take_out`,
  breaches: () => sql`
    with booked as (
      select split_part(journal.subject, ':', 2) as id, min(journal.kind) as kind, sum(line.credit) as amount
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id and account.name = 'custody'
      where journal.kind like 'taken_out.%'
      group by 1
    ), sent as (
      select id::text, state = 'final' and is_success as is_done,
        state in ('signed', 'broadcast', 'in_doubt', 'included') as is_open
      from payout where kind = 'take_out'
    )
    select format('take-out %s is %s, of %s from %s; its payout is %s, booked for it is %s (%s)', id,
      coalesce(take_out.state, 'unknown'), amount_minor, source,
      case when is_done then 'final' when is_open then 'on its way' else 'not sent' end, booked.amount, booked.kind)
      as finding
    from (select id::text, state, amount_minor, source from take_out) take_out
    full join booked using (id)
    full join sent using (id)
    where (case take_out.state
      when 'completed' then (is_done or is_open) and booked.amount = amount_minor
        and booked.kind = 'taken_out.' || source
      when 'pending' then is_done is not true and booked.id is null
      when 'failed' then is_done is not true and is_open is not true and booked.id is null
    end) is not true`,
})
