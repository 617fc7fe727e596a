/**
 * Checks that each negative balance has a valid cause: a credit was reversed, a restored database lacked a payment
 * that is still in the signer's log, or an operator booked a payment whose order was lost. Also checks that unattributed money went to the owner
 * that an operator named.
 */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { methodTable, sqlInvariant } from '../sql-invariant.ts'

/**
 * A `receivable.owed` journal has the subject `owed:<account>:<subject of the journal that caused the debt>`.
 */
const debtsTieToReversals = sqlInvariant({
  id: 'M4-debts',
  title:
    'each negative balance results from a reverted credit, a payment that the signer knew or a booked outflow, and none is repaid beyond its amount',
  unit: 'debts',
  examined: sql`select count(*) as examined from journal where kind = 'receivable.owed'`,
  violations: () => sql`
    select format('journal %s books a negative balance, but %s', owed.subject,
      case when cause.id is null then 'its cause is not in the books'
        else 'its cause reverts nothing, and is neither a withdrawal that was signed and lost nor an outflow that an operator booked' end) as finding
    from journal owed
    left join journal cause on cause.subject = substring(owed.subject from '^owed:[^:]*:(.*)$')
    where owed.kind = 'receivable.owed' and cause.reverses is null
      and not exists (
        select from audit_entry
        where action = 'withdrawal.retaken' and subject = split_part(cause.subject, ':', 2)
          and cause.kind in ('withdrawal.requested', 'withdrawal.retaken'))
      and not exists (
        select from audit_entry
        where action = 'payouts.outflow_booked' and subject = split_part(cause.subject, ':', 2)
          and cause.kind = 'outflow.merchant')
    union all
    select format('journal %s (%s) has %s on the negative balance of %s in %s', journal.subject, journal.kind,
      case when line.debit > 0 then 'a debit' else 'a credit' end, account.owner_id, account.asset)
    from journal_line line
    join ledger_account account on account.id = line.account_id and account.name = 'receivable'
    join journal on journal.id = line.journal_id
    where (line.debit > 0) <> (journal.kind = 'receivable.owed')
      or line.credit > 0 and journal.kind not in ('receivable.repaid', 'receivable.written_off')
    union all
    select format('%s has repaid %s of %s more than it owed', owner_id, credits - debits, asset)
    from ledger_account where name = 'receivable' and credits > debits`,
})

/**
 * Money that is attributed to a merchant is not booked if the merchant is deleted at the time of the
 * attribution. If the merchant was deleted only later, the money is booked, and a journal shows this. Money that
 * was attributed before a reorganisation may be in quarantine afterwards.
 */
const attributedAsSaid = sqlInvariant({
  id: 'M9-owners',
  title: 'unattributed money went to the owner that was named, once for each inclusion',
  unit: 'attributions',
  examined: sql`select count(*) as examined from attribution`,
  violations: (methods) => sql`
    with posted as (
      select journal.id, journal.kind, journal.subject,
        split_part(subject, ':', 2) as deposit_id, split_part(subject, ':', 3) as inclusion,
        coalesce(sum(line.debit) filter (where account.name = 'unattributed'), 0) as taken,
        coalesce(sum(line.credit) filter (where account.name = 'capital'), 0) as capital,
        coalesce(sum(line.credit) filter (where account.name = 'available'), 0) as net,
        coalesce(sum(line.credit) filter (where account.name = 'fees'), 0) as fee,
        -- If the fee takes the whole amount, nothing becomes available, so the owner of the fee line counts.
        (array_agg(account.owner_id) filter (where account.name in ('available', 'fees')))[1] as owner_id
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id
      where kind in ('attributed.merchant', 'attributed.capital')
        and not exists (select from journal reversal where reversal.reverses = journal.id)
      group by journal.id
    ), expected as (
      select attribution.deposit_id::text, attribution.merchant_id, deposit.inclusion::text, state, net_minor,
        amount_minor, merchant.deleted_at is not null as is_deleted,
        coalesce(quarantine in ('held', 'seized'), false) as is_quarantined,
        div(amount_minor - least(amount_minor,
          div(amount_minor * attribution.fee_percent_basis_points + 9999, 10000) + attribution.fee_flat_minor),
          balance_step) * balance_step as net_expected
      from attribution
      join deposit on deposit.id = attribution.deposit_id
      join ${methodTable(methods)} on method.asset = deposit.asset
      left join merchant on merchant.id = attribution.merchant_id
    )
    select format('transaction %s (%s) is attributed to %s; booked for it: taken %s, capital %s, net %s and fee %s of %s',
      deposit_id, coalesce(state, 'unknown'), coalesce(expected.merchant_id::text, 'the operator'),
      taken, capital, net, fee, coalesce(posted.owner_id::text, 'nobody')) as finding
    from expected full join posted using (deposit_id)
    where (case
      when posted.id is null then state <> 'confirmed' or is_deleted or net_minor is not null or is_quarantined
      when expected.merchant_id is null then capital = amount_minor
      else posted.owner_id = expected.merchant_id and net = net_expected and net + fee = amount_minor
    end and (posted.id is null or state = 'confirmed' and taken = amount_minor
      and posted.inclusion = expected.inclusion)) is not true`,
})

/** A payment in an asset that is not accepted has no journal, because the books never had that asset. */
const outflowsAreBooked = sqlInvariant({
  id: 'M9-outflows',
  title:
    'each booked payment of an outflow is in the books once, with its amount and the decision of an operator',
  unit: 'payments',
  examined: sql`select count(*) as examined from outflow_payment`,
  violations: () => sql`
    with posted as (
      select subject, split_part(subject, ':', 2) as payment_id, sum(line.credit) as amount
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id and account.name = 'custody'
      where kind in ('outflow.merchant', 'outflow.capital')
        and not exists (select from journal reversal where reversal.reverses = journal.id)
      group by subject
    )
    select format('payment %s of outflow %s is booked, but %s', payment.id, payment.tx_hash,
      case when posted.subject is null then 'no journal has it' else format('for %s, not %s', posted.amount, amount_minor) end) as finding
    from outflow_payment payment
    left join posted on posted.subject = format('outflow:%s:%s', payment.id, bookings)
    where booked_at is not null and posted.amount is distinct from amount_minor
      and not exists (
        select from audit_entry
        where action = 'payouts.outflow_booked' and subject = payment.id::text and details ->> 'isPosted' = 'false')
    union all
    select format('payment %s of outflow %s is booked by the decision of no operator', id, tx_hash)
    from outflow_payment payment
    where booked_at is not null and not exists (
      select from audit_entry where action = 'payouts.outflow_booked' and subject = payment.id::text)
    union all
    select format('journal %s books a payment that is not booked', posted.subject)
    from posted
    where not exists (
      select from outflow_payment payment
      where posted.subject = format('outflow:%s:%s', payment.id, bookings) and booked_at is not null)`,
})

export const debtInvariants: readonly Invariant[] = [debtsTieToReversals, attributedAsSaid, outflowsAreBooked]
