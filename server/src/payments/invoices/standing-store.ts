import sql from 'sql-template-tag'
import { groupBy } from '../../core/group-by.ts'
import { named } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { CollectState, InvoiceException, InvoiceState } from './invoice.ts'

/** How a network's blocks have been booked, for expiry: nothing mined before `bookedUntil` is missing. */
export interface BookedUntil {
  readonly paymentMethodId: number
  readonly bookedUntil: Date
}

/**
 * Locks pending invoices whose time is over and of whose networks every block mined in that time is booked. One with
 * a payment in time that is in a block and waits for confirmation, or is in quarantine, is not over yet, nor is one with a
 * payment in time that has waited in a mempool for less than 72 hours, nor one whose claim is being paid.
 */
export async function lockExpired(
  tx: Tx,
  booked: readonly BookedUntil[],
  rows: number,
): Promise<readonly string[]> {
  const latest = new Date(Math.max(0, ...booked.map(({ bookedUntil }) => bookedUntil.getTime())))
  const found = await tx.query<{ id: string }>(sql`
    with booked as (
      select * from jsonb_to_recordset(${JSON.stringify(booked)}::jsonb)
        as booked ("paymentMethodId" integer, "bookedUntil" timestamptz)
    )
    select invoice.id from invoice
    where state = 'pending' and expires_at <= least(now(), ${latest}) and claimed_at is null and not exists (
      select from unnest(payment_method_ids) method (id)
      left join booked on booked."paymentMethodId" = method.id
      where booked."bookedUntil" is null or booked."bookedUntil" < invoice.expires_at)
    and not exists (
      select from transaction
      where transaction.invoice_id = invoice.id and transaction.in_time_at < invoice.expires_at
        and case when block_height is not null
          then transaction.state = 'pending' or transaction.quarantine = 'held'
          else transaction.state = 'pending' and unseen_since is null and replaced_by is null
            and first_seen_at > now() - interval '72 hours' end)
    order by expires_at limit ${rows}
    for update of invoice skip locked`)
  return found.map(({ id }) => id)
}

/** A new standing of an invoice, as it is stored. */
export interface StandingRow {
  readonly id: string
  readonly state: InvoiceState
  readonly exceptions: readonly InvoiceException[]
  readonly paidPeriods: number
  readonly paidAt: Date | undefined
  /** Whether screening let all that was paid pass. */
  readonly amlOk: boolean
}

export async function saveStandings(tx: Tx, standings: readonly StandingRow[]): Promise<void> {
  await tx.query(
    named(
      'save-standings',
      sql`
      update invoice
      set state = standing.state, exceptions = standing.exceptions, paid_periods = standing."paidPeriods",
          paid_at = standing."paidAt", aml_ok = standing."amlOk"
      from jsonb_to_recordset(${JSON.stringify(standings)}::jsonb)
        as standing (id uuid, state text, exceptions text[], "paidPeriods" integer, "paidAt" timestamptz,
          "amlOk" boolean)
      where invoice.id = standing.id`,
    ),
  )
}

/**
 * The full payments of reusable invoices that were told, by invoice: of some transactions, and all of those that pay
 * another invoice by now, as one mined again may.
 */
export async function readTold(
  tx: Tx,
  invoiceIds: readonly string[],
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await tx.query<{ invoice_id: string; transaction_id: string }>(
    named(
      'read-told',
      sql`
      select invoice_id, transaction_id from full_payment
      where invoice_id = any(${[...invoiceIds]}) and transaction_id = any(${[...transactionIds]})
      union
      select told.invoice_id, told.transaction_id
      from full_payment told join transaction on transaction.id = told.transaction_id
      where told.invoice_id = any(${[...invoiceIds]}) and transaction.invoice_id is distinct from told.invoice_id`,
    ),
  )
  const grouped = groupBy(rows, (row) => row.invoice_id)
  return new Map([...grouped].map(([id, own]) => [id, new Set(own.map((row) => row.transaction_id))]))
}

/** A full payment of a reusable invoice that is told now, or taken back. */
export interface ToldRow {
  readonly invoiceId: string
  readonly transactionId: string
  readonly isFull: boolean
}

export async function saveTold(tx: Tx, rows: readonly ToldRow[]): Promise<void> {
  await tx.query(
    named(
      'save-told',
      sql`
      with told as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as told ("invoiceId" uuid, "transactionId" uuid, "isFull" boolean)
      ), taken_back as (
        delete from full_payment using told
        where invoice_id = "invoiceId" and transaction_id = "transactionId" and not "isFull"
      )
      insert into full_payment (invoice_id, transaction_id)
      select "invoiceId", "transactionId" from told where "isFull"`,
    ),
  )
}

export async function saveCollectStates(
  tx: Tx,
  changed: readonly { readonly id: string; readonly collectState: CollectState }[],
): Promise<void> {
  await tx.query(sql`
    update invoice set collect_state = changed."collectState"
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as changed (id uuid, "collectState" text)
    where invoice.id = changed.id`)
}
