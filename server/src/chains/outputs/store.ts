/**
 * The table of outputs that pay to addresses of ours. The database transaction that books or reverts a block
 * also writes this table. After a loss of data, recovery adds outputs and spends that the database does not
 * know.
 */
import sql from 'sql-template-tag'
import { named } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { OwnOutput, SpentOutput } from './output.ts'

/** Inserts outputs of new blocks; an output that is already stored stays unchanged. */
export async function insertOwnOutputs(
  tx: Tx,
  network: string,
  outputs: readonly OwnOutput[],
): Promise<void> {
  if (outputs.length === 0) return
  const rows = outputs.map((output) => ({ ...output, amountMinor: `${output.amountMinor}` }))
  await tx.query(
    named(
      'insert-own-outputs',
      sql`
      insert into own_output (network, outpoint, tx_hash, address, amount_minor, height, matures_after)
      select ${network}, outpoint, "txHash", address, "amountMinor", height, "maturesAfter"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
        outpoint text, "txHash" text, address text, "amountMinor" numeric, height bigint, "maturesAfter" integer)
      on conflict (network, outpoint) do nothing`,
    ),
  )
}

/**
 * Marks UTXOs of ours as spent if they are among the given outpoints.
 * @returns the hashes of the transactions that spend UTXOs of ours
 */
export async function markSpent(
  tx: Tx,
  network: string,
  spent: readonly SpentOutput[],
): Promise<readonly string[]> {
  if (spent.length === 0) return []
  const rows = await tx.query<{ hash: string }>(
    named(
      'mark-own-outputs-spent',
      sql`
      update own_output set spent_by = reported.tx_hash, spent_height = reported.height
      from unnest(
        ${spent.map(({ outpoint }) => outpoint)}::text[], ${spent.map(({ txHash }) => txHash)}::text[],
        ${spent.map(({ height }) => height)}::bigint[]
      ) as reported (outpoint, tx_hash, height)
      where own_output.network = ${network} and own_output.outpoint = reported.outpoint
      returning own_output.spent_by as hash`,
    ),
  )
  return [...new Set(rows.map(({ hash }) => hash))]
}

/**
 * Deletes the outputs that blocks above `height` created. Marks the outputs that those blocks spent as
 * unspent.
 */
export async function dropOutputsAbove(tx: Tx, network: string, height: number): Promise<void> {
  await tx.query(sql`delete from own_output where network = ${network} and height > ${height}`)
  await tx.query(sql`
    update own_output set spent_by = null, spent_height = null, missed_at = null
    where network = ${network} and spent_height > ${height}`)
}
