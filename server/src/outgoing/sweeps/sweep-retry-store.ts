import sql from 'sql-template-tag'
import type { Tx } from '../../platform/db/transaction.ts'

/** One asset on one address. The failures and retries of sweeps are counted for each such pair. */
export interface SweepRetryKey {
  readonly addressId: number
  readonly asset: string
}

/**
 * Counts a failure for each asset that a sweep could not move from its address. Returns the number of
 * failures of each asset, including the new failure.
 */
export async function countSweepRetries(
  tx: Tx,
  retryKeys: readonly SweepRetryKey[],
): Promise<readonly (SweepRetryKey & { readonly tries: number })[]> {
  const rows = await tx.query<{ address_id: number; asset: string; tries: number }>(sql`
    insert into sweep_retry (address_id, asset, tries)
    select address_id, asset, 1
    from unnest(${retryKeys.map(({ addressId }) => addressId)}::bigint[], ${retryKeys.map(({ asset }) => asset)}::text[])
      as retry_key (address_id, asset)
    order by address_id, asset
    on conflict (address_id, asset) do update set tries = sweep_retry.tries + 1, failed_at = coffer_now()
    returning address_id, asset, tries`)
  return rows.map((row) => ({ addressId: row.address_id, asset: row.asset, tries: row.tries }))
}

/**
 * Stores the delay after which each asset is swept again. Null means that the asset is not swept again
 * automatically.
 */
export async function scheduleSweepRetries(
  tx: Tx,
  retries: readonly (SweepRetryKey & { readonly retryAfterS: number | null })[],
): Promise<void> {
  await tx.query(sql`
    update sweep_retry retry_entry set retry_at = coffer_now() + retry."retryAfterS" * interval '1 second'
    from jsonb_to_recordset(${JSON.stringify(retries)}::jsonb)
      as retry ("addressId" bigint, asset text, "retryAfterS" integer)
    where retry_entry.address_id = retry."addressId" and retry_entry.asset = retry.asset`)
}

/** Deletes the stored failures of assets that a sweep has now moved from their addresses. */
export async function clearSweepRetries(tx: Tx, retryKeys: readonly SweepRetryKey[]): Promise<void> {
  await tx.query(sql`
    delete from sweep_retry using unnest(
      ${retryKeys.map(({ addressId }) => addressId)}::bigint[], ${retryKeys.map(({ asset }) => asset)}::text[]
    ) as retry_key (address_id, asset)
    where sweep_retry.address_id = retry_key.address_id and sweep_retry.asset = retry_key.asset`)
}
