/**
 * Stores the spend floor of each asset: the smallest amount on a deposit address that is worth the cost of a
 * sweep.
 */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'

export interface SpendFloor {
  readonly asset: string
  /** An amount on one address that is below this floor is not swept. */
  readonly floorMinor: bigint
}

/** Stores the spend floors of some assets. Floors that have not changed are not written. */
export async function saveSpendFloors(
  on: Queryable,
  network: string,
  floors: readonly SpendFloor[],
): Promise<void> {
  if (floors.length === 0) return
  await on.query(sql`
    insert into spend_floor (network, asset, floor_minor)
    select ${network}, floor.asset, floor.minor
    from unnest(
      ${floors.map(({ asset }) => asset)}::text[], ${floors.map(({ floorMinor }) => `${floorMinor}`)}::numeric[]
    ) as floor (asset, minor)
    on conflict (network, asset) do update set floor_minor = excluded.floor_minor, noted_at = coffer_now()
    where spend_floor.floor_minor <> excluded.floor_minor`)
}
