/**
 * Checks that the bodies of events, which were signed and sent, contain the amounts, assets and hashes of the
 * rows that they describe.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Invariant } from '../invariant.ts'
import { methodTable, slicedInvariant } from '../sql-invariant.ts'

/** SQL: the `data` of each event, with the parts of the event's subject, `<type>:<id of the object>:...`. */
const emitted = sql`
  select subject, type, split_part(subject, ':', 2) as about, split_part(subject, ':', 3) as second,
    merchant_id, body::jsonb -> 'data' as data
  from event where type like 'transaction.%' or type like 'withdrawal.%' or type in
    ('collection.completed', 'invoice.paid', 'invoice.reverted', 'invoice.expired', 'invoice.underpaid')`

/**
 * SQL: events that contradict their deposit. If a deposit was below the minimum when it was confirmed, its
 * event has neither fee nor net.
 */
const ofDeposits = (methods: PaymentMethods) => sql`
  select emitted.subject, error
  from emitted
  join deposit on deposit.id::text = about
  join ${methodTable(methods)} on method.id = deposit.payment_method_id
  cross join lateral (values
    ((data ->> 'amount')::numeric is distinct from deposit.amount, 'its amount does not match'),
    (deposit.amount * unit <> amount_minor, 'the amount of its transaction contradicts itself'),
    (data ->> 'currency' is distinct from method.symbol, 'its asset does not match'),
    (data ->> 'txHash' is distinct from deposit.tx_hash, 'its transaction hash does not match'),
    (data ->> 'invoiceID' is distinct from deposit.invoice_id::text, 'its invoice does not match'),
    (emitted.type = 'transaction.confirmed' and second = inclusion::text and net_minor is not null
      and not (data ->> 'net' is null and below_minimum)
      and ((data ->> 'net')::numeric * unit is distinct from net_minor
        or (data ->> 'fee')::numeric * unit is distinct from fee_minor), 'its fee or net does not match')
  ) check_of (is_broken, error)
  where emitted.type like 'transaction.%' and is_broken`

const ofWithdrawals = (methods: PaymentMethods) => sql`
  select emitted.subject, error
  from emitted
  join withdrawal on withdrawal.id::text = about
  join ${methodTable(methods)} on method.id = withdrawal.payment_method_id
  cross join lateral (values
    ((data ->> 'amount')::numeric * unit is distinct from amount_minor, 'its amount does not match'),
    ((data ->> 'fee')::numeric * unit is distinct from fee_minor, 'its fee does not match'),
    ((data ->> 'net')::numeric * unit is distinct from amount_minor - fee_minor, 'its net does not match'),
    (data ->> 'currency' is distinct from method.symbol, 'its asset does not match'),
    (emitted.type = 'withdrawal.completed' and data ->> 'txHash' is distinct from withdrawal.tx_hash,
      'its transaction hash does not match')
  ) check_of (is_broken, error)
  where emitted.type like 'withdrawal.%' and is_broken`

const ofMerchantSweeps = (methods: PaymentMethods) => sql`
  select emitted.subject, 'its amount, its asset or its number of payments does not match'
  from emitted
  join merchant_sweep on merchant_sweep.id::text = about
  join ${methodTable(methods)} on method.id = merchant_sweep.payment_method_id
  where emitted.type = 'collection.completed'
    and ((data ->> 'amount')::numeric * unit, data ->> 'currency', (data ->> 'transactions')::integer)
      is distinct from (amount_minor, method.symbol, merchant_sweep.transactions)`

/**
 * SQL: the amount of a payment that was in a block and counted whenever another payment of its transaction did.
 * A payment that was in quarantine, is implausible or entered several blocks may have counted at another time.
 */
const alwaysCounted = sql`
  case when quarantine is null and aml_verdict is distinct from 'implausible' and inclusion = 1 then amount_minor end`

/**
 * SQL: `invoice.paid` events with an impossible amount. An event reports what was received with one payment method.
 * It names only the method's symbol, so one method with this symbol must fit. Its transaction may have been mined
 * on another network too, and may also contain other payments of a reusable invoice, so payments with other
 * methods do not count, and of a reusable invoice only the deposit in the event's subject counts. A payment that
 * pays no part of the invoice counts only if it may have paid a part in an earlier block. The amount in an event is
 * rounded to steps that a payer can send. The database does not store which payments had arrived when the event was
 * written. The amount must therefore be between two bounds: what the transaction that the event names paid, and the
 * sum of all payments.
 */
