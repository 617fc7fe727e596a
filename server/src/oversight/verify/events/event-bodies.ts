/** What events told merchants is what the rows say: amounts, assets and hashes in the bytes that were signed and sent. */
import sql, { type Sql } from 'sql-template-tag'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Invariant } from '../invariant.ts'
import { methodTable, slicedInvariant } from '../sql-invariant.ts'

/** `data` of each event beside what its subject names: `<type>:<id of what it is about>:...`. */
const told = sql`
  select subject, type, split_part(subject, ':', 2) as about, split_part(subject, ':', 3) as second,
    merchant_id, body::jsonb -> 'data' as data
  from event where type like 'transaction.%' or type like 'withdrawal.%' or type in
    ('collection.completed', 'invoice.paid', 'invoice.reverted', 'invoice.expired', 'invoice.underpaid')`

/** A confirmed payment that was below the minimum when this was told has neither fee nor net in its event. */
const ofTransactions = (methods: PaymentMethods) => sql`
  select told.subject, fault
  from told
  join transaction on transaction.id::text = about
  join ${methodTable(methods)} on method.id = transaction.payment_method_id
  cross join lateral (values
    ((data ->> 'amount')::numeric is distinct from transaction.amount, 'its amount is another'),
    (transaction.amount * unit <> amount_minor, 'the amount of its transaction contradicts itself'),
    (data ->> 'currency' is distinct from method.symbol, 'its asset is another'),
    (data ->> 'txHash' is distinct from transaction.tx_hash, 'its transaction hash is another'),
    (data ->> 'invoiceID' is distinct from transaction.invoice_id::text, 'its invoice is another'),
    (told.type = 'transaction.confirmed' and second = inclusion::text and net_minor is not null
      and not (data ->> 'net' is null and below_minimum)
      and ((data ->> 'net')::numeric * unit is distinct from net_minor
        or (data ->> 'fee')::numeric * unit is distinct from fee_minor), 'its fee or net is another')
  ) check_of (is_broken, fault)
  where told.type like 'transaction.%' and is_broken`

const ofWithdrawals = (methods: PaymentMethods) => sql`
  select told.subject, fault
  from told
  join withdrawal on withdrawal.id::text = about
  join ${methodTable(methods)} on method.id = withdrawal.payment_method_id
  cross join lateral (values
    ((data ->> 'amount')::numeric * unit is distinct from amount_minor, 'its amount is another'),
    ((data ->> 'fee')::numeric * unit is distinct from fee_minor, 'its fee is another'),
    ((data ->> 'net')::numeric * unit is distinct from amount_minor - fee_minor, 'its net is another'),
    (data ->> 'currency' is distinct from method.symbol, 'its asset is another'),
    (told.type = 'withdrawal.completed' and data ->> 'txHash' is distinct from withdrawal.tx_hash,
      'its transaction hash is another')
  ) check_of (is_broken, fault)
  where told.type like 'withdrawal.%' and is_broken`

const ofCollections = (methods: PaymentMethods) => sql`
  select told.subject, 'its amount, its asset or how many payments it was is another'
  from told
  join collection on collection.id::text = about
  join ${methodTable(methods)} on method.id = collection.payment_method_id
  where told.type = 'collection.completed'
    and ((data ->> 'amount')::numeric * unit, data ->> 'currency', (data ->> 'transactions')::integer)
      is distinct from (amount_minor, method.symbol, collection.transactions)`

/**
 * What was received is shown in steps of what a payer can send. Which payments had arrived by then is not kept, so that it
 * lies between the payment that is named and all payments of the invoice in that asset.
 */
const ofPaidInvoices = (methods: PaymentMethods) => sql`
  select told.subject, 'its amount is not what its payments come to'
  from told
  join invoice on invoice.id::text = about
  left join lateral (
    select min(method.unit) as unit, max(payer_step) as step, sum(amount_minor) as most,
      sum(amount_minor) filter (where tx_hash = data ->> 'txHash') as least
    from transaction join ${methodTable(methods)} on method.id = transaction.payment_method_id
    where transaction.invoice_id = invoice.id and method.symbol = data ->> 'currency'
  ) received on true
  where told.type = 'invoice.paid' and invoice.type <> 'withdraw'
    and ((data ->> 'amount')::numeric * unit between div(least, step) * step - step and most) is not true`

const ofPaidClaims = (methods: PaymentMethods) => sql`
  select told.subject, 'its amount is not what its withdrawal paid'
  from told
  join invoice on invoice.id::text = about and invoice.type = 'withdraw'
  left join withdrawal on withdrawal.invoice_id = invoice.id and withdrawal.state = 'completed'
  left join ${methodTable(methods)} on method.id = withdrawal.payment_method_id
  where told.type = 'invoice.paid'
    and ((data ->> 'amount')::numeric * unit between amount_minor - fee_minor - payer_step and amount_minor - fee_minor)
      is not true`

const ofUnpaidInvoices = sql`
  select told.subject, 'its amount is another'
  from told join invoice on invoice.id::text = about
  where told.type in ('invoice.reverted', 'invoice.expired', 'invoice.underpaid')
    and (data ->> 'amount')::numeric is distinct from invoice.amount::numeric`

/**
 * The invoice's type and reference, where an event says them: those of before they were told have neither. A deleted invoice
 * has given up its reference.
 */
const ofInvoices = sql`
  select told.subject, fault
  from told
  join invoice on invoice.id::text = about
  cross join lateral (values
    (data ? 'type' and data ->> 'type' is distinct from invoice.type, 'the type of its invoice is another'),
    (data ? 'reference' and invoice.deleted_at is null and data ->> 'reference' is distinct from invoice.reference,
      'the reference of its invoice is another')
  ) check_of (is_broken, fault)
  where told.type like 'invoice.%' and is_broken`

const examined = sql`with told as (${told}) select count(*) as examined from told`

/** @param breach a query of (subject, fault) */
function untrue(breach: (methods: PaymentMethods) => Sql): (methods: PaymentMethods) => Sql {
  return (methods) => sql`
    with told as materialized (${told})
    select format('event %s: %s', subject, fault) as finding from (${breach(methods)}) breach (subject, fault)`
}

/** Events of merchants alone are compared: a body that is no JSON, or names another event, is for M14-order. */
export const eventBodiesAreTrue: Invariant = slicedInvariant({
  id: 'M14-bodies',
  title: 'what events told of amounts, assets, hashes and invoices is what the rows say',
  unit: 'events',
  parts: [
    {
      over: 'transactions',
      tables: ['transaction', 'event'],
      joinsCuts: true,
      since: 'transactions',
      examined,
      breaches: untrue(ofTransactions),
    },
    {
      over: 'invoices',
      tables: ['invoice', 'event'],
      joinsCuts: true,
      since: 'invoices',
      examined,
      breaches: untrue(
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
      breaches: untrue(ofWithdrawals),
    },
    { over: 'collections', tables: ['collection', 'event'], examined, breaches: untrue(ofCollections) },
  ],
})
