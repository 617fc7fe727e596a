/**
 * Halts of single assets. No payment of a halted asset leaves until an operator lifts the halt. Other assets
 * are not affected.
 */
import sql from 'sql-template-tag'
import { newId } from '../../../core/ids.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'

/**
 * The cause of the halt of an asset:
 * - `false-deposit`: the chain contradicts a deposit that was credited.
 * - `insolvent`: our addresses hold less of the asset than the books say.
 * - `missing-transfer`: an outgoing transaction was mined with success but lacks an expected transfer.
 */
export type AssetHaltCause = 'false-deposit' | 'insolvent' | 'missing-transfer'

export interface AssetHalt {
  readonly asset: string
  readonly cause: AssetHaltCause
  readonly detail: string
  readonly since: Date
}

export function readAssetHalts(on: Queryable): Promise<readonly AssetHalt[]> {
  return on.query<AssetHalt>(sql`select asset, cause, detail, since from asset_halt order by asset`)
}

/**
 * Stores the halt of an asset, and an entry in the audit log. The entry stays even if somebody deletes the
 * halt.
 * @returns true if the halt is new; an existing halt of the asset stays unchanged
 */
export async function insertAssetHalt(
  on: Queryable,
  { asset, cause, detail }: Omit<AssetHalt, 'since'>,
): Promise<boolean> {
  const row = await one(
    on,
    sql`
      with halted as (
        insert into asset_halt (asset, cause, detail) values (${asset}, ${cause}, ${detail})
        on conflict (asset) do nothing returning asset, cause, detail
      )
      insert into audit_entry (id, action, subject, details)
      select ${newId()}, 'payouts.asset_halted', asset, jsonb_build_object('cause', cause, 'detail', detail) from halted
      returning subject`,
  )
  return row !== undefined
}

/**
 * Deletes the halt of an asset.
 * @returns the deleted halt; undefined if there was none
 */
export function deleteAssetHalt(on: Queryable, asset: string): Promise<AssetHalt | undefined> {
  return one<AssetHalt>(
    on,
    sql`delete from asset_halt where asset = ${asset} returning asset, cause, detail, since`,
  )
}
