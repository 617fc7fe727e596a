/** The SQL of merchants: settings, deletion and access. */
import sql, { empty } from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { named, one, type Queryable } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'
import type { Caller } from '../platform/http/auth.ts'
import { offsetOf, type Paging } from '../platform/http/wire.ts'
import type { Merchant, PaidWhen } from './merchant.ts'

/**
 * Stores a merchant with its creator as owner. Does nothing if the id exists already: in that case, an
 * earlier attempt of the same request has stored the merchant.
 */
export async function insertMerchant(
  on: Queryable,
  { id, name, ownerId }: { id: string; name: string; ownerId: string },
): Promise<void> {
  await on.query(sql`
    with made as (insert into merchant (id, name) values (${id}, ${name}) on conflict (id) do nothing returning id)
    insert into member (account_id, merchant_id, role) select ${ownerId}, id, 'owner' from made`)
}

/** Restores a merchant of whom only the id is known. An operator must find out who owns the merchant. */
export async function insertLostMerchant(on: Queryable, id: string): Promise<void> {
  await on.query(sql`
    insert into merchant (id, name) values (${id}, 'Restored from the log of the signer') on conflict (id) do nothing`)
}

interface MerchantRow {
  readonly id: string
  readonly name: string
  readonly paid_when: PaidWhen
  readonly tolerance_basis_points: number
  readonly credits_wrong_network: boolean
  readonly ip_whitelist: string[]
  readonly url: string | null
}

export function findMerchant(on: Queryable, merchantId: string): Promise<Merchant | undefined> {
  return selectMerchant(on, merchantId, false)
}

/** Returns the merchant and locks its row until the transaction ends. */
export function lockMerchant(tx: Tx, merchantId: string): Promise<Merchant | undefined> {
  return selectMerchant(tx, merchantId, true)
}

async function selectMerchant(
  on: Queryable,
  merchantId: string,
  isLocking: boolean,
): Promise<Merchant | undefined> {
  const row = await one<MerchantRow>(
    on,
    sql`
      select m.id, m.name, m.paid_when, m.tolerance_basis_points, m.credits_wrong_network, m.ip_whitelist, w.url
      from merchant m left join webhook_endpoint w on w.merchant_id = m.id
      where m.id = ${merchantId} and m.deleted_at is null ${isLocking ? sql`for no key update of m` : empty}`,
  )
  if (row === undefined) return undefined
  const { id, name, paid_when, tolerance_basis_points, credits_wrong_network, ip_whitelist, url } = row
  return {
    id,
    name,
    settings: {
      webhookUrl: url ?? undefined,
      ipWhitelist: ip_whitelist,
      paidWhen: paid_when,
      toleranceBasisPoints: tolerance_basis_points,
      creditsWrongNetwork: credits_wrong_network,
    },
  }
}

export async function updateMerchant(tx: Tx, { id, name, settings }: Merchant): Promise<void> {
  await tx.query(sql`
    update merchant set name = ${name}, paid_when = ${settings.paidWhen},
      tolerance_basis_points = ${settings.toleranceBasisPoints},
      credits_wrong_network = ${settings.creditsWrongNetwork}
    where id = ${id}`)
}

/**
 * Marks a merchant as deleted. No list or route shows a deleted merchant. The caller must have locked the
 * merchant's row.
 */
export async function markDeleted(tx: Tx, merchantId: string): Promise<void> {
  await tx.query(sql`update merchant set deleted_at = coffer_now() where id = ${merchantId}`)
}

export interface DeletedMerchant {
  readonly id: string
  readonly name: string
  /** Undefined if the merchant is not deleted. */
  readonly deletedAt: Date | undefined
  /** Whether the merchant was deleted recently enough to be restored. */
  readonly isRestorable: boolean
}

const deletedColumns = sql`id, name, deleted_at as "deletedAt",
  deleted_at > coffer_now() - ${limits.merchantRestoreDays} * interval '24 hours' as "isRestorable"`

