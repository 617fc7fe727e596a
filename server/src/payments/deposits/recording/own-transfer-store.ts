/** Stores the coin that our addresses sent to deposit addresses, which is no deposit. */
import sql from 'sql-template-tag'
import type { Tx } from '../../../platform/db/transaction.ts'

/** A transfer of coin from an address of ours to a deposit address. */
export interface OwnTransfer {
  readonly transferKey: string
  readonly addressId: number
  /** In the coin's smallest unit. */
  readonly amountMinor: bigint
}

/** A block with such transfers; a block without any is left out. */
export interface OwnTransfersOfBlock {
  readonly block: { readonly height: number }
  readonly own?: readonly OwnTransfer[]
}

export async function saveOwnTransfers(
  tx: Tx,
  network: string,
  blocks: readonly OwnTransfersOfBlock[],
): Promise<void> {
  const rows = blocks.flatMap(({ block, own = [] }) =>
    own.map((one) => ({ ...one, amountMinor: `${one.amountMinor}`, height: block.height })),
  )
  if (rows.length === 0) return
  await tx.query(sql`
    insert into own_transfer (network, transfer_key, address_id, amount_minor, block_height)
    select ${network}, "transferKey", "addressId", "amountMinor", height
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row ("transferKey" text, "addressId" bigint, "amountMinor" numeric, height bigint)
    on conflict (network, transfer_key) do nothing`)
}

/** Deletes the transfers in blocks above `height`, which are no longer canonical. */
export async function dropOwnTransfersAbove(tx: Tx, network: string, height: number): Promise<void> {
  await tx.query(
    sql`delete from own_transfer where network = ${network} and block_height > ${height}::bigint`,
  )
}
