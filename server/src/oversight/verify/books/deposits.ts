/** Checks that the journals of deposits agree with the rows of deposits. */
import sql, { type Sql } from 'sql-template-tag'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Invariant } from '../invariant.ts'
import { methodTable, orphansOf, slicedInvariant, sqlInvariant } from '../sql-invariant.ts'

/**
 * The kinds of journals that take a deposit into custody. The kind of a journal that reverses one of these
 * has the suffix `.reversed`.
 */
const creditKinds = [
  'deposit.credited',
  'deposit.below_minimum',
  'deposit.quarantined',
  'deposit.unattributed',
]

/** The kinds of journals that move the money of a booked deposit to another account. */
const onwardKinds = ['deposit.raised', 'quarantine.released', 'quarantine.seized']

const reversedKinds = creditKinds.map((kind) => `${kind}.reversed`)

const ofCredits = sql`kind = any (${[...creditKinds, ...reversedKinds]})`
const ofDeposits = sql`kind = any (${[...creditKinds, ...onwardKinds]})`

const creditsEqualDepositsViolations = () => sql`
    select format('%s: credited %s, confirmed %s',
      asset, coalesce(credited, 0), coalesce(confirmed, 0)) as finding
    from (
      select account.asset, sum(line.debit - line.credit) as credited
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id and account.name = 'custody'
      where journal.kind = any (${[...creditKinds, ...reversedKinds]})
      group by account.asset
    ) booked
    full join (
      select asset, sum(amount_minor) as confirmed from deposit where state = 'confirmed' group by asset
    ) seen using (asset)
    where coalesce(credited, 0) <> coalesce(confirmed, 0)`

const creditsEqualDeposits = slicedInvariant({
  id: 'M7',
  title: 'credited deposits, less those reverted, are the confirmed transactions',
  unit: 'deposits',
  parts: [
    {
      over: 'deposits',
      tables: ['deposit', 'journal'],
      since: 'deposits',
      examined: sql`select count(*) as examined from deposit where state = 'confirmed'`,
      violations: creditsEqualDepositsViolations,
    },
    orphansOf(['deposits'], 'journal', {
      kinds: ofCredits,
      others: ['deposit'],
      violations: creditsEqualDepositsViolations,
    }),
  ],
})

/**
 * SQL: the journals of deposits that are not reversed. `deposit_id` and `inclusion` come from the subject of
 * the journal.
 */
const postings = sql`
  select journal.id, journal.kind, journal.subject,
    split_part(journal.subject, ':', 2) as deposit_id, split_part(journal.subject, ':', 3) as inclusion
  from journal
  where journal.kind = any (${[...creditKinds, ...onwardKinds]})
    and not exists (select from public.journal reversal where reversal.reverses = journal.id)`

const creditedOnceViolations = () => sql`
    with postings as (${postings}), counted as (
      select deposit_id,
        count(*) filter (where kind = any (${creditKinds})) as credits,
        count(*) filter (where kind = 'deposit.raised') as raises,
        count(*) filter (where kind in ('deposit.below_minimum', 'quarantine.released')) as kept,
        count(*) filter (where kind = 'deposit.quarantined') as held,
        count(*) filter (where kind like 'quarantine.%') as ends,
        min(kind) filter (where kind like 'quarantine.%') as end_kind,
        max(inclusion) as inclusion, min(inclusion) as inclusion_first
      from postings group by deposit_id
    )
    select format('transaction %s is %s (inclusion %s) and has %s credits (inclusion %s), %s of them below the minimum, %s raised, %s in quarantine (%s), %s ended',
      coalesce(deposit.id::text, counted.deposit_id), coalesce(deposit.state, 'unknown'),
      deposit.inclusion, coalesce(credits, 0), counted.inclusion, coalesce(kept, 0), coalesce(raises, 0),
      coalesce(held, 0), coalesce(quarantine, 'never'), coalesce(ends, 0)) as finding
    from deposit full join counted on counted.deposit_id = deposit.id::text
    where coalesce(credits, 0) <> (case when deposit.state = 'confirmed' then 1 else 0 end)
      or coalesce(raises, 0) > coalesce(kept, 0)
      or coalesce(held, 0) <> (case when quarantine is null then 0 else 1 end)
      or coalesce(ends, 0) <> (case when quarantine in ('released', 'seized') then 1 else 0 end)
      or end_kind <> 'quarantine.' || quarantine
      or counted.inclusion <> deposit.inclusion::text
      or counted.inclusion_first <> deposit.inclusion::text
    union all
    select format('transaction %s is of %s and was booked as %s', deposit.id, amount_minor, booked.amount)
    from deposit join (
      select deposit_id, sum(line.debit) as amount
      from postings
      join journal_line line on line.journal_id = postings.id
      join ledger_account account on account.id = line.account_id and account.name = 'custody'
      group by deposit_id
    ) booked on booked.deposit_id = deposit.id::text
    where booked.amount <> amount_minor
    union all
    select format('transfer %s of %s has %s transactions', transfer_key, network, alike.transactions)
    from deposit
    cross join lateral (
      select count(*) as transactions, min(same.id::text) as first from public.deposit same
      where same.network = deposit.network and same.transfer_key = deposit.transfer_key
    ) alike
    where alike.transactions > 1 and first = deposit.id::text`

