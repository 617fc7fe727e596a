/** Reads deposits that were found by balance, and stores the transfers that they contain. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { ExplainedTransfer, FoundDeposit, LateTransfer } from './found-by-balance.ts'
import type { RecordedTransfer } from './unrecorded-transfers.ts'

/** Returns the deposits at some or all addresses that were found by balance and are in a canonical block. */
export async function readFoundDeposits(
  on: Queryable,
  network: string,
  { family, addresses }: { readonly family: string; readonly addresses: readonly string[] | 'all' },
): Promise<readonly FoundDeposit[]> {
  const isWanted =
    addresses === 'all'
      ? sql`address_id is not null`
      : sql`address_id in (
          select id from address where family = ${family} and address = any(${[...new Set(addresses)]}::text[]))`
  const rows = await on.query<{ id: string; recipient: string; height: number; rest: string }>(sql`
    select deposit.id, deposit.recipient, deposit.block_height as height,
      deposit.amount_minor - coalesce((
        select sum(explained.amount_minor) from explained_transfer explained
        where explained.deposit_id = deposit.id), 0) as rest
    from deposit
    where network = ${network} and transfer_key like 'balance:%' and block_height is not null
      and ${isWanted}
    order by block_height, id`)
  return rows.map(({ id, recipient, height, rest }) => ({
    depositId: id,
    recipient,
    height,
    restMinor: BigInt(rest),
  }))
}

/** Stores that deposits found by balance contain transfers, so that nobody asks for these transfers again. */
export async function saveExplained(
  tx: Tx,
  network: string,
  explained: readonly ExplainedTransfer<LateTransfer>[],
): Promise<void> {
  if (explained.length === 0) return
  const rows = explained.map(({ late: { height, transfer }, depositId }) => {
    const { key, txHash, recipient, amountMinor } = transfer
    return { key, txHash, recipient, amountMinor: `${amountMinor}`, height, depositId }
  })
  await tx.query(sql`
    insert into explained_transfer (network, transfer_key, deposit_id, tx_hash, recipient, amount_minor, block_height)
    select ${network}, key, "depositId", "txHash", recipient, "amountMinor", height
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (key text, "depositId" uuid, "txHash" text, recipient text, "amountMinor" numeric, height bigint)
    on conflict (network, transfer_key) do nothing`)
}

/** Returns those transfers of the given transactions that deposits found by balance contain. */
export async function readExplained(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<readonly RecordedTransfer[]> {
  const rows = await on.query<Omit<RecordedTransfer, 'amountMinor'> & { amount: string }>(sql`
    select explained.transfer_key as key, explained.tx_hash as "txHash", explained.recipient, explained.amount_minor as amount
    from explained_transfer explained join deposit on deposit.id = deposit_id
    where explained.network = ${network} and explained.tx_hash = any(${[...txHashes]}::text[])
      and deposit.block_height is not null`)
  return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }))
}
