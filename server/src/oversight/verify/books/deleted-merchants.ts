import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { sqlInvariant } from '../sql-invariant.ts'

/**
 * A deleted merchant must have no money available. It could never be paid out, and would always count as
 * owed.
 */
export const deletedHaveNothing: Invariant = sqlInvariant({
  id: 'M8-deleted',
  title: 'a deleted merchant has nothing available, and none recovered more than it forfeited',
  unit: 'deleted merchants',
  examined: sql`select count(*) as examined from merchant where deleted_at is not null`,
  violations: () => sql`
    select format('merchant %s is deleted and has %s %s %s', merchant.id, credits - debits, account.asset,
      account.name) as finding
    from merchant join ledger_account account on account.owner_id = merchant.id
    where deleted_at is not null and account.name in ('available', 'quarantine') and credits <> debits
    union all
    select format('merchant %s has recovered %s %s more than was forfeited', account.owner_id,
      sum(line.debit - line.credit), account.asset)
    from ledger_account account
    join journal_line line on line.account_id = account.id
    join journal on journal.id = line.journal_id
    where account.name = 'forfeited' and split_part(journal.kind, '.', 1) in ('forfeited', 'recovered')
    group by account.id, split_part(journal.kind, '.', 2)
    having sum(line.debit) > sum(line.credit)`,
})
