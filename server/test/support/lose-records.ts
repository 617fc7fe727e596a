/** Takes rows out of the database as a promotion of a standby that lagged does: nothing else knows of them any more. */
import sql from 'sql-template-tag'
import type { TestDatabase } from './database.ts'

/** The invoice and everything that hangs on it, as if it had never been made. */
export async function loseInvoice({ owner }: TestDatabase, invoiceId: string): Promise<void> {
  await loseAddress({ owner }, invoiceId)
  await owner.query(sql`delete from invoice where id = ${invoiceId}`)
}

/** That addresses were given to an invoice, and prices promised; the addresses stay derived. */
export async function loseAddress({ owner }: Pick<TestDatabase, 'owner'>, invoiceId: string): Promise<void> {
  await owner.query(sql`delete from quote where invoice_id = ${invoiceId}`)
  await owner.query(sql`
    update address set network = null, merchant_id = null, invoice_id = null, payment_method_id = null,
      assigned_at = null, assignment_mac = null
    where invoice_id = ${invoiceId}`)
}

/** Addresses that nobody has, with their branches: they were derived in the lost time as well. */
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

/** As if every loss had been noticed a minute ago, so that nobody waits for other witnesses any more. */
export async function ageLosses({ owner }: Pick<TestDatabase, 'owner'>): Promise<void> {
  await owner.query(sql`update loss_recovery set noted_at = noted_at - interval '1 minute'`)
  await owner.query(sql`update loss_put_back set beat_at = beat_at - interval '1 minute'`)
}

/** A database that never lost anything. */
export async function forgetLosses({ owner }: Pick<TestDatabase, 'owner'>): Promise<void> {
  await owner.query(sql`delete from loss_recovery`)
  await owner.query(sql`delete from loss_put_back`)
}

/** Records an incarnation as a process does that notices a loss, on the timeline that there is. */
export async function beginIncarnation(
  { owner }: Pick<TestDatabase, 'owner'>,
  number: number,
): Promise<void> {
  await owner.query(sql`
    insert into incarnation (number, cause, system_identifier, timeline)
    values (${number}, ${number === 1 ? 'first' : 'loss'}, 'test', current_wal_timeline())`)
}

/** Opens a branch as a process of this life does, which has stored no address on it yet; the one before it holds none either. */
export async function useBranch({ owner }: Pick<TestDatabase, 'owner'>, branch: number): Promise<void> {
  await owner.query(sql`delete from address where branch in (${branch}, ${branch - 1})`)
  await owner.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, incarnation_id, server_started_at)
    select 'evm', ${branch}, max(xpub_fingerprint), (select id from database_incarnation), pg_postmaster_start_time()
    from address_branch
    on conflict (family, branch) do update
      set incarnation_id = excluded.incarnation_id, server_started_at = excluded.server_started_at`)
}
