/**
 * What merchants owe comes from credits that were taken back, or from payments that a restored database had lost and the
 * signer's log had not; and what was nobody's went where an operator said.
 */
import sql from 'sql-template-tag'
import type { Invariant } from '../invariant.ts'
import { methodTable, sqlInvariant } from '../sql-invariant.ts'

/** `suspense.owed` has the subject `owed:<account>:<subject of the journal that made it missing>`. */
const debtsTieToReversals = sqlInvariant({
  id: 'M4-debts',
  title:
    'each debt ties to a credit taken back or a payment the signer knew of, and none is repaid twice over',
  unit: 'debts',
  examined: sql`select count(*) as examined from journal where kind = 'suspense.owed'`,
  breaches: () => sql`
    select format('journal %s books a debt, and %s', owed.subject,
      case when cause.id is null then 'what caused it is not in the books'
        else 'its cause takes nothing back, and is no withdrawal that was signed and lost' end) as finding
    from journal owed
    left join journal cause on cause.subject = substring(owed.subject from '^owed:[^:]*:(.*)$')
    where owed.kind = 'suspense.owed' and cause.reverses is null
      and not exists (
        select from audit_entry
        where action = 'withdrawal.retaken' and subject = split_part(cause.subject, ':', 2)
          and cause.kind in ('withdrawal.requested', 'withdrawal.retaken'))
    union all
    select format('journal %s (%s) has %s on the debt of %s in %s', journal.subject, journal.kind,
      case when line.debit > 0 then 'a debit' else 'a credit' end, account.owner_id, account.asset)
    from journal_line line
    join ledger_account account on account.id = line.account_id and account.name = 'suspense'
    join journal on journal.id = line.journal_id
    where (line.debit > 0) <> (journal.kind = 'suspense.owed')
      or line.credit > 0 and journal.kind not in ('suspense.repaid', 'suspense.written_off')
    union all
    select format('%s has repaid %s of %s more than it owed', owner_id, credits - debits, asset)
    from ledger_account where name = 'suspense' and credits > debits`,
})

/** Whether a deleted merchant got what it was assigned depends on when it was deleted: the journal alone tells. */
const attributedAsSaid = sqlInvariant({
  id: 'M9-owners',
  title: 'unattributed money went to whom an operator named, once for each inclusion',
  unit: 'attributions',
  examined: sql`select count(*) as examined from attribution`,
  breaches: (methods) => sql`
    with posted as (
      select journal.id, journal.kind, journal.subject,
        split_part(subject, ':', 2) as transaction_id, split_part(subject, ':', 3) as inclusion,
        coalesce(sum(line.debit) filter (where account.name = 'unattributed'), 0) as taken,
        coalesce(sum(line.credit) filter (where account.name = 'capital'), 0) as capital,
        coalesce(sum(line.credit) filter (where account.name = 'available'), 0) as net,
        coalesce(sum(line.credit) filter (where account.name = 'fees'), 0) as fee,
        -- A fee may take it whole: then nothing of it is available.
        (array_agg(account.owner_id) filter (where account.name in ('available', 'fees')))[1] as owner_id
      from journal
      join journal_line line on line.journal_id = journal.id
      join ledger_account account on account.id = line.account_id
      where kind in ('attributed.merchant', 'attributed.capital')
        and not exists (select from journal reversal where reversal.reverses = journal.id)
      group by journal.id
    ), expected as (
      select attribution.transaction_id::text, attribution.merchant_id, transaction.inclusion::text, state, net_minor,
        amount_minor, merchant.deleted_at is not null as is_deleted,
        div(amount_minor - least(amount_minor,
          div(amount_minor * attribution.fee_percent_basis_points + 9999, 10000) + attribution.fee_flat_minor),
          balance_step) * balance_step as net_expected
      from attribution
      join transaction on transaction.id = attribution.transaction_id
      join ${methodTable(methods)} on method.asset = transaction.asset
      left join merchant on merchant.id = attribution.merchant_id
    )
    select format('transaction %s (%s) is attributed to %s; booked for it: taken %s, capital %s, net %s and fee %s of %s',
      transaction_id, coalesce(state, 'unknown'), coalesce(expected.merchant_id::text, 'the operator'),
      taken, capital, net, fee, coalesce(posted.owner_id::text, 'nobody')) as finding
    from expected full join posted using (transaction_id)
    where (case
      when posted.id is null then state <> 'confirmed' or is_deleted or net_minor is not null
      when expected.merchant_id is null then capital = amount_minor
      else posted.owner_id = expected.merchant_id and net = net_expected and net + fee = amount_minor
    end and (posted.id is null or state = 'confirmed' and taken = amount_minor
      and posted.inclusion = expected.inclusion)) is not true`,
})

export const debtInvariants: readonly Invariant[] = [debtsTieToReversals, attributedAsSaid]
