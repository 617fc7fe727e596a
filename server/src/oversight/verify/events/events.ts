/**
 * Checks that every change that merchants must be notified of has an event. Also checks that every event
 * reports something that exists.
 */
import sql, { type Sql } from 'sql-template-tag'
import { eventTypes } from '../../../platform/outbox/event.ts'
import type { Invariant } from '../invariant.ts'
import { orphansOf, slicedInvariant } from '../sql-invariant.ts'

/**
 * SQL: the merchants that get events, and `since`, the time from which they get them. A deleted merchant gets
 * none. A restored merchant must have events only from a minute after the restoration, because work in
 * progress may still have seen it as deleted.
 */
const emitted = sql`
  select merchant.id as merchant_id, coalesce(restored_at + interval '1 minute', '-infinity') as since
  from merchant
  left join (
    select merchant_id, max(happened_at) as restored_at from audit_entry
    where action = 'merchant.restored' group by merchant_id
  ) restoration on restoration.merchant_id = merchant.id
  where deleted_at is null`

/** SQL: the events that must exist according to the present state of deposits, as (merchant_id, subject). */
const requiredOfDeposits = sql`
  -- A deposit that was reported from the mempool is not reported again with its first block.
  select merchant_id, format('transaction.detected:%s:%s', id,
    case when inclusion = 1 and first_seen_at is not null then 0 else inclusion end) as subject
  from deposit join emitted using (merchant_id)
  where (block_height is not null or inclusion = 0) and least(included_at, created_at) > since
  union all
  -- An inclusion that was taken back was reported before, with its block or from the mempool, unless the
  -- deposit had no owner then.
  select merchant_id, format('transaction.detected:%s:%s', id, earlier)
  from deposit join emitted using (merchant_id)
  cross join lateral generate_series(1, case when block_height is null then inclusion else inclusion - 1 end) earlier
  where created_at > since and not exists (select from attribution where deposit_id = deposit.id)
    and not (earlier = 1 and exists (
      select from event where subject = format('transaction.detected:%s:0', deposit.id)))
  union all
  select merchant_id, format('transaction.failed:%s:%s:%s', id, inclusion, failures)
  from deposit join emitted using (merchant_id)
  where state = 'failed' and created_at > since
  union all
  select merchant_id, format('transaction.confirmed:%s:%s', id, inclusion)
  from deposit join emitted using (merchant_id)
  where state = 'confirmed' and coalesce(quarantine, 'released') = 'released' and confirmed_at > since
  union all
  select merchant_id, format('transaction.quarantined:%s:%s', id, inclusion)
  from deposit join emitted using (merchant_id)
  where quarantine is not null and confirmed_at > since`

/**
 * SQL: the events that must exist according to the present state of invoices, as (merchant_id, subject).
 * Deleted invoices need no events.
 */
const requiredOfInvoices = sql`
  select merchant_id, format('invoice.paid:%s:%s', id, paid_periods)
  from invoice join emitted using (merchant_id)
  where type <> 'reusable' and state = 'paid' and paid_at > since and invoice.deleted_at is null
  union all
  -- Every payment of the invoice but the present one was reported, and so was its reversal.
  select merchant_id, format('invoice.%s:%s:%s', change, id, period)
  from invoice join emitted using (merchant_id)
  cross join lateral generate_series(1, case when state = 'paid' then paid_periods - 1 else paid_periods end) period
  cross join (values ('paid'), ('reverted')) changes (change)
  where type <> 'reusable' and created_at > since and invoice.deleted_at is null
  union all
  select merchant_id, format('invoice.expired:%s:0', id)
  from invoice join emitted using (merchant_id)
  where state = 'expired' and paid_periods = 0 and (type <> 'reusable' or closed_at is null)
    and created_at > since and invoice.deleted_at is null
  union all
  -- Both events are emitted together. A payment to an expired invoice changes only its exceptions.
  select merchant_id, 'invoice.underpaid' || substring(subject from ':.*$')
  from event
  where type = 'invoice.expired' and body::jsonb #> '{data,exceptions}' ? 'underpaid'`

