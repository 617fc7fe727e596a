/** Halts of single assets: their money stays where it is until an operator lifts them, and other assets go on. */
import sql from 'sql-template-tag'
import { newId } from '../../../core/ids.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'

/**
 * false-deposit: the chain contradicts a deposit that was credited. insolvent: the chain holds less than the books say.
 * payout-without-transfer: a payout was mined with success and did not move what it was to move.
 */
export type AssetHaltCause = 'false-deposit' | 'insolvent' | 'payout-without-transfer'

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
 * With an entry in the audit log, so that one which is deleted is missed.
 * @returns whether it is new; one of that asset that stands already stays as it is
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

/** @returns the halt that was there */
export function deleteAssetHalt(on: Queryable, asset: string): Promise<AssetHalt | undefined> {
  return one<AssetHalt>(
    on,
    sql`delete from asset_halt where asset = ${asset} returning asset, cause, detail, since`,
  )
}
