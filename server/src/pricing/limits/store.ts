import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { offsetOf, type Paging } from '../../platform/http/wire.ts'
import type { LimitKey, LimitOverride, LimitType } from './limit.ts'

interface OverrideRow {
  readonly merchant_id: string | null
  readonly payment_method_id: number | null
  readonly type: LimitType
  readonly minimum_usd: string | null
  readonly minimum_minor: string | null
}

/** Returns the overrides for a merchant together with the overrides for all merchants. */
export async function readOverrides(on: Queryable, merchantId: string): Promise<readonly LimitOverride[]> {
  const rows = await on.query<OverrideRow>(
    named(
      'limits_of_merchant',
      sql`
        select merchant_id, payment_method_id, type, minimum_usd, minimum_minor from limit_override
        where merchant_id = ${merchantId} or merchant_id is null`,
    ),
  )
  return rows.map(toOverride)
}

function toOverride(row: OverrideRow): LimitOverride {
  return {
    type: row.type,
    merchantId: row.merchant_id ?? undefined,
    paymentMethodId: row.payment_method_id ?? undefined,
    minimum:
      row.minimum_minor === null
        ? { usd: BigInt(row.minimum_usd ?? 0) }
        : { minor: BigInt(row.minimum_minor) },
  }
}

/** The two minimums that were set for the same merchant and method. */
export interface OverridePair {
  readonly merchantId: string | undefined
  readonly paymentMethodId: number | undefined
  /**
   * The unit is 10^-8 USD if these two minimums apply to all methods, and the asset's smallest unit if they
   * apply to one method.
   */
  readonly minCollect: bigint | undefined
  readonly minWithdraw: bigint | undefined
}

interface PairRow {
  readonly merchant_id: string | null
  readonly payment_method_id: number | null
  readonly min_collect: string | null
  readonly min_withdraw: string | null
}

/**
 * Lists the overrides of one merchant, or all overrides if no merchant is given. Overrides without a merchant
 * come first, because they apply to every merchant.
 */
export async function listOverrides(
  on: Queryable,
  merchantId: string | undefined,
  paging: Paging,
): Promise<{ readonly pairs: readonly OverridePair[]; readonly total: number }> {
  const rows = await on.query<PairRow>(sql`
    select merchant_id, payment_method_id,
      max(coalesce(minimum_usd, minimum_minor)) filter (where type = 'collect') as min_collect,
      max(coalesce(minimum_usd, minimum_minor)) filter (where type = 'withdraw') as min_withdraw
    from limit_override
    where ${merchantId ?? null}::uuid is null or merchant_id = ${merchantId ?? null}
    group by merchant_id, payment_method_id
    order by merchant_id nulls first, payment_method_id nulls first
    limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(
    on,
    sql`select count(distinct (merchant_id, payment_method_id))::integer as total from limit_override
        where ${merchantId ?? null}::uuid is null or merchant_id = ${merchantId ?? null}`,
  )
  return { pairs: rows.map(toPair), total: counted?.total ?? 0 }
}

function toPair(row: PairRow): OverridePair {
  return {
    merchantId: row.merchant_id ?? undefined,
    paymentMethodId: row.payment_method_id ?? undefined,
    minCollect: row.min_collect === null ? undefined : BigInt(row.min_collect),
    minWithdraw: row.min_withdraw === null ? undefined : BigInt(row.min_withdraw),
  }
}

/**
 * Inserts an override. If an override with the same target exists, only its minimum is replaced.
 * @param id The id for a new row; an existing row keeps its id.
 */
export async function saveOverride(tx: Tx, id: string, override: LimitOverride): Promise<void> {
  const { type, merchantId = null, paymentMethodId = null, minimum } = override
  const usd = 'usd' in minimum ? minimum.usd.toString() : null
  const minor = 'minor' in minimum ? minimum.minor.toString() : null
  await tx.query(sql`
    insert into limit_override (id, merchant_id, payment_method_id, type, minimum_usd, minimum_minor)
    values (${id}, ${merchantId}, ${paymentMethodId}, ${type}, ${usd}, ${minor})
    on conflict on constraint limit_override_unique do update
    set minimum_usd = excluded.minimum_usd, minimum_minor = excluded.minimum_minor`)
}

/** Returns the override of exactly this key and locks its row. */
export async function lockOverride(tx: Tx, key: LimitKey): Promise<LimitOverride | undefined> {
  const row = await one<OverrideRow>(
    tx,
    sql`select merchant_id, payment_method_id, type, minimum_usd, minimum_minor from limit_override
        where ${isKey(key)} for update`,
  )
  return row === undefined ? undefined : toOverride(row)
}

export async function deleteOverride(tx: Tx, key: LimitKey): Promise<void> {
  await tx.query(sql`delete from limit_override where ${isKey(key)}`)
}

function isKey({ merchantId, paymentMethodId, type }: LimitKey) {
  return sql`type = ${type} and merchant_id is not distinct from ${merchantId ?? null}
    and payment_method_id is not distinct from ${paymentMethodId ?? null}`
}

/** Returns the overrides of one type for these merchants, together with the overrides for all merchants. */
export async function readOverridesOf(
  on: Queryable,
  merchantIds: readonly string[],
  type: LimitType,
): Promise<readonly LimitOverride[]> {
  const rows = await on.query<OverrideRow>(sql`
    select merchant_id, payment_method_id, type, minimum_usd, minimum_minor from limit_override
    where type = ${type} and (merchant_id is null or merchant_id = any(${[...merchantIds]}::uuid[]))`)
  return rows.map(toOverride)
}