const requiredOfWithdrawals = sql`
  select merchant_id, format('withdrawal.broadcast:%s', id)
  from withdrawal join emitted using (merchant_id)
  where tx_hash is not null and created_at > since
  union all
  select merchant_id, format('withdrawal.%s:%s%s', state, id, case when retaken_at is not null then ':retaken' end)
  from withdrawal join emitted using (merchant_id)
  where state <> 'pending' and ended_at > since`

const requiredOfMiscellaneous = sql`
  select merchant_id, format('collection.completed:%s', id)
  from merchant_sweep join emitted using (merchant_id)
  where state = 'completed' and ended_at > since
  union all
  select merchant_id, format('webhook.disabled:%s:%s', merchant_id, token)
  from webhook_endpoint join emitted using (merchant_id)
  where disabled_at > since`

/**
 * SQL: findings for reusable invoices. A full payment has an event `invoice.paid`. If it is taken back, it
 * has an event `invoice.reverted` too and is no longer stored. For each payment, the number of `invoice.paid`
 * events minus the number of `invoice.reverted` events must therefore be 1 if the full payment is stored, and
 * 0 otherwise.
 */
const fullPaymentsWithoutEvent = sql`
  with emitted as (${emitted}), counted as (
    select split_part(subject, ':', 2) as invoice_id, split_part(subject, ':', 3) as deposit_id,
      sum(case split_part(subject, ':', 1) when 'invoice.paid' then 1 else -1 end) as outstanding
    from event
    where (subject like 'invoice.paid:%' or subject like 'invoice.reverted:%') and split_part(subject, ':', 4) <> ''
    group by 1, 2
  ), stored as (
    select invoice_id::text, deposit_id::text from full_payment
  )
  select format('invoice %s has events that transaction %s paid it %s times more than reverted; its state is %s',
    invoice_id, deposit_id, coalesce(outstanding, 0), case when stored is null then 'not paid' else 'paid' end) as finding
  from counted full join stored using (invoice_id, deposit_id)
  join invoice on invoice.id::text = invoice_id
  join emitted on emitted.merchant_id = invoice.merchant_id
  where coalesce(outstanding, 0) <> case when stored is null then 0 else 1 end
    and invoice.created_at > since and invoice.deleted_at is null`

const examinedOf = (required: Sql) =>
  sql`with emitted as (${emitted}), required (merchant_id, subject) as (${required}) select count(*) as examined from required`

const missingEvents = (required: Sql) => sql`
  with emitted as (${emitted}), required (merchant_id, subject) as (${required})
  select format('merchant %s lacks the event %s', required.merchant_id, subject) as finding
  from required left join event using (subject)
  where event.merchant_id is distinct from required.merchant_id`

const changesHaveEvents = slicedInvariant({
  id: 'M14',
  title: 'each change that merchants are notified of has its event',
  unit: 'changes',
  parts: [
    {
      over: 'deposits',
      tables: ['deposit', 'event'],
      joinsCuts: true,
      since: 'deposits',
      examined: examinedOf(requiredOfDeposits),
      violations: () => missingEvents(requiredOfDeposits),
    },
    {
      over: 'invoices',
      tables: ['invoice', 'event'],
      joinsCuts: true,
      since: 'invoices',
      examined: examinedOf(requiredOfInvoices),
      violations: () => missingEvents(requiredOfInvoices),
    },
    {
      over: 'invoices',
      tables: ['invoice', 'event', 'full_payment'],
      joinsCuts: true,
      since: 'invoices',
      violations: () => fullPaymentsWithoutEvent,
    },
    {
      over: 'withdrawals',
      tables: ['withdrawal', 'event'],
      joinsCuts: true,
      since: 'withdrawals',
      examined: examinedOf(requiredOfWithdrawals),
      violations: () => missingEvents(requiredOfWithdrawals),
    },
    {
      examined: examinedOf(requiredOfMiscellaneous),
      violations: () => missingEvents(requiredOfMiscellaneous),
    },
  ],
})

