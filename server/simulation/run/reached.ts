import type { Installation } from '../world/installation.ts'

/** Counts how many rows and requests of a run ended in each state, to show what the run exercised. */
export async function readReached({
  sessions,
  keyed,
}: Installation): Promise<Readonly<Record<string, number>>> {
  const rows = await sessions.look<{ name: string; count: number }>(`
    select 'withdrawal ' || state as name, count(*)::int from withdrawal group by 1
    union all select 'withdrawal released by an operator', count(*)::int from withdrawal where released_at is not null
    union all select 'withdrawal rejected by an operator', count(*)::int from withdrawal where end_reason = 'operator'
    union all select 'treasury withdrawal ' || state, count(*)::int from treasury_withdrawal group by 1
    union all select 'invoice ' || state, count(*)::int from invoice group by 1
    union all select 'price changed', (count(distinct (symbol, price)) - count(distinct symbol))::int from rate
    union all select 'quote renewed', (count(*) - count(distinct (invoice_id, payment_method_id)))::int from quote
    union all select 'outgoing ' || kind || ' ' || state, count(*)::int from outgoing_transaction group by 1
    union all select 'event ' || type, count(*)::int from event group by 1
    union all select 'journal ' || kind, count(*)::int from journal group by 1
    union all select 'incarnation ' || cause, count(*)::int from incarnation group by 1
    union all select 'delivery ' || state, count(*)::int from delivery group by 1
    order by 1`)
  const sent = keyed?.sent ?? []
  return {
    ...Object.fromEntries(rows.map(({ name, count }) => [name, count])),
    'request answered again': sent.filter(({ answers }) => answers.length > 1).length,
    'request rejected for its key': sent.filter((one) => one.lastProblem === 'idempotency-conflict').length,
  }
}
