/**
 * Reads the amounts that merchants were credited for deposits, including deposits that an operator attributed
 * to them.
 */
import sql, { type Sql } from 'sql-template-tag'
import { subjectOfRow } from '../../../payments/deposits/subject-store.ts'

/**
 * Returns SQL that sums credits by merchant and asset.
 * @param deposits the name of a common table expression that selects deposits, with the columns id,
 * inclusion, merchant_id, asset and net_minor
 */
export function creditsOf(deposits: Sql): Sql {
  return sql`
    select merchant_id, asset, sum(minor) as minor from (
      select merchant_id, asset, net_minor as minor from ${deposits} where net_minor is not null
      union all
      -- An attribution's merchant is read from the journal, because the deposit's row does not store it.
      select account.owner_id, account.asset, line.credit
      from ${deposits}
      join attribution on deposit_id = ${deposits}.id
      join journal on journal.subject = ${subjectOfRow('attributed', deposits)}
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id and account.name = 'available'
    ) credited
    group by merchant_id, asset`
}
