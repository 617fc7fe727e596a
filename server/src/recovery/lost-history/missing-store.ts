/**
 * Finds the facts that a process remembers and the database does not contain. Each function returns the
 * indexes of the missing facts in the given list.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { GivenAddress, MadeDecision } from '../../payments/invoices/invoice-facts.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { GivenAnswer } from '../../platform/http/idempotency/idempotency-store.ts'

type MissingOrdinals = Promise<ReadonlySet<number>>

/**
 * Returns the indexes of the `wanted` rows for which the query `isThere` finds nothing.
 * @param wanted rows whose last column, `ordinal`, counts from 1
 */
async function findOrdinals(on: Queryable, wanted: Sql, isThere: Sql): MissingOrdinals {
  const rows = await on.query<{ ordinal: number }>(
    sql`select ordinal from ${wanted} where not exists (${isThere})`,
  )
  return new Set(rows.map(({ ordinal }) => ordinal - 1))
}

const idsOf = (ids: readonly string[]) =>
  sql`unnest(${[...ids]}::uuid[]) with ordinality as wanted (id, ordinal)`

export function findMissingInvoices(on: Queryable, ids: readonly string[]): MissingOrdinals {
  return findOrdinals(on, idsOf(ids), sql`select from invoice where invoice.id = wanted.id`)
}

export function findMissingQuotes(on: Queryable, ids: readonly string[]): MissingOrdinals {
  return findOrdinals(on, idsOf(ids), sql`select from quote where quote.id = wanted.id`)
}

export function findMissingEvents(on: Queryable, ids: readonly string[]): MissingOrdinals {
  return findOrdinals(on, idsOf(ids), sql`select from event where event.id = wanted.id`)
}

export function findMissingWithdrawals(on: Queryable, ids: readonly string[]): MissingOrdinals {
  return findOrdinals(on, idsOf(ids), sql`select from withdrawal where withdrawal.id = wanted.id`)
}

/**
 * Returns the indexes of the missing addresses. An address that exists but belongs to no invoice or to
 * another invoice counts as missing.
 */
export function findMissingAddresses(on: Queryable, given: readonly GivenAddress[]): MissingOrdinals {
  return findOrdinals(
    on,
    sql`unnest(
      ${given.map(({ derived }) => derived.family)}::text[], ${given.map(({ derived }) => derived.address)}::text[],
      ${given.map(({ assignment }) => assignment.invoiceId)}::uuid[]
    ) with ordinality as wanted (family, address, invoice_id, ordinal)`,
    sql`select from address where address.family = wanted.family and address.address = wanted.address
        and address.invoice_id = wanted.invoice_id`,
  )
}

export function findMissingDecisions(on: Queryable, made: readonly MadeDecision[]): MissingOrdinals {
  return findOrdinals(
    on,
    sql`unnest(${made.map(({ invoiceId }) => invoiceId)}::uuid[], ${made.map(({ action }) => action)}::text[])
      with ordinality as wanted (invoice_id, action, ordinal)`,
    sql`select from invoice where invoice.id = wanted.invoice_id and case wanted.action
          when 'invoice.accepted' then accepted_at when 'invoice.closed' then closed_at else deleted_at end is not null`,
  )
}

export function findMissingAnswers(on: Queryable, given: readonly GivenAnswer[]): MissingOrdinals {
  return findOrdinals(
    on,
    sql`unnest(${given.map(({ request }) => request.scopeId)}::uuid[], ${given.map(({ request }) => request.key)}::text[])
      with ordinality as wanted (scope_id, key, ordinal)`,
    sql`select from idempotency_key stored where stored.scope_id = wanted.scope_id and stored.key = wanted.key
        and stored.status is not null`,
  )
}