/**
 * SQL: the parts of each event's subject: `<type>:<id of the object>`, then parts that depend on the type.
 * `number` is null if the subject does not end with a number.
 */
const parsed = sql`
  select merchant_id, subject, split_part(subject, ':', 1) as type, split_part(subject, ':', 2) as about,
    split_part(subject, ':', 3) as second, split_part(subject, ':', 4) as third,
    case when subject ~ ':[0-9]{1,9}$' then substring(subject from '[0-9]+$')::integer end as number
  from event`

/**
 * SQL: events that contradict their deposit. What an event reports must still be true, or a later event must
 * have withdrawn it. After the deposit's id, the subject has the number of the inclusion, which is 0 before
 * the first block. The event of a failure also has the number of the failure. While a merchant is deleted, it
 * gets no events about reversals, so states from that time are not compared.
 */
const ofDeposits = sql`
  select parsed.subject, error
  from parsed
  left join deposit on deposit.id::text = about
  left join emitted on emitted.merchant_id = parsed.merchant_id and deposit.created_at > since
  left join reverted on reverted.subject = 'transaction.reverted' || substring(parsed.subject from ':.*$')
  cross join lateral (select second = inclusion::text as is_last) now
  cross join lateral (values
    (deposit.id is null, 'there is no such transaction'),
    (second !~ '^[0-9]{1,9}$' or number is null, 'it names no inclusion'),
    (case when second ~ '^[0-9]{1,9}$' then second::integer > inclusion end
      or number < 1 and third = '' and parsed.type <> 'transaction.detected', 'it was not included that often'),
    (third <> '' and number > failures, 'it did not fail that often'),
    (is_last and parsed.merchant_id is distinct from deposit.merchant_id,
      'the transaction belongs to another merchant'),
    (reverted.subject is null and emitted.merchant_id is not null and case parsed.type
      when 'transaction.detected' then second <> '0' and (not is_last or block_height is null)
      when 'transaction.confirmed' then not is_last or state <> 'confirmed'
        or coalesce(quarantine, 'released') <> 'released'
      when 'transaction.quarantined' then not is_last or quarantine is null
      when 'transaction.failed' then state <> 'failed'
    end, 'the transaction is not in that state'),
    (parsed.type = 'transaction.reverted' and third = '' and is_last and block_height is not null,
      'the transaction is in its block'),
    (parsed.type = 'transaction.reverted' and third <> '' and state = 'failed' and number = failures,
      'the transaction has failed')
  ) check_of (is_broken, error)
  where parsed.type like 'transaction.%' and is_broken`

/**
 * SQL: events that contradict their invoice. Events about single payments of reusable invoices are not
 * compared here, but counted in `fullPaymentsWithoutEvent`.
 */
const ofInvoices = sql`
  select parsed.subject, error
  from parsed
  left join invoice on invoice.id::text = about
  left join emitted on emitted.merchant_id = invoice.merchant_id and created_at > since and invoice.deleted_at is null
  left join reverted on reverted.subject = format('invoice.reverted:%s:%s', about, number)
  cross join lateral (values
    (invoice.id is null or invoice.merchant_id <> parsed.merchant_id, 'its merchant has no such invoice'),
    (number is null or number > paid_periods or number < 1 and parsed.type in ('invoice.paid', 'invoice.reverted'),
      'it was not paid that often'),
    (emitted.merchant_id is not null and number = paid_periods and second = number::text and case parsed.type
      when 'invoice.paid' then state <> 'paid' and reverted.subject is null
      when 'invoice.reverted' then state = 'paid'
      when 'invoice.expired' then state <> 'expired'
      when 'invoice.underpaid' then state <> 'expired'
    end, 'the invoice is not in that state')
  ) check_of (is_broken, error)
  where parsed.type like 'invoice.%' and is_broken`

const ofWithdrawals = sql`
  select subject, error
  from parsed left join withdrawal on withdrawal.id::text = about
  cross join lateral (values
    (withdrawal.id is null or withdrawal.merchant_id <> parsed.merchant_id, 'its merchant has no such withdrawal'),
    (type = 'withdrawal.broadcast' and tx_hash is null, 'nothing was sent for it'),
    (type <> 'withdrawal.broadcast' and type <> 'withdrawal.' || state and (second <> '' or retaken_at is null),
      'the withdrawal is not in that state')
  ) check_of (is_broken, error)
  where type like 'withdrawal.%' and is_broken`

