import sql from 'sql-template-tag'
import { groupBy } from '../../core/group-by.ts'
import { named } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { CollectState, InvoiceException, InvoiceState } from './invoice.ts'

/**
 * The time up to which the blocks of a method's network are booked. Every block mined before `bookedUntil` is
 * booked, so invoices that expire up to this time can end.
 */
export interface BookedUntil {
  readonly paymentMethodId: number
  readonly bookedUntil: Date
}

/**
 * Locks pending invoices that have expired, if their networks have booked every block mined before the
 * expiry. Returns their ids. Three kinds of invoices are skipped. The first has a payment in time that is in
 * a block, but pending or in quarantine. The second has a pending payment in time that has been in a mempool
 * for less than 72 hours. The third has a claim that is being paid.
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
    where state = 'pending' and expires_at <= least(coffer_now(), ${latest}) and claimed_at is null and not exists (
      select from unnest(payment_method_ids) method (id)
      left join booked on booked."paymentMethodId" = method.id
      where booked."bookedUntil" is null or booked."bookedUntil" < invoice.expires_at)
    and not exists (
      select from deposit
      where deposit.invoice_id = invoice.id and deposit.in_time_at < invoice.expires_at
        and case when block_height is not null
          then deposit.state = 'pending' or deposit.quarantine = 'held'
          else deposit.state = 'pending' and unseen_since is null and replaced_by is null
            and first_seen_at > coffer_now() - interval '72 hours' end)
    order by expires_at, id limit ${rows}
    for update of invoice skip locked`)
  return found.map(({ id }) => id)
}

/** The new status of an invoice, as it is stored. */
export interface StatusRow {
  readonly id: string
  readonly state: InvoiceState
  readonly exceptions: readonly InvoiceException[]
  readonly paidPeriods: number
  readonly paidAt: Date | undefined
  /** Whether all payments in blocks passed screening. */
  readonly amlOk: boolean
}

export async function saveStatuses(tx: Tx, statuses: readonly StatusRow[]): Promise<void> {
  await tx.query(
    named(
      'save-statuses',
      sql`
      update invoice
      set state = status.state, exceptions = status.exceptions, paid_periods = status."paidPeriods",
          paid_at = status."paidAt", aml_ok = status."amlOk"
      from jsonb_to_recordset(${JSON.stringify(statuses)}::jsonb)
        as status (id uuid, state text, exceptions text[], "paidPeriods" integer, "paidAt" timestamptz,
          "amlOk" boolean)
      where invoice.id = status.id`,
    ),
  )
}

/**
 * Returns the deposits that were reported as full payments of reusable invoices, by invoice. A reported
 * deposit is returned if it is among `depositIds`. It is also returned if it no longer pays this invoice,
 * which may happen when a deposit is mined again.
 */
export async function readFullPayments(
  tx: Tx,
  invoiceIds: readonly string[],
  depositIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await tx.query<{ invoice_id: string; deposit_id: string }>(
    named(
      'read-full-payments',
      sql`
      select invoice_id, deposit_id from full_payment
      where invoice_id = any(${[...invoiceIds]}) and deposit_id = any(${[...depositIds]})
      union
      select emitted.invoice_id, emitted.deposit_id
      from full_payment emitted join deposit on deposit.id = emitted.deposit_id
      where emitted.invoice_id = any(${[...invoiceIds]}) and deposit.invoice_id is distinct from emitted.invoice_id
      order by invoice_id, deposit_id`,
    ),
  )
  const grouped = groupBy(rows, (row) => row.invoice_id)
  return new Map([...grouped].map(([id, own]) => [id, new Set(own.map((row) => row.deposit_id))]))
}

/**
 * A deposit that is now reported as a full payment of a reusable invoice, or whose report is now reverted.
 */
export interface FullPaymentChange {
  readonly invoiceId: string
  readonly depositId: string
  readonly isFull: boolean
}

export async function saveFullPayments(tx: Tx, rows: readonly FullPaymentChange[]): Promise<void> {
  await tx.query(
    named(
      'save-full-payments',
      sql`
      with emitted as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as emitted ("invoiceId" uuid, "depositId" uuid, "isFull" boolean)
      ), taken_back as (
        delete from full_payment using emitted
        where invoice_id = "invoiceId" and deposit_id = "depositId" and not "isFull"
      )
      insert into full_payment (invoice_id, deposit_id)
      select "invoiceId", "depositId" from emitted where "isFull"`,
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
