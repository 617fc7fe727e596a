import sql from 'sql-template-tag'
import type { Tx } from '../../platform/db/transaction.ts'

/** An asset on an address. */
export interface SetbackPlace {
  readonly addressId: number
  readonly asset: string
}

/** How often each of some assets could not be taken from its address, this time included. */
export async function raiseSetbacks(
  tx: Tx,
  places: readonly SetbackPlace[],
): Promise<readonly (SetbackPlace & { readonly tries: number })[]> {
  const rows = await tx.query<{ address_id: number; asset: string; tries: number }>(sql`
    insert into sweep_setback (address_id, asset, tries)
    select address_id, asset, 1
    from unnest(${places.map(({ addressId }) => addressId)}::bigint[], ${places.map(({ asset }) => asset)}::text[])
      as place (address_id, asset)
    order by address_id, asset
    on conflict (address_id, asset) do update set tries = sweep_setback.tries + 1, failed_at = now()
    returning address_id, asset, tries`)
  return rows.map((row) => ({ addressId: row.address_id, asset: row.asset, tries: row.tries }))
}

/** When each is tried again; null for not by itself. */
export async function scheduleRetries(
  tx: Tx,
  retries: readonly (SetbackPlace & { readonly retryAfterS: number | null })[],
): Promise<void> {
  await tx.query(sql`
    update sweep_setback setback set retry_at = now() + retry."retryAfterS" * interval '1 second'
    from jsonb_to_recordset(${JSON.stringify(retries)}::jsonb)
      as retry ("addressId" bigint, asset text, "retryAfterS" integer)
    where setback.address_id = retry."addressId" and setback.asset = retry.asset`)
}

/** What was taken is not set back any more. */
export async function clearSetbacks(tx: Tx, places: readonly SetbackPlace[]): Promise<void> {
  await tx.query(sql`
    delete from sweep_setback using unnest(
      ${places.map(({ addressId }) => addressId)}::bigint[], ${places.map(({ asset }) => asset)}::text[]
    ) as place (address_id, asset)
    where sweep_setback.address_id = place.address_id and sweep_setback.asset = place.asset`)
}
