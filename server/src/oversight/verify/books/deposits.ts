/** What the books say of deposits is what the transactions say. */
import sql, { type Sql } from 'sql-template-tag'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Invariant } from '../invariant.ts'
import { methodTable, slicedInvariant, sqlInvariant, straysOf } from '../sql-invariant.ts'

/** The journals that take a deposit into custody; each has a reversal kind with `.reversed` behind. */
const creditKinds = [
  'deposit.credited',
  'deposit.below_minimum',
  'deposit.quarantined',
  'deposit.unattributed',
]

/** The journals that book one of these further. */
const onwardKinds = ['deposit.raised', 'quarantine.released', 'quarantine.seized']

const reversedKinds = creditKinds.map((kind) => `${kind}.reversed`)

const ofCredits = sql`kind = any (${[...creditKinds, ...reversedKinds]})`
const ofDeposits = sql`kind = any (${[...creditKinds, ...onwardKinds]})`

const creditsEqualTransactionsBreaches = () => sql`
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
      select asset, sum(amount_minor) as confirmed from transaction where state = 'confirmed' group by asset
    ) seen using (asset)
    where coalesce(credited, 0) <> coalesce(confirmed, 0)`

const creditsEqualTransactions = slicedInvariant({
  id: 'M7',
  title: 'deposits credited, less those taken back, are the confirmed transactions',
  unit: 'transactions',
  parts: [
    {
      over: 'transactions',
      tables: ['transaction', 'journal'],
      since: 'transactions',
      examined: sql`select count(*) as examined from transaction where state = 'confirmed'`,
      breaches: creditsEqualTransactionsBreaches,
    },
    straysOf(['transactions'], 'journal', {
      kinds: ofCredits,
      others: ['transaction'],
      breaches: creditsEqualTransactionsBreaches,
    }),
  ],
})

/** Deposit journals that no reversal has taken back, with the transaction and the inclusion from their subject. */
const standing = sql`
  select journal.id, journal.kind, journal.subject,
    split_part(journal.subject, ':', 2) as transaction_id, split_part(journal.subject, ':', 3) as inclusion
  from journal
  where journal.kind = any (${[...creditKinds, ...onwardKinds]})
    and not exists (select from public.journal reversal where reversal.reverses = journal.id)`

const creditedOnceBreaches = () => sql`
    with standing as (${standing}), counted as (
      select transaction_id,
        count(*) filter (where kind = any (${creditKinds})) as credits,
        count(*) filter (where kind = 'deposit.raised') as raises,
        count(*) filter (where kind in ('deposit.below_minimum', 'quarantine.released')) as kept,
        count(*) filter (where kind = 'deposit.quarantined') as held,
        count(*) filter (where kind like 'quarantine.%') as ends,
        min(kind) filter (where kind like 'quarantine.%') as end_kind,
        max(inclusion) as inclusion, min(inclusion) as inclusion_first
      from standing group by transaction_id
    )
    select format('transaction %s is %s (inclusion %s) and has %s credits (inclusion %s), %s of them below the minimum, %s raised, %s in quarantine (%s), %s ended',
      coalesce(transaction.id::text, counted.transaction_id), coalesce(transaction.state, 'unknown'),
      transaction.inclusion, coalesce(credits, 0), counted.inclusion, coalesce(kept, 0), coalesce(raises, 0),
      coalesce(held, 0), coalesce(quarantine, 'never'), coalesce(ends, 0)) as finding
    from transaction full join counted on counted.transaction_id = transaction.id::text
    where coalesce(credits, 0) <> (case when transaction.state = 'confirmed' then 1 else 0 end)
      or coalesce(raises, 0) > coalesce(kept, 0)
      or coalesce(held, 0) <> (case when quarantine is null then 0 else 1 end)
      or coalesce(ends, 0) <> (case when quarantine in ('released', 'seized') then 1 else 0 end)
      or end_kind <> 'quarantine.' || quarantine
      or counted.inclusion <> transaction.inclusion::text
      or counted.inclusion_first <> transaction.inclusion::text
    union all
    select format('transaction %s is of %s and was booked as %s', transaction.id, amount_minor, booked.amount)
    from transaction join (
      select transaction_id, sum(line.debit) as amount
      from standing
      join journal_line line on line.journal_id = standing.id
      join ledger_account account on account.id = line.account_id and account.name = 'custody'
      group by transaction_id
    ) booked on booked.transaction_id = transaction.id::text
    where booked.amount <> amount_minor
    union all
    select format('transfer %s of %s has %s transactions', transfer_key, network, alike.transactions)
    from transaction
    cross join lateral (
      select count(*) as transactions, min(same.id::text) as first from public.transaction same
      where same.network = transaction.network and same.transfer_key = transaction.transfer_key
    ) alike
    where alike.transactions > 1 and first = transaction.id::text`

