/** Every change that merchants are told of has its event, and no event tells of what is not there. */
import sql, { type Sql } from 'sql-template-tag'
import { eventTypes } from '../../../platform/outbox/event.ts'
import type { Invariant } from '../invariant.ts'
import { slicedInvariant, straysOf } from '../sql-invariant.ts'

/**
 * The merchants that are told of what happens, and since when: nobody is told while deleted. What was under way when a
 * merchant was restored may have seen it deleted still.
 */
const told = sql`
  select merchant.id as merchant_id, coalesce(restored_at + interval '1 minute', '-infinity') as since
  from merchant
  left join (
    select merchant_id, max(happened_at) as restored_at from audit_entry
    where action = 'merchant.restored' group by merchant_id
  ) restoration on restoration.merchant_id = merchant.id
  where deleted_at is null`

/** The events that there must be, by how everything stands: (merchant_id, subject). */
const requiredOfTransactions = sql`
  -- What a mempool held is not told again with its first block.
  select merchant_id, format('transaction.detected:%s:%s', id,
    case when inclusion = 1 and first_seen_at is not null then 0 else inclusion end) as subject
  from transaction join told using (merchant_id)
  where (block_height is not null or inclusion = 0) and least(included_at, created_at) > since
  union all
  -- What was taken back was told before, unless it was nobody's then; with its first block, or of a mempool before.
  select merchant_id, format('transaction.detected:%s:%s', id, earlier)
  from transaction join told using (merchant_id)
  cross join lateral generate_series(1, case when block_height is null then inclusion else inclusion - 1 end) earlier
  where created_at > since and not exists (select from attribution where transaction_id = transaction.id)
    and not (earlier = 1 and exists (
      select from event where subject = format('transaction.detected:%s:0', transaction.id)))
  union all
  select merchant_id, format('transaction.failed:%s:%s:%s', id, inclusion, failures)
  from transaction join told using (merchant_id)
  where state = 'failed' and created_at > since
  union all
  select merchant_id, format('transaction.confirmed:%s:%s', id, inclusion)
  from transaction join told using (merchant_id)
  where state = 'confirmed' and coalesce(quarantine, 'released') = 'released' and confirmed_at > since
  union all
  select merchant_id, format('transaction.quarantined:%s:%s', id, inclusion)
  from transaction join told using (merchant_id)
  where quarantine is not null and confirmed_at > since`

/** Of deleted invoices none is told. */
const requiredOfInvoices = sql`
  select merchant_id, format('invoice.paid:%s:%s', id, paid_periods)
  from invoice join told using (merchant_id)
  where type <> 'reusable' and state = 'paid' and paid_at > since and invoice.deleted_at is null
  union all
  -- Each time but the standing one was told, and taken back.
  select merchant_id, format('invoice.%s:%s:%s', change, id, period)
  from invoice join told using (merchant_id)
  cross join lateral generate_series(1, case when state = 'paid' then paid_periods - 1 else paid_periods end) period
  cross join (values ('paid'), ('reverted')) changes (change)
  where type <> 'reusable' and created_at > since and invoice.deleted_at is null
  union all
  select merchant_id, format('invoice.expired:%s:0', id)
  from invoice join told using (merchant_id)
  where state = 'expired' and paid_periods = 0 and (type <> 'reusable' or closed_at is null)
    and created_at > since and invoice.deleted_at is null
  union all
  -- The two are told together: what comes in of an invoice that has expired changes no more than its exceptions.
  select merchant_id, 'invoice.underpaid' || substring(subject from ':.*$')
  from event
  where type = 'invoice.expired' and body::jsonb #> '{data,exceptions}' ? 'underpaid'`

const requiredOfWithdrawals = sql`
  select merchant_id, format('withdrawal.broadcast:%s', id)
  from withdrawal join told using (merchant_id)
  where tx_hash is not null and created_at > since
  union all
  select merchant_id, format('withdrawal.%s:%s%s', state, id, case when retaken_at is not null then ':retaken' end)
  from withdrawal join told using (merchant_id)
  where state <> 'pending' and ended_at > since`