/** Returns a merchant, deleted or not, and locks its row until the transaction ends. */
export async function lockAnyMerchant(tx: Tx, merchantId: string): Promise<DeletedMerchant | undefined> {
  const row = await one<DeletedMerchant & { deletedAt: Date | null }>(
    tx,
    sql`select ${deletedColumns} from merchant where id = ${merchantId} for no key update`,
  )
  return row === undefined ? undefined : { ...row, deletedAt: row.deletedAt ?? undefined }
}

/** Returns the merchants that can be restored, latest deletion first. */
export function listRestorable(on: Queryable): Promise<readonly DeletedMerchant[]> {
  return on.query<DeletedMerchant>(sql`
    select ${deletedColumns} from merchant
    where deleted_at > coffer_now() - ${limits.merchantRestoreDays} * interval '24 hours'
    order by deleted_at desc, id desc limit ${limits.pageRowsMax}`)
}

export async function unmarkDeleted(tx: Tx, merchantId: string): Promise<void> {
  await tx.query(sql`update merchant set deleted_at = null where id = ${merchantId}`)
}

/**
 * Returns the merchants among `merchantIds` that are deleted. The money of a deleted merchant is booked to
 * other accounts, so none of `merchantIds` can be deleted or restored until the transaction ends. Callers must
 * call this function before they lock any ledger account of these merchants. Deleting or restoring a merchant
 * locks in the same order, so the transactions cannot deadlock.
 */
export async function lockDeleted(tx: Tx, merchantIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (merchantIds.length === 0) return new Set()
  const rows = await tx.query<{ id: string; deleted: boolean }>(
    named(
      'merchants-lock-deleted',
      sql`select id, deleted_at is not null as deleted from merchant
          where id = any (${[...merchantIds]}::uuid[]) order by id for share`,
    ),
  )
  return new Set(rows.filter(({ deleted }) => deleted).map(({ id }) => id))
}

/** Returns the merchants among `merchantIds` that credit payments on the wrong network without a decision. */
export async function readCreditingWrongNetwork(
  on: Queryable,
  merchantIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (merchantIds.length === 0) return new Set()
  const rows = await on.query<{ id: string }>(
    sql`select id from merchant where id = any (${[...merchantIds]}::uuid[]) and credits_wrong_network`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Returns the names of these merchants, including deleted merchants. */
export async function readMerchantNames(
  on: Queryable,
  merchantIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (merchantIds.length === 0) return new Map()
  const rows = await on.query<{ id: string; name: string }>(
    sql`select id, name from merchant where id = any (${[...merchantIds]}::uuid[])`,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Replaces the IP list. Returns false if the merchant does not exist any more. */
export async function replaceIpList(tx: Tx, merchantId: string, ranges: readonly string[]): Promise<boolean> {
  const row = await one(
    tx,
    sql`update merchant set ip_whitelist = ${[...ranges]} where id = ${merchantId} and deleted_at is null returning 1`,
  )
  return row !== undefined
}

/** Empties the IP list and returns whether it had entries. */
export async function emptyIpList(tx: Tx, merchantId: string): Promise<boolean> {
  const row = await one(
    tx,
    sql`update merchant set ip_whitelist = '{}' where id = ${merchantId} and ip_whitelist <> '{}' returning 1`,
  )
  return row !== undefined
}

/**
 * Returns the merchants that a caller can access, newest first. These are the merchants of the account, or
 * the single merchant of the API key.
 */
export async function listMerchants(
  on: Queryable,
  caller: Caller,
  paging: Paging,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const isVisible =
    caller.type === 'key'
      ? sql`m.id = ${caller.merchantId}`
      : sql`exists (select 1 from member mb where mb.merchant_id = m.id and mb.account_id = ${caller.accountId})`
  return on.query<{ id: string; name: string }>(sql`
    select m.id, m.name from merchant m
    where ${isVisible} and m.deleted_at is null
    order by m.created_at desc, m.id desc
    limit ${paging.limit} offset ${offsetOf(paging)}`)
}
