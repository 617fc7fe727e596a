/** What merchants were credited for deposits, the ones that an operator assigned included. */
import sql, { type Sql } from 'sql-template-tag'
import { subjectOfRow } from '../../../payments/deposits/subject-store.ts'

/** By merchant and asset. `deposits` names rows of `transaction` with id, inclusion, merchant_id, asset and net_minor. */
export function creditsOf(deposits: Sql): Sql {
  return sql`
    select merchant_id, asset, sum(minor) as minor from (
      select merchant_id, asset, net_minor as minor from ${deposits} where net_minor is not null
      union all
      -- What an operator assigned is in its journal alone: the transaction stays nobody's.
      select account.owner_id, account.asset, line.credit
      from ${deposits}
      join attribution on transaction_id = ${deposits}.id
      join journal on journal.subject = ${subjectOfRow('attributed', deposits)}
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id and account.name = 'available'
    ) credited
    group by merchant_id, asset`
}