const requiredOfOthers = sql`
  select merchant_id, format('collection.completed:%s', id)
  from collection join told using (merchant_id)
  where state = 'completed' and ended_at > since
  union all
  select merchant_id, format('webhook.disabled:%s:%s', merchant_id, token)
  from webhook_endpoint join told using (merchant_id)
  where disabled_at > since`

/** A reusable invoice tells of each full payment, and of each that is taken back: what is left is what stands. */
const fullPaymentsUntold = sql`
  with told as (${told}), counted as (
    select split_part(subject, ':', 2) as invoice_id, split_part(subject, ':', 3) as transaction_id,
      sum(case split_part(subject, ':', 1) when 'invoice.paid' then 1 else -1 end) as standing
    from event
    where (subject like 'invoice.paid:%' or subject like 'invoice.reverted:%') and split_part(subject, ':', 4) <> ''
    group by 1, 2
  ), stored as (
    select invoice_id::text, transaction_id::text from full_payment
  )
  select format('invoice %s was told to be paid by transaction %s %s times more than taken back; it is %s',
    invoice_id, transaction_id, coalesce(standing, 0), case when stored is null then 'not' else 'so' end) as finding
  from counted full join stored using (invoice_id, transaction_id)
  join invoice on invoice.id::text = invoice_id
  join told on told.merchant_id = invoice.merchant_id
  where coalesce(standing, 0) <> case when stored is null then 0 else 1 end
    and invoice.created_at > since and invoice.deleted_at is null`

const examinedOf = (required: Sql) =>
  sql`with told as (${told}), required (merchant_id, subject) as (${required}) select count(*) as examined from required`

const untold = (required: Sql) => sql`
  with told as (${told}), required (merchant_id, subject) as (${required})
  select format('merchant %s was not told of %s', required.merchant_id, subject) as finding
  from required left join event using (subject)
  where event.merchant_id is distinct from required.merchant_id`

const changesAreTold = slicedInvariant({
  id: 'M14',
  title: 'each change that merchants are told of has its event',
  unit: 'changes',
  parts: [
    {
      over: 'transactions',
      tables: ['transaction', 'event'],
      joinsCuts: true,
      since: 'transactions',
      examined: examinedOf(requiredOfTransactions),
      breaches: () => untold(requiredOfTransactions),
    },
    {
      over: 'invoices',
      tables: ['invoice', 'event'],
      joinsCuts: true,
      since: 'invoices',
      examined: examinedOf(requiredOfInvoices),
      breaches: () => untold(requiredOfInvoices),
    },
    {
      over: 'invoices',
      tables: ['invoice', 'event', 'full_payment'],
      joinsCuts: true,
      since: 'invoices',
      breaches: () => fullPaymentsUntold,
    },
    {
      over: 'withdrawals',
      tables: ['withdrawal', 'event'],
      joinsCuts: true,
      since: 'withdrawals',
      examined: examinedOf(requiredOfWithdrawals),
      breaches: () => untold(requiredOfWithdrawals),
    },
    { examined: examinedOf(requiredOfOthers), breaches: () => untold(requiredOfOthers) },
  ],
})

/** Events taken apart: `<type>:<id of what it is about>`, then as its type has it. A number is null where it is none. */
const parsed = sql`
  select merchant_id, subject, split_part(subject, ':', 1) as type, split_part(subject, ':', 2) as about,
    split_part(subject, ':', 3) as second, split_part(subject, ':', 4) as third,
    case when subject ~ ':[0-9]{1,9}$' then substring(subject from '[0-9]+$')::integer end as number
  from event`

/**
 * Whether an event fits its transaction: where nothing took it back, it must still be so. Its second part is the
 * inclusion, 0 before the first block; a third tells which failure it is about. A merchant that was deleted was not told
 * of what was taken back then.
 */
