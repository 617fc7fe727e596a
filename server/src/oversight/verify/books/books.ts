/**
 * Checks that the ledger is consistent in itself: journals balance, totals match lines, and no account is
 * overdrawn.
 */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant, summedInvariant } from '../sql-invariant.ts'

const journalsBalance = slicedInvariant({
  id: 'M1',
  title: 'each journal balances',
  unit: 'journals',
  parts: [
    {
      over: 'journals',
      tables: ['journal', 'journal_line'],
      since: 'newer',
      examined: sql`select count(*) as examined from journal`,
      violations: () => sql`
    select format('journal %s (%s) is off by %s %s',
      journal.id, journal.subject, sum(line.debit - line.credit), account.asset) as finding
    from journal
    join journal_line line on line.journal_id = journal.id
    join ledger_account account on account.id = line.account_id
    group by journal.id, journal.subject, account.asset
    having sum(line.debit) <> sum(line.credit)
    union all
    select format('journal %s (%s) has %s lines', journal.id, journal.subject, count(line.ordinal))
    from journal left join journal_line line on line.journal_id = journal.id
    group by journal.id, journal.subject
    having count(line.ordinal) < 2`,
    },
  ],
})

const booksBalance = summedInvariant({
  id: 'M2',
  title: 'debits equal credits over all accounts and over all lines',
  unit: 'assets',
  examined: sql`select count(distinct asset) as examined from ledger_account`,
  violations: (summed) => sql`
    select format('%s: the accounts have debits of %s and credits of %s', asset, sum(debits), sum(credits)) as finding
    from ledger_account
    group by asset
    having sum(debits) <> sum(credits)
    union all
    select format('%s: the lines have debits of %s and credits of %s', asset, sum(debit), sum(credit))
    from (${summed}) line join ledger_account account on account.id = line.account_id
    group by asset
    having sum(debit) <> sum(credit)`,
})

const totalsAreTrue = summedInvariant({
  id: 'M3',
  title: 'the totals of each account are the sums of its lines',
  unit: 'accounts',
  examined: sql`select count(*) as examined from ledger_account`,
  violations: (summed) => sql`
    select format('%s of %s in %s says debits %s and credits %s, its lines say %s and %s',
      account.name, coalesce(owner_id::text, 'the platform'), asset, debits, credits,
      coalesce(summed.debit, 0), coalesce(summed.credit, 0)) as finding
    from ledger_account account
    left join (${summed}) summed on summed.account_id = account.id
    where debits <> coalesce(summed.debit, 0) or credits <> coalesce(summed.credit, 0)`,
})

const noOverdraft = summedInvariant({
  id: 'M4',
  title: 'no merchant account is below zero, and none has money and a negative balance in the same asset',
  unit: 'accounts',
  examined: sql`
    select count(*) as examined from ledger_account
    where name in ('available', 'held', 'quarantine') or name = 'receivable' and owner_id is not null`,
  violations: (summed) => sql`
    with balance as (
      select account.name, owner_id, asset,
        case account.name when 'receivable' then sum(debit - credit) else sum(credit - debit) end as amount
      from ledger_account account join (${summed}) line on line.account_id = account.id
      where account.name in ('available', 'held', 'quarantine')
        or account.name = 'receivable' and owner_id is not null
      group by account.id
    )
    select format('%s of %s in %s is at %s', name, owner_id, asset, amount) as finding
    from balance where amount < 0
    union all
    select format('%s owes %s of %s and has %s available', owner_id, owed.amount, asset, available.amount)
    from balance owed join balance available using (owner_id, asset)
    where owed.name = 'receivable' and owed.amount > 0 and available.name = 'available' and available.amount > 0`,
})

export const bookInvariants: readonly Invariant[] = [
  journalsBalance,
  booksBalance,
  totalsAreTrue,
  noOverdraft,
]
