/** Rows of deposits with only the columns that lists and counts read. They match no chain. */
import sql from 'sql-template-tag'
import { newId } from '../../src/core/ids.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'

export interface MadeDeposit {
  readonly invoiceId: string
  readonly methodId: number
  readonly state: string
  readonly createdAt: Date
}

/** Inserts two merchants, assigns the invoices to them in turn, and returns the ids of the merchants. */
export async function insertShops(db: Queryable, invoiceIds: readonly string[]): Promise<readonly string[]> {
  const merchants = [newId(), newId()]
  await db.query(
    sql`insert into merchant (id, name) select id, 'Test' from unnest(${merchants}::uuid[]) as one (id)`,
  )
  await db.query(sql`
    insert into invoice (id, merchant_id, type, amount, amount_usd, payment_method_id, payment_method_ids)
    select id, (${merchants}::uuid[])[1 + ordinal % 2], 'onetime', '1', 1, 1, '{1}'
    from unnest(${[...invoiceIds]}::uuid[]) with ordinality as one (id, ordinal)`)
  await db.query(sql`
    insert into address_branch (family, branch, xpub_fingerprint, database_id, server_started_at)
    select 'evm', 1, 'test', id, now() from database_identity on conflict do nothing`)
  await db.query(sql`
    insert into address (family, address, branch, index, mac) values ('evm', '0x01', 1, 0, '') on conflict do nothing`)
  return merchants
}

export async function insertDepositRows(on: Queryable, deposits: readonly MadeDeposit[]): Promise<void> {
  const rows = deposits.map((deposit) => ({ ...deposit, id: newId() }))
  await on.query(sql`
    insert into deposit (id, network, transfer_key, tx_hash, asset, payment_method_id, address_id, merchant_id,
      invoice_id, recipient, amount_minor, amount, state, inclusion, block_height, block_hash, included_at, in_time_at,
      fee_percent_basis_points, fee_flat_minor, created_at, confirmed_at)
    select row.id, 'ethereum', row.id::text, 'hash', 'ethereum/USDT', "methodId", (select id from address limit 1),
      invoice.merchant_id, invoice.id, '0x01', 1, 1, row.state, 1, 1, 'hash', now(), now(), 0, 0, "createdAt",
      case when row.state = 'confirmed' then now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (id uuid, "invoiceId" uuid, "methodId" integer, state text, "createdAt" timestamptz)
    join invoice on invoice.id = "invoiceId"`)
}
