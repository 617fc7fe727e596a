import sql from 'sql-template-tag'
import { named, type Queryable } from '../db/pool.ts'
import type { LimitOverride, LimitType } from './limit.ts'

interface OverrideRow {
  readonly merchant_id: string | null
  readonly payment_method_id: number | null
  readonly type: LimitType
  readonly minimum_usd: string | null
  readonly minimum_minor: string | null
}

/** What operators set for a merchant and for all merchants. */
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
