/** What the database tells of books that are to be adopted, and the locks and guards under which they are. */
import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** For a transaction that reads or writes the books from end to end. */
export async function mayTakeLong(tx: Tx): Promise<void> {
  await tx.allowStatements(0)
  await tx.query(sql`set local idle_in_transaction_session_timeout = 0`)
}

/**
 * Until the transaction ends nobody else writes the books; their own triggers, which keep even the owner from changing what is
 * posted, are off until `guardAgain`.
 */
export async function openForMacs(tx: Tx): Promise<void> {
  await mayTakeLong(tx)
  await tx.query(
    sql`lock table journal, journal_seal, journal_unsealed, transaction, quote, address in access exclusive mode`,
  )
  await tx.query(sql`alter table journal disable trigger user`)
  await tx.query(sql`alter table journal_seal disable trigger user`)
  await tx.query(sql`alter table transaction disable trigger user`)
  await tx.query(sql`alter table quote disable trigger user`)
  await tx.query(sql`alter table address disable trigger user`)
}

export async function guardAgain(tx: Tx): Promise<void> {
  await tx.query(sql`alter table journal enable trigger user`)
  await tx.query(sql`alter table journal_seal enable trigger user`)
  await tx.query(sql`alter table transaction enable trigger user`)
  await tx.query(sql`alter table quote enable trigger user`)
  await tx.query(sql`alter table address enable trigger user`)
}

/** What tells books that carry MACs, or orders that would never be paid. */
export interface Traces {
  readonly hasMacs: boolean
  /** Whether the signer countersigned heads of this history: it signs no other one then. */
  readonly hasHeads: boolean
  /** Orders that are pending and carry no signature. */
  readonly pending: number
}

export async function readTraces(on: Queryable): Promise<Traces> {
  const row = await one<Traces>(
    on,
    sql`
    select exists (select from journal where mac <> '') or exists (select from transaction where mac <> '')
        or exists (select from quote where mac <> '') or exists (select from address where assignment_mac is not null)
        as "hasMacs",
      exists (select from seal_countersignature) as "hasHeads",
      (select count(*)::int from withdrawal where state = 'pending' and order_signature is null) as pending`,
  )
  return required(row, 'a row of traces')
}

/** Sources of capital, as the audit log calls them, of which it does not say that anybody named them. */
export async function findUnnamedSources(on: Queryable): Promise<readonly string[]> {
  const rows = await on.query<{ subject: string }>(sql`
    select network || '/' || address as subject from capital_source source
    where not exists (
      select from audit_entry
      where action = 'treasury.capital_source_added' and subject = source.network || '/' || source.address)
    order by subject`)
  return rows.map(({ subject }) => subject)
}
