/**
 * Removes rows from the database as the promotion of a standby that lagged does: no other row refers to them
 * any more.
 */
import sql from 'sql-template-tag'
import type { TestDatabase } from './database.ts'

/** Removes the invoice and everything that belongs to it, as if it had never been created. */
export async function loseInvoice({ owner }: TestDatabase, invoiceId: string): Promise<void> {
  await loseAddress({ owner }, invoiceId)
  await owner.query(sql`delete from invoice where id = ${invoiceId}`)
}

/** Removes the quotes of an invoice, and unassigns its addresses. The addresses stay derived. */
export async function loseAddress({ owner }: Pick<TestDatabase, 'owner'>, invoiceId: string): Promise<void> {
  await owner.query(sql`delete from quote where invoice_id = ${invoiceId}`)
  await owner.query(sql`
    update address set network = null, merchant_id = null, invoice_id = null, payment_method_id = null,
      assigned_at = null, assignment_mac = null
    where invoice_id = ${invoiceId}`)
}

/**
 * Removes unassigned addresses and their empty branches, as if they had been derived in the lost time as
 * well.
 */
export async function loseFreeAddresses({ owner }: TestDatabase): Promise<void> {
  await owner.query(sql`delete from address where assigned_at is null`)
  await owner.query(sql`
    delete from address_branch where not exists (
      select from address where address.family = address_branch.family and address.branch = address_branch.branch)`)
}

export async function loseEvents({ owner }: TestDatabase, merchantId: string): Promise<void> {
  await owner.query(sql`delete from delivery where merchant_id = ${merchantId}`)
  await owner.query(sql`delete from event where merchant_id = ${merchantId}`)
  await owner.query(sql`delete from event_counter where merchant_id = ${merchantId}`)
}

/** Makes every loss look noticed a minute ago, so that no process waits for further witnesses. */
export async function ageLosses({ owner }: Pick<TestDatabase, 'owner'>): Promise<void> {
  await owner.query(sql`update loss_recovery set noted_at = noted_at - interval '1 minute'`)
  await owner.query(sql`update loss_put_back set beat_at = beat_at - interval '1 minute'`)
}

/** Removes all losses, as in a database that never lost anything. */
export async function forgetLosses({ owner }: Pick<TestDatabase, 'owner'>): Promise<void> {
  await owner.query(sql`delete from loss_recovery`)
  await owner.query(sql`delete from loss_put_back`)
}

/** Records an incarnation on the current timeline, as a process does that notices a loss. */
export async function beginIncarnation(
  { owner }: Pick<TestDatabase, 'owner'>,
  number: number,
): Promise<void> {
  await owner.query(sql`
    insert into incarnation (number, cause, system_identifier, timeline)
    values (${number}, ${number === 1 ? 'first' : 'loss'}, 'test', current_wal_timeline())`)
}

/**
 * Opens a branch like a process of this server life that has stored no address on it yet. The branch before
 * it is empty too.
 */
export async function useBranch({ owner }: Pick<TestDatabase, 'owner'>, branch: number): Promise<void> {
  await owner.query(sql`delete from address where branch in (${branch}, ${branch - 1})`)
  await owner.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, database_id, server_started_at)
    select 'evm', ${branch}, max(xpub_fingerprint), (select id from database_identity), pg_postmaster_start_time()
    from address_branch
    on conflict (family, branch) do update
      set database_id = excluded.database_id, server_started_at = excluded.server_started_at`)
}