const ofMerchantSweeps = sql`
  select subject, 'its merchant has no such collection, or it is not completed' as error
  from parsed
  left join merchant_sweep on merchant_sweep.id::text = about and state = 'completed'
    and merchant_sweep.merchant_id = parsed.merchant_id
  where type = 'collection.completed' and merchant_sweep.id is null`

const untrue = (violation: Sql) => () =>
  sql`
  with parsed as materialized (${parsed}), emitted as materialized (${emitted}),
    reverted as materialized (select subject from parsed where type in ('transaction.reverted', 'invoice.reverted'))
  select format('event %s: %s', subject, error) as finding from (${violation}) violation (subject, error)`

const eventsAreTrue = slicedInvariant({
  id: 'M14-states',
  title: 'each event describes something that exists and still applies, unless a later event reverted it',
  unit: 'events',
  parts: [
    {
      over: 'deposits',
      tables: ['deposit', 'event'],
      joinsCuts: true,
      since: 'deposits',
      violations: untrue(ofDeposits),
    },
    {
      over: 'invoices',
      tables: ['invoice', 'event'],
      joinsCuts: true,
      since: 'invoices',
      violations: untrue(ofInvoices),
    },
    {
      over: 'withdrawals',
      tables: ['withdrawal', 'event'],
      joinsCuts: true,
      since: 'withdrawals',
      violations: untrue(ofWithdrawals),
    },
    {
      over: 'sweeps',
      tables: ['merchant_sweep', 'event'],
      joinsCuts: true,
      since: 'all',
      violations: untrue(ofMerchantSweeps),
    },
    orphansOf(['deposits', 'invoices', 'withdrawals', 'sweeps'], 'event', {
      kinds: sql`split_part(subject, '.', 1) in ('transaction', 'invoice', 'withdrawal', 'collection')`,
      others: ['deposit', 'invoice', 'withdrawal', 'merchant_sweep'],
      joinsCuts: true,
      violations: untrue(
        sql`${ofDeposits} union all ${ofInvoices} union all ${ofWithdrawals} union all ${ofMerchantSweeps}`,
      ),
    }),
    {
      over: 'events',
      tables: ['event'],
      since: 'newer',
      examined: sql`select count(*) as examined from event`,
      violations: () => sql`
        select format('event %s has an unknown type', subject) as finding
        from event where split_part(subject, ':', 1) <> all (${[...eventTypes]}::text[])`,
    },
  ],
})

/**
 * Checks that a merchant's events are numbered without a gap, except where history was lost. Also checks that
 * the bytes of each event contain the id, type, merchant and sequence number of the same event.
 */
const sequencesAreGapless = slicedInvariant({
  id: 'M14-order',
  title:
    'the events of each merchant are numbered without gaps except where history was lost, and their bytes match their rows',
  unit: 'merchants with events',
  parts: [
    {
      over: 'merchants',
      tables: ['event', 'event_counter', 'event_gap'],
      since: 'none',
      examined: sql`select count(*) as examined from event_counter`,
      violations: () => sql`
    select format('merchant %s has %s events numbered from %s to %s, expected %s', merchant_id, events, first,
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
      violations: () => sql`
    select format('event %s (%s of merchant %s) has the bytes of another event', event.id, subject, merchant_id) as finding
    from event cross join lateral json_to_record(body::json)
      as emitted (id text, type text, "merchantID" text, sequence text)
    where (emitted.id, emitted.type, emitted."merchantID", emitted.sequence)
        is distinct from (event.id::text, event.type, event.merchant_id::text, event.sequence::text)
      or not starts_with(subject, event.type || ':')`,
    },
  ],
})

export const eventInvariants: readonly Invariant[] = [changesHaveEvents, eventsAreTrue, sequencesAreGapless]