const ofPaidInvoices = (methods: PaymentMethods) => sql`
  select emitted.subject, 'its amount is not the sum of its payments'
  from emitted
  join invoice on invoice.id::text = about
  where emitted.type = 'invoice.paid' and invoice.type <> 'withdraw' and not exists (
    select
    from deposit join ${methodTable(methods)} on method.id = deposit.payment_method_id
    cross join lateral (select tx_hash = data ->> 'txHash' as is_named) named
    where deposit.invoice_id = invoice.id and method.symbol = data ->> 'currency'
      and (full_minor is not null or inclusion > 1)
      and (split_part(subject, ':', 4) = '' or deposit.id::text = second)
    group by method.id, unit, payer_step
    having (data ->> 'amount')::numeric * unit between
      div(coalesce(sum(${alwaysCounted}) filter (where is_named), min(amount_minor) filter (where is_named)), payer_step)
        * payer_step - payer_step
      and sum(amount_minor))`

const ofPaidClaims = (methods: PaymentMethods) => sql`
  select emitted.subject, 'its amount is not what its withdrawal paid'
  from emitted
  join invoice on invoice.id::text = about and invoice.type = 'withdraw'
  left join withdrawal on withdrawal.invoice_id = invoice.id and withdrawal.state = 'completed'
  left join ${methodTable(methods)} on method.id = withdrawal.payment_method_id
  where emitted.type = 'invoice.paid'
    and ((data ->> 'amount')::numeric * unit between amount_minor - fee_minor - payer_step and amount_minor - fee_minor)
      is not true`

const ofUnpaidInvoices = sql`
  select emitted.subject, 'its amount does not match'
  from emitted join invoice on invoice.id::text = about
  where emitted.type in ('invoice.reverted', 'invoice.expired', 'invoice.underpaid')
    and (data ->> 'amount')::numeric is distinct from invoice.amount::numeric`

/**
 * SQL: events in which the invoice's type or reference differs from the invoice. Older events have neither.
 * The reference of a deleted invoice is not compared, because a deleted invoice has no reference.
 */
const ofInvoices = sql`
  select emitted.subject, error
  from emitted
  join invoice on invoice.id::text = about
  cross join lateral (values
    (data ? 'type' and data ->> 'type' is distinct from invoice.type, 'the type of its invoice does not match'),
    (data ? 'reference' and invoice.deleted_at is null and data ->> 'reference' is distinct from invoice.reference,
      'the reference of its invoice does not match')
  ) check_of (is_broken, error)
  where emitted.type like 'invoice.%' and is_broken`

const examined = sql`with emitted as (${emitted}) select count(*) as examined from emitted`

/**
 * Returns a function that builds the query of findings.
 * @param violation returns a query of (subject, error)
 */
function untrue(violation: (methods: PaymentMethods) => Sql): (methods: PaymentMethods) => Sql {
  return (methods) => sql`
    with emitted as materialized (${emitted})
    select format('event %s: %s', subject, error) as finding from (${violation(methods)}) violation (subject, error)`
}

/**
 * Compares the bodies of events with the books, only for the types of events that concern a merchant's money.
 * M14-order reports bodies that are not JSON or belong to another event.
 */
export const eventBodiesAreTrue: Invariant = slicedInvariant({
  id: 'M14-bodies',
  title: 'amounts, assets, hashes and invoices in events match the rows',
  unit: 'events',
  parts: [
    {
      over: 'deposits',
      tables: ['deposit', 'event'],
      joinsCuts: true,
      since: 'deposits',
      examined,
      violations: untrue(ofDeposits),
    },
    {
      over: 'invoices',
      tables: ['invoice', 'event'],
      joinsCuts: true,
      since: 'invoices',
      examined,
      violations: untrue(
        (methods) =>
          sql`${ofPaidInvoices(methods)} union all ${ofPaidClaims(methods)} union all ${ofUnpaidInvoices} union all ${ofInvoices}`,
      ),
    },
    {
      over: 'withdrawals',
      tables: ['withdrawal', 'event'],
      joinsCuts: true,
      since: 'withdrawals',
      examined,
      violations: untrue(ofWithdrawals),
    },
    { over: 'sweeps', tables: ['merchant_sweep', 'event'], examined, violations: untrue(ofMerchantSweeps) },
  ],
})
