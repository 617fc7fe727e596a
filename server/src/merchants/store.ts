import sql, { empty } from 'sql-template-tag'
import { limits } from '../core/limits.ts'
import { named, one, type Queryable } from '../platform/db/pool.ts'
import type { Tx } from '../platform/db/transaction.ts'
import type { Caller } from '../platform/http/auth.ts'
import { offsetOf, type Paging } from '../platform/http/wire.ts'
import type { Merchant, PaidWhen } from './merchant.ts'

/** A merchant with the account that made it as its owner; nothing when the id is in use, as by a run before. */
export async function insertMerchant(
  on: Queryable,
  { id, name, ownerId }: { id: string; name: string; ownerId: string },
): Promise<void> {
  await on.query(sql`
    with made as (insert into merchant (id, name) values (${id}, ${name}) on conflict (id) do nothing returning id)
    insert into member (account_id, merchant_id, role) select ${ownerId}, id, 'owner' from made`)
}

/** A merchant of whom nothing is known but that it was there; an operator finds out whose it was. */
export async function insertLostMerchant(on: Queryable, id: string): Promise<void> {
  await on.query(sql`
    insert into merchant (id, name) values (${id}, 'Restored from the log of the signer') on conflict (id) do nothing`)
}

interface MerchantRow {
  readonly id: string
  readonly name: string
  readonly paid_when: PaidWhen
  readonly tolerance_basis_points: number
  readonly ip_whitelist: string[]
  readonly url: string | null
}

export function findMerchant(on: Queryable, merchantId: string): Promise<Merchant | undefined> {
  return selectMerchant(on, merchantId, false)
}

/** Holds the merchant's row until the transaction ends. */
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
      select m.id, m.name, m.paid_when, m.tolerance_basis_points, m.ip_whitelist, w.url
      from merchant m left join webhook_endpoint w on w.merchant_id = m.id
      where m.id = ${merchantId} and m.deleted_at is null ${isLocking ? sql`for no key update of m` : empty}`,
  )
  if (row === undefined) return undefined
  const { id, name, paid_when, tolerance_basis_points, ip_whitelist, url } = row
  return {
    id,
    name,
    settings: {
      webhookUrl: url ?? undefined,
      ipWhitelist: ip_whitelist,
      paidWhen: paid_when,
      toleranceBasisPoints: tolerance_basis_points,
    },
  }
}

export async function updateMerchant(tx: Tx, { id, name, settings }: Merchant): Promise<void> {
  await tx.query(sql`
    update merchant set name = ${name}, paid_when = ${settings.paidWhen},
      tolerance_basis_points = ${settings.toleranceBasisPoints}
    where id = ${id}`)
}

/** Takes the merchant out of every list and route; its row is locked. Returns since when. */
export async function markDeleted(tx: Tx, merchantId: string): Promise<Date> {
  const row = await one<{ deleted_at: Date }>(
    tx,
    sql`update merchant set deleted_at = now() where id = ${merchantId} returning deleted_at`,
  )
  if (row === undefined) throw new Error(`merchant ${merchantId} is gone`)
  return row.deleted_at
}

export interface DeletedMerchant {
  readonly id: string
  readonly name: string
  /** Undefined for one that is not deleted. */
  readonly deletedAt: Date | undefined
  /** Whether it was deleted so recently that it can be restored. */
  readonly isRestorable: boolean
}

const deletedColumns = sql`id, name, deleted_at as "deletedAt",
  deleted_at > now() - ${limits.merchantRestoreDays} * interval '24 hours' as "isRestorable"`

/** A merchant, deleted or not, held until the transaction ends. */
export async function lockAnyMerchant(tx: Tx, merchantId: string): Promise<DeletedMerchant | undefined> {
  const row = await one<DeletedMerchant & { deletedAt: Date | null }>(
    tx,
    sql`select ${deletedColumns} from merchant where id = ${merchantId} for no key update`,
  )
  return row === undefined ? undefined : { ...row, deletedAt: row.deletedAt ?? undefined }
}

/** The merchants that can be restored, the latest deletion first. */
export function listRestorable(on: Queryable): Promise<readonly DeletedMerchant[]> {
  return on.query<DeletedMerchant>(sql`
    select ${deletedColumns} from merchant
    where deleted_at > now() - ${limits.merchantRestoreDays} * interval '24 hours'
    order by deleted_at desc, id desc limit ${limits.pageRowsMax}`)
}

export async function unmarkDeleted(tx: Tx, merchantId: string): Promise<void> {
  await tx.query(sql`update merchant set deleted_at = null where id = ${merchantId}`)
}

/**
 * Which of these merchants are deleted. None of them is deleted or restored before the transaction ends, so that money
 * is booked where it belongs; to be called before any of their ledger accounts is locked.
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

/** What these merchants are called, also those that are deleted. */
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

/** Replaces the IP list; false when there is no such merchant any more. */
export async function replaceIpList(tx: Tx, merchantId: string, ranges: readonly string[]): Promise<boolean> {
  const row = await one(
    tx,
    sql`update merchant set ip_whitelist = ${[...ranges]} where id = ${merchantId} and deleted_at is null returning 1`,
  )
  return row !== undefined
}

/** Whether there was an IP list to empty. */
export async function emptyIpList(tx: Tx, merchantId: string): Promise<boolean> {
  const row = await one(
    tx,
    sql`update merchant set ip_whitelist = '{}' where id = ${merchantId} and ip_whitelist <> '{}' returning 1`,
  )
  return row !== undefined
}

/** The merchants a caller sees, newest first: an account's own, or the one of the key. */
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
