/** Checks that the states and displayed amounts of invoices, deposits and balances are consistent. */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { methodTable, slicedInvariant } from '../sql-invariant.ts'

/**
 * `amount_usd` is in units of 10^-8 USD, and `price` is in units of 10^-12 USD. The factor of 10000 in the
 * query converts the first unit into the second.
 */
const roundingSides = slicedInvariant({
  id: 'M13',
  title:
    'payers are asked for the amount due, rounded up to the displayed precision; displayed balances are exact',
  unit: 'quotes and balances',
  parts: [
    {
      over: 'quotes',
      tables: ['quote'],
      since: 'newer',
      examined: sql`select count(*) as examined from quote`,
      violations: (methods) => sql`
        select format('quote %s asks for %s at price %s, invoice %s is for %s',
          quote.id, full_minor, price, invoice.id, amount_usd) as finding
        from quote
        join invoice on invoice.id = quote.invoice_id
        join ${methodTable(methods)} on method.id = quote.payment_method_id
        where full_minor * price < amount_usd * unit * 10000
          or (full_minor - payer_step) * price >= amount_usd * unit * 10000`,
    },
    {
      examined: sql`select count(*) as examined from ledger_account where name in ('available', 'held')`,
      violations: (methods) => sql`
        select format('%s of %s in %s has %s, more precise than what is displayed', name, owner_id, asset, credits - debits) as finding
        from ledger_account account join ${methodTable(methods)} using (asset)
        where name in ('available', 'held') and mod(credits - debits, balance_step) <> 0`,
    },
  ],
})

const statesAreConsistent = slicedInvariant({
  id: 'M16',
  title: 'the state of each transaction and invoice matches its other data',
  unit: 'transactions and invoices',
  parts: [
    {
      over: 'deposits',
      tables: ['deposit'],
      since: 'deposits',
      examined: sql`select count(*) as examined from deposit`,
      violations: () => sql`
    select format('transaction %s is %s: %s', id, state, error) as finding
    from deposit cross join lateral (values
      ((state = 'confirmed') <> (confirmed_at is not null), 'its time of confirmation does not match'),
      (state = 'confirmed' and block_height is null, 'it is in no block'),
      (num_nulls(block_height, block_hash, included_at) not in (0, 3), 'its block is incomplete'),
      (num_nulls(fee_minor, net_minor) = 1, 'its split is incomplete'),
      (state <> 'confirmed' and (net_minor is not null or below_minimum), 'it is booked'),
      (state = 'confirmed' and merchant_id is not null and net_minor is null and not below_minimum
        and coalesce(quarantine, 'released') = 'released' and not exists (
          select from journal where kind = 'deposit.unattributed' and subject = format('deposit:%s:%s', deposit.id, inclusion)
        )
        and not exists (
          select from journal
          join journal_line line on line.journal_id = journal.id
          join ledger_account account on account.id = line.account_id and account.name = 'unattributed'
          where kind = 'quarantine.released' and subject = format('quarantine:%s:%s', deposit.id, inclusion)
        ),
        'it is credited to nobody'),
      (quarantine = 'held' and aml_verdict in ('passed') is not false, 'it is held, though its sender passed'),
      (quarantine is null and state = 'confirmed' and net_minor is not null and aml_verdict <> 'passed',
        'it is credited, though its sender did not pass'),
      (merchant_id is null and (net_minor is not null or below_minimum), 'it belongs to nobody and is booked'),
      (inclusion = 0 and (first_seen_at is null or block_height is not null), 'it was never seen anywhere'),
      (block_height is not null and num_nonnulls(unseen_since, replaced_by, replaced_height) > 0,
        'it is in a block, and lost or replaced'),
      (state = 'failed' and block_height is null and replaced_height is null, 'no block replaced it'),
      (replaced_height > (select height from chain_cursor where network = deposit.network),
        'the block that replaced it is not canonical')
    ) check_of (is_broken, error)
    where is_broken
    union all
    select format('transaction %s of merchant %s pays invoice %s of merchant %s',
      deposit.id, deposit.merchant_id, invoice.id, invoice.merchant_id)
    from deposit join invoice on invoice.id = deposit.invoice_id
    where deposit.merchant_id <> invoice.merchant_id`,
    },
    {
      over: 'invoices',
      tables: ['invoice'],
      since: 'invoices',
      examined: sql`select count(*) as examined from invoice`,
      violations: () => sql`
    select format('invoice %s is %s: %s', id, state, error) as finding
    from invoice cross join lateral (values
      ((state = 'paid') <> (paid_at is not null), 'its time of payment does not match'),
      (state = 'paid' and paid_periods < 1 and closed_at is null, 'it was never counted as paid'),
      (state = 'expired' and closed_at is null and expires_at is null, 'it does not expire'),
      (state = 'expired' and closed_at is null and expires_at > coffer_now(), 'it has not expired yet'),
      (state = 'pending' and closed_at is not null, 'it is closed'),
      (aml_ok <> (type = 'withdraw' or not exists (
        select from deposit where invoice_id = invoice.id and block_height is not null
          and aml_verdict not in ('passed', 'implausible') and quarantine is distinct from 'released'
      )), 'its amlOk does not match'),
      (type = 'reusable' and state <> 'paid' and exists (
        select from full_payment where invoice_id = invoice.id
      ), 'its merchant was notified of a full payment'),
      (state = 'paid' and type <> 'withdraw' and not exists (
        select from deposit where invoice_id = invoice.id and block_height is not null
      ), 'no payment of it is in a block')
    ) check_of (is_broken, error)
    where is_broken`,
    },
  ],
})

export const stateInvariants: readonly Invariant[] = [roundingSides, statesAreConsistent]
