import sql from 'sql-template-tag'
import { newId } from '../../core/ids.ts'
import type { Queryable } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Attribution } from '../journals.ts'

interface AttributionRow {
  readonly transaction_id: string
  readonly merchant_id: string | null
  readonly fee_percent_basis_points: number
  readonly fee_flat_minor: string
}

/** Of some transactions those whose money an operator has said to be somebody's. */
export async function readAttributions(
  on: Queryable,
  transactionIds: readonly string[],
): Promise<readonly Attribution[]> {
  const rows = await on.query<AttributionRow>(sql`
    select transaction_id, merchant_id, fee_percent_basis_points, fee_flat_minor from attribution
    where transaction_id = any (${[...transactionIds]}::uuid[])`)
  return rows.map((row) => ({
    transactionId: row.transaction_id,
    merchantId: row.merchant_id ?? undefined,
    terms: { percentBasisPoints: row.fee_percent_basis_points, flatMinor: BigInt(row.fee_flat_minor) },
  }))
}

/** Keeps an operator's word; false where there is one on that transaction already. */
export async function insertAttribution(
  tx: Tx,
  { transactionId, merchantId, terms }: Attribution,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into attribution (transaction_id, merchant_id, fee_percent_basis_points, fee_flat_minor)
    values (${transactionId}, ${merchantId ?? null}, ${terms.percentBasisPoints}, ${terms.flatMinor.toString()})
    on conflict do nothing
    returning transaction_id`)
  return rows.length === 1
}

/** Says of those transactions to hot wallets which a source of capital sent that they are capital. */
export async function attributeCapital(tx: Tx, transactionIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    insert into attribution (transaction_id, fee_percent_basis_points, fee_flat_minor)
    select transaction.id, 0, 0 from transaction
    join capital_source source on source.network = transaction.network and source.address = transaction.sender
    where transaction.id = any (${[...transactionIds]}::uuid[]) and transaction.address_id is null
    on conflict do nothing`)
}

/**
 * From now on what `address` (canonical spelling) sends to a hot wallet of the network is the operator's own. The audit log
 * says so too, since whoever adds a payer here turns that payer's money into capital.
 */
export async function saveCapitalSource(on: Queryable, network: string, address: string): Promise<void> {
  await on.query(sql`
    with added as (
      insert into capital_source (network, address) values (${network}, ${address}) on conflict do nothing
      returning network, address
    )
    insert into audit_entry (id, action, subject, details)
    select ${newId()}, 'treasury.capital_source_added', network || '/' || address, '{}' from added`)
}