const creditedOnce = slicedInvariant({
  id: 'M9',
  title: 'each confirmed transfer is credited once, no other is',
  unit: 'deposits',
  parts: [
    {
      over: 'deposits',
      tables: ['deposit', 'journal'],
      since: 'deposits',
      examined: sql`select count(*) as examined from deposit`,
      violations: creditedOnceViolations,
    },
    orphansOf(['deposits'], 'journal', {
      kinds: ofDeposits,
      others: ['deposit'],
      violations: creditedOnceViolations,
    }),
  ],
})

const feeIdentityViolations = (methods: PaymentMethods) => sql`
    with split as (
      select deposit.id, amount_minor, fee_minor, net_minor,
        div(amount_minor - least(amount_minor,
          div(amount_minor * fee_percent_basis_points + 9999, 10000) + fee_flat_minor), balance_step)
          * balance_step as net_expected
      from deposit join ${methodTable(methods)} on method.asset = deposit.asset
      where net_minor is not null or fee_minor is not null
    ), posted as (
      select postings.deposit_id,
        coalesce(sum(line.credit) filter (where account.name = 'available'), 0) as net,
        coalesce(sum(line.credit) filter (where account.name = 'fees'), 0) as fee
      from (${postings}) postings
      join journal_line line on line.journal_id = postings.id
      join ledger_account account on account.id = line.account_id
      where postings.kind in ('deposit.credited', 'deposit.raised', 'quarantine.released')
      group by postings.deposit_id
    )
    select format('transaction %s: gross %s, net %s, fee %s, but by its terms net %s; posted net %s, fee %s',
      split.id, amount_minor, net_minor, fee_minor, net_expected, posted.net, posted.fee) as finding
    from split left join posted on posted.deposit_id = split.id::text
    where (amount_minor = net_minor + fee_minor and fee_minor between 0 and amount_minor
      and net_minor = net_expected and posted.net = net_minor and posted.fee = fee_minor) is not true`

const feeIdentity = slicedInvariant({
  id: 'M12',
  title: 'gross is net plus fee by the agreed terms, and is posted so',
  unit: 'credited transactions',
  parts: [
    {
      over: 'deposits',
      tables: ['deposit', 'journal'],
      since: 'deposits',
      examined: sql`select count(*) as examined from deposit where net_minor is not null`,
      violations: feeIdentityViolations,
    },
  ],
})

/**
 * The quarantined money of a deleted merchant is on the merchant's account `forfeited`. Journals of the kinds
 * `forfeited.quarantine` and `recovered.quarantine` move this money.
 */
const quarantineIsHeld = sqlInvariant({
  id: 'M7-quarantine',
  title: 'the quarantine is the sum of the held payments',
  unit: 'accounts',
  examined: sql`select count(*) as examined from ledger_account where name = 'quarantine'`,
  violations: () => sql`
    select format('%s has %s of %s in quarantine, payments held are %s',
      owner_id, coalesce(booked, 0), asset, coalesce(held, 0)) as finding
    from (
      select account.owner_id, account.asset, sum(line.credit - line.debit) as booked
      from ledger_account account
      join journal_line line on line.account_id = account.id
      join journal on journal.id = line.journal_id
      where account.name = 'quarantine'
        or (account.name = 'forfeited' and journal.kind in ('forfeited.quarantine', 'recovered.quarantine'))
      group by account.owner_id, account.asset
    ) moved
    full join (
      select merchant_id as owner_id, asset, sum(amount_minor) as held
      from deposit where quarantine = 'held' group by merchant_id, asset
    ) known using (owner_id, asset)
    where coalesce(booked, 0) <> coalesce(held, 0)`,
})

/**
 * Returns a query that finds journals with lines on accounts of another owner or another asset.
 * @param moved a query of (id, subject, owner_id, asset): journals, with the owner and the asset that their
 * accounts must have
 */
const onForeignAccounts = (moved: Sql) => () =>
  sql`
  select format('journal %s is about %s of %s and moved %s of %s on %s',
    subject, moved.asset, coalesce(moved.owner_id::text, 'nobody'), account.asset,
    coalesce(account.owner_id::text, 'nobody'), account.name) as finding
  from (${moved}) moved
  join journal_line line on line.journal_id = moved.id
  join ledger_account account on account.id = line.account_id
  where (account.owner_id, account.asset) is distinct from (moved.owner_id, moved.asset)`

const onOwnAccounts = slicedInvariant({
  id: 'M22',
  title: 'each deposit and withdrawal is booked on its own merchant’s accounts, in its own asset',
  unit: 'transactions and withdrawals',
  parts: [
    {
      over: 'deposits',
      tables: ['deposit', 'journal'],
      since: 'deposits',
      examined: sql`select count(*) as examined from deposit`,
      violations: onForeignAccounts(sql`
        select postings.id, postings.subject, deposit.merchant_id as owner_id, deposit.asset
        from (${postings}) postings join deposit on deposit.id::text = postings.deposit_id`),
    },
    {
      over: 'withdrawals',
      tables: ['withdrawal', 'journal'],
      since: 'withdrawals',
      examined: sql`select count(*) as examined from withdrawal`,
      violations: onForeignAccounts(sql`
        select journal.id, journal.subject, withdrawal.merchant_id as owner_id, withdrawal.asset
        from journal join withdrawal on withdrawal.id::text = split_part(journal.subject, ':', 2)
        where journal.kind like 'withdrawal.%'`),
    },
  ],
})

export const depositInvariants: readonly Invariant[] = [
  creditsEqualDeposits,
  creditedOnce,
  feeIdentity,
  quarantineIsHeld,
  onOwnAccounts,
]
