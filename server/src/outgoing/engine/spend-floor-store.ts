/** From which amount on what lies on a deposit address is worth what taking it costs. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'

export interface SpendFloor {
  readonly asset: string
  /** Amounts on one address below it stay there. */
  readonly floorMinor: bigint
}

/** Keeps the floors of some assets; those that are as they were are not written. */
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
    on conflict (network, asset) do update set floor_minor = excluded.floor_minor, noted_at = now()
    where spend_floor.floor_minor <> excluded.floor_minor`)
}
