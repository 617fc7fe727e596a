/** Which of the facts that a process remembers the database does not hold, by their places in the list. */
import sql, { type Sql } from 'sql-template-tag'
import type { GivenAddress, MadeDecision } from '../../payments/invoices/invoice-facts.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { GivenAnswer } from '../../platform/http/idempotency/idempotency-store.ts'

type Places = Promise<ReadonlySet<number>>

/** @param wanted rows whose last column, `place`, counts from 1 */
async function placesOf(on: Queryable, wanted: Sql, isThere: Sql): Places {
  const rows = await on.query<{ place: number }>(
    sql`select place from ${wanted} where not exists (${isThere})`,
  )
  return new Set(rows.map(({ place }) => place - 1))
}

const idsOf = (ids: readonly string[]) =>
  sql`unnest(${[...ids]}::uuid[]) with ordinality as wanted (id, place)`

export function findMissingInvoices(on: Queryable, ids: readonly string[]): Places {
  return placesOf(on, idsOf(ids), sql`select from invoice where invoice.id = wanted.id`)
}

export function findMissingQuotes(on: Queryable, ids: readonly string[]): Places {
  return placesOf(on, idsOf(ids), sql`select from quote where quote.id = wanted.id`)
}

export function findMissingEvents(on: Queryable, ids: readonly string[]): Places {
  return placesOf(on, idsOf(ids), sql`select from event where event.id = wanted.id`)
}

export function findMissingWithdrawals(on: Queryable, ids: readonly string[]): Places {
  return placesOf(on, idsOf(ids), sql`select from withdrawal where withdrawal.id = wanted.id`)
}

/** An address that is there and is nobody's, or somebody else's, is missing too. */
export function findMissingAddresses(on: Queryable, given: readonly GivenAddress[]): Places {
  return placesOf(
    on,
    sql`unnest(
      ${given.map(({ place }) => place.family)}::text[], ${given.map(({ place }) => place.address)}::text[],
      ${given.map(({ assignment }) => assignment.invoiceId)}::uuid[]
    ) with ordinality as wanted (family, address, invoice_id, place)`,
    sql`select from address where address.family = wanted.family and address.address = wanted.address
        and address.invoice_id = wanted.invoice_id`,
  )
}

export function findMissingDecisions(on: Queryable, made: readonly MadeDecision[]): Places {
  return placesOf(
    on,
    sql`unnest(${made.map(({ invoiceId }) => invoiceId)}::uuid[], ${made.map(({ action }) => action)}::text[])
      with ordinality as wanted (invoice_id, action, place)`,
    sql`select from invoice where invoice.id = wanted.invoice_id and case wanted.action
          when 'invoice.accepted' then accepted_at when 'invoice.closed' then closed_at else deleted_at end is not null`,
  )
}

export function findMissingAnswers(on: Queryable, given: readonly GivenAnswer[]): Places {
  return placesOf(
    on,
    sql`unnest(${given.map(({ request }) => request.scopeId)}::uuid[], ${given.map(({ request }) => request.key)}::text[])
      with ordinality as wanted (scope_id, key, place)`,
    sql`select from idempotency_key stored where stored.scope_id = wanted.scope_id and stored.key = wanted.key
        and stored.status is not null`,
  )
}