const creditedOnce = slicedInvariant({
  id: 'M9',
  title: 'each confirmed transfer is credited once, no other is',
  unit: 'transactions',
  parts: [
    {
      over: 'transactions',
      tables: ['transaction', 'journal'],
      since: 'transactions',
      examined: sql`select count(*) as examined from transaction`,
      breaches: creditedOnceBreaches,
    },
    straysOf(['transactions'], 'journal', {
      kinds: ofDeposits,
      others: ['transaction'],
      breaches: creditedOnceBreaches,
    }),
  ],
})

const feeIdentityBreaches = (methods: PaymentMethods) => sql`
    with split as (
      select transaction.id, amount_minor, fee_minor, net_minor,
        div(amount_minor - least(amount_minor,
          div(amount_minor * fee_percent_basis_points + 9999, 10000) + fee_flat_minor), balance_step)
          * balance_step as net_expected
      from transaction join ${methodTable(methods)} on method.asset = transaction.asset
      where net_minor is not null or fee_minor is not null
    ), posted as (
      select standing.transaction_id,
        coalesce(sum(line.credit) filter (where account.name = 'available'), 0) as net,
        coalesce(sum(line.credit) filter (where account.name = 'fees'), 0) as fee
      from (${standing}) standing
      join journal_line line on line.journal_id = standing.id
      join ledger_account account on account.id = line.account_id
      where standing.kind in ('deposit.credited', 'deposit.raised', 'quarantine.released')
      group by standing.transaction_id
    )
    select format('transaction %s: gross %s, net %s, fee %s, but by its terms net %s; posted net %s, fee %s',
      split.id, amount_minor, net_minor, fee_minor, net_expected, posted.net, posted.fee) as finding
    from split left join posted on posted.transaction_id = split.id::text
    where (amount_minor = net_minor + fee_minor and fee_minor between 0 and amount_minor
      and net_minor = net_expected and posted.net = net_minor and posted.fee = fee_minor) is not true`

const feeIdentity = slicedInvariant({
  id: 'M12',
  title: 'gross is net and fee, by the terms agreed, and is posted so',
  unit: 'credited transactions',
  parts: [
    {
      over: 'transactions',
      tables: ['transaction', 'journal'],
      since: 'transactions',
      examined: sql`select count(*) as examined from transaction where net_minor is not null`,
      breaches: feeIdentityBreaches,
    },
  ],
})

/** Of a deleted merchant it lies on its forfeited account, marked as what it was. */
const quarantineIsHeld = sqlInvariant({
  id: 'M7-quarantine',
  title: 'what is in quarantine is the sum of the payments that are held',
  unit: 'accounts',
  examined: sql`select count(*) as examined from ledger_account where name = 'quarantine'`,
  breaches: () => sql`
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
      from transaction where quarantine = 'held' group by merchant_id, asset
    ) known using (owner_id, asset)
    where coalesce(booked, 0) <> coalesce(held, 0)`,
})

/** @param moved a query of (id, subject, owner_id, asset): journals with whose money they are about */
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
  title: 'what a deposit or a withdrawal moved is on its own merchant’s accounts, in its own asset',
  unit: 'transactions and withdrawals',
  parts: [
    {
      over: 'transactions',
      tables: ['transaction', 'journal'],
      since: 'transactions',
      examined: sql`select count(*) as examined from transaction`,
      breaches: onForeignAccounts(sql`
        select standing.id, standing.subject, transaction.merchant_id as owner_id, transaction.asset
        from (${standing}) standing join transaction on transaction.id::text = standing.transaction_id`),
    },
    {
      over: 'withdrawals',
      tables: ['withdrawal', 'journal'],
      since: 'withdrawals',
      examined: sql`select count(*) as examined from withdrawal`,
      breaches: onForeignAccounts(sql`
        select journal.id, journal.subject, withdrawal.merchant_id as owner_id, withdrawal.asset
        from journal join withdrawal on withdrawal.id::text = split_part(journal.subject, ':', 2)
        where journal.kind like 'withdrawal.%'`),
    },
  ],
})

export const depositInvariants: readonly Invariant[] = [
  creditsEqualTransactions,
  creditedOnce,
  feeIdentity,
  quarantineIsHeld,
  onOwnAccounts,
]