const ofTransactions = sql`
  select parsed.subject, fault
  from parsed
  left join transaction on transaction.id::text = about
  left join told on told.merchant_id = parsed.merchant_id and transaction.created_at > since
  left join reverted on reverted.subject = 'transaction.reverted' || substring(parsed.subject from ':.*$')
  cross join lateral (select second = inclusion::text as is_last) now
  cross join lateral (values
    (transaction.id is null, 'there is no such transaction'),
    (second !~ '^[0-9]{1,9}$' or number is null, 'it names no inclusion'),
    (case when second ~ '^[0-9]{1,9}$' then second::integer > inclusion end
      or number < 1 and third = '' and parsed.type <> 'transaction.detected', 'it was not included so often'),
    (third <> '' and number > failures, 'it did not fail so often'),
    (is_last and parsed.merchant_id is distinct from transaction.merchant_id,
      'the transaction is of another merchant'),
    (reverted.subject is null and told.merchant_id is not null and case parsed.type
      when 'transaction.detected' then second <> '0' and (not is_last or block_height is null)
      when 'transaction.confirmed' then not is_last or state <> 'confirmed'
        or coalesce(quarantine, 'released') <> 'released'
      when 'transaction.quarantined' then not is_last or quarantine is null
      when 'transaction.failed' then state <> 'failed'
    end, 'the transaction is not so'),
    (parsed.type = 'transaction.reverted' and third = '' and is_last and block_height is not null,
      'the transaction is in its block'),
    (parsed.type = 'transaction.reverted' and third <> '' and state = 'failed' and number = failures,
      'the transaction has failed')
  ) check_of (is_broken, fault)
  where parsed.type like 'transaction.%' and is_broken`

/** Whether an event fits its invoice. What a reusable one tells of single payments is counted against `full_payment`. */
const ofInvoices = sql`
  select parsed.subject, fault
  from parsed
  left join invoice on invoice.id::text = about
  left join told on told.merchant_id = invoice.merchant_id and created_at > since and invoice.deleted_at is null
  left join reverted on reverted.subject = format('invoice.reverted:%s:%s', about, number)
  cross join lateral (values
    (invoice.id is null or invoice.merchant_id <> parsed.merchant_id, 'its merchant has no such invoice'),
    (number is null or number > paid_periods or number < 1 and parsed.type in ('invoice.paid', 'invoice.reverted'),
      'it was not paid so often'),
    (told.merchant_id is not null and number = paid_periods and second = number::text and case parsed.type
      when 'invoice.paid' then state <> 'paid' and reverted.subject is null
      when 'invoice.reverted' then state = 'paid'
      when 'invoice.expired' then state <> 'expired'
      when 'invoice.underpaid' then state <> 'expired'
    end, 'the invoice is not so')
  ) check_of (is_broken, fault)
  where parsed.type like 'invoice.%' and is_broken`

const ofWithdrawals = sql`
  select subject, fault
  from parsed left join withdrawal on withdrawal.id::text = about
  cross join lateral (values
    (withdrawal.id is null or withdrawal.merchant_id <> parsed.merchant_id, 'its merchant has no such withdrawal'),
    (type = 'withdrawal.broadcast' and tx_hash is null, 'nothing was sent for it'),
    (type <> 'withdrawal.broadcast' and type <> 'withdrawal.' || state and (second <> '' or retaken_at is null),
      'the withdrawal is not so')
  ) check_of (is_broken, fault)
  where type like 'withdrawal.%' and is_broken`

const ofCollections = sql`
  select subject, 'its merchant has no such collection, or it is not so' as fault
  from parsed
  left join collection on collection.id::text = about and state = 'completed'
    and collection.merchant_id = parsed.merchant_id
  where type = 'collection.completed' and collection.id is null`

const untrue = (breach: Sql) => () =>
  sql`
  with parsed as materialized (${parsed}), told as materialized (${told}),
    reverted as materialized (select subject from parsed where type in ('transaction.reverted', 'invoice.reverted'))
  select format('event %s: %s', subject, fault) as finding from (${breach}) breach (subject, fault)`

