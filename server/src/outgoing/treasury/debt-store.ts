import sql from 'sql-template-tag'
import { one, type Queryable } from '../../platform/db/pool.ts'
import { offsetOf, type Paging } from '../../platform/http/wire.ts'

/** The amount that a merchant owes in one asset. */
export interface Debt {
  readonly merchantId: string
  readonly merchantName: string
  readonly asset: string
  readonly amountMinor: bigint
  /** When the present debt began. Directly before that time, the merchant owed nothing in this asset. */
  readonly since: Date
}

/**
 * Selects the accounts of merchants that owe something. These accounts are found fast: the unique index of
 * accounts begins with the name, and only merchants that once owed something have an account named
 * `receivable`. Current debts have no index, because every posting would have to change the index. PostgreSQL
 * could then not update the rows of accounts in place (HOT).
 */
const owing = sql`
  ledger_account account join merchant on merchant.id = account.owner_id
  where account.name = 'receivable' and account.debits > account.credits`

/** Lists debts by merchant name, and the debts of one merchant by asset. */
export async function listDebts(
  on: Queryable,
  paging: Paging,
): Promise<{ readonly debts: readonly Debt[]; readonly total: number }> {
  const rows = await on.query<DebtRow>(sql`
    with listed as (
      select account.id, merchant.id as merchant_id, merchant.name, asset, debits - credits as amount from ${owing}
      order by merchant.name, merchant.id, asset limit ${paging.limit} offset ${offsetOf(paging)}
    )
    select merchant_id, name, asset, amount, (
      with line as (
        select posted_at, sum(debit - credit) over (order by posted_at, journal_id, ordinal) as owed
        from journal_line join journal on journal.id = journal_id where account_id = listed.id
      )
      select min(posted_at) from line
      where owed > 0 and posted_at >= coalesce((select max(posted_at) from line where owed <= 0), '-infinity')
    ) as since
    from listed order by name, merchant_id, asset`)
  const counted = await one<{ total: number }>(on, sql`select count(*) as total from ${owing}`)
  return { debts: rows.map(toDebt), total: counted?.total ?? 0 }
}

interface DebtRow {
  readonly merchant_id: string
  readonly name: string
  readonly asset: string
  readonly amount: string
  readonly since: Date
}

function toDebt({ merchant_id, name, asset, amount, since }: DebtRow): Debt {
  return { merchantId: merchant_id, merchantName: name, asset, amountMinor: BigInt(amount), since }
}