const eventsAreTrue = slicedInvariant({
  id: 'M14-states',
  title: 'each event tells of something that is there, and is still so unless another took it back',
  unit: 'events',
  parts: [
    {
      over: 'transactions',
      tables: ['transaction', 'event'],
      joinsCuts: true,
      since: 'transactions',
      breaches: untrue(ofTransactions),
    },
    {
      over: 'invoices',
      tables: ['invoice', 'event'],
      joinsCuts: true,
      since: 'invoices',
      breaches: untrue(ofInvoices),
    },
    {
      over: 'withdrawals',
      tables: ['withdrawal', 'event'],
      joinsCuts: true,
      since: 'withdrawals',
      breaches: untrue(ofWithdrawals),
    },
    {
      over: 'collections',
      tables: ['collection', 'event'],
      joinsCuts: true,
      since: 'all',
      breaches: untrue(ofCollections),
    },
    straysOf(['transactions', 'invoices', 'withdrawals', 'collections'], 'event', {
      kinds: sql`split_part(subject, '.', 1) in ('transaction', 'invoice', 'withdrawal', 'collection')`,
      others: ['transaction', 'invoice', 'withdrawal', 'collection'],
      joinsCuts: true,
      breaches: untrue(
        sql`${ofTransactions} union all ${ofInvoices} union all ${ofWithdrawals} union all ${ofCollections}`,
      ),
    }),
    {
      over: 'events',
      tables: ['event'],
      since: 'newer',
      examined: sql`select count(*) as examined from event`,
      breaches: () => sql`
        select format('event %s: there is no such type', subject) as finding
        from event where split_part(subject, ':', 1) <> all (${[...eventTypes]}::text[])`,
    },
  ],
})

/** Numbers without a gap but where history was lost, and bytes that name the event they are stored with. */
const sequencesAreGapless = slicedInvariant({
  id: 'M14-order',
  title:
    'the events of each merchant are numbered without a gap but where history was lost, and their bytes say what they are',
  unit: 'merchants with events',
  parts: [
    {
      over: 'merchants',
      tables: ['event', 'event_counter', 'event_gap'],
      since: 'none',
      examined: sql`select count(*) as examined from event_counter`,
      breaches: () => sql`
    select format('merchant %s has %s events numbered from %s to %s, and was promised %s', merchant_id, events, first,
      last, last_sequence) as finding
    from event_counter
    full join (
      select merchant_id, count(*) as events, min(sequence) as first, max(sequence) as last
      from event group by merchant_id
    ) numbered using (merchant_id)
    left join (
      select merchant_id, sum(resumes_after - after_sequence) as numbers, min(after_sequence) as first_gap
      from event_gap group by merchant_id
    ) gap using (merchant_id)
    where (last_sequence = coalesce(events, 0) + coalesce(numbers, 0) and coalesce(last, 0) = last_sequence
        and (coalesce(first, 1) = 1 or first_gap = 0))
      is not true
    union all
    select format('merchant %s has events in the gap after %s', merchant_id, after_sequence)
    from event_gap
    where exists (
      select from event where event.merchant_id = event_gap.merchant_id
        and sequence > after_sequence and sequence <= resumes_after)`,
    },
    {
      over: 'events',
      tables: ['event'],
      since: 'newer',
      breaches: () => sql`
    select format('event %s (%s of merchant %s) has the bytes of another', event.id, subject, merchant_id) as finding
    from event cross join lateral json_to_record(body::json)
      as told (id text, type text, "merchantID" text, sequence text)
    where (told.id, told.type, told."merchantID", told.sequence)
        is distinct from (event.id::text, event.type, event.merchant_id::text, event.sequence::text)
      or not starts_with(subject, event.type || ':')`,
    },
  ],
})

export const eventInvariants: readonly Invariant[] = [changesAreTold, eventsAreTrue, sequencesAreGapless]
