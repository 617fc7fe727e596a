import sql from 'sql-template-tag'
import { newId } from '../../../core/ids.ts'
import { macsOf, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Attribution } from '../journals.ts'
import { attributionMac, type MacedAttribution } from './attribution-mac.ts'

const columns = sql`transaction_id, merchant_id, fee_percent_basis_points, fee_flat_minor, mac`

interface AttributionRow {
  readonly transaction_id: string
  readonly merchant_id: string | null
  readonly fee_percent_basis_points: number
  readonly fee_flat_minor: string
  readonly mac: string
}

/** Of some transactions those whose money is said to be somebody's, be it by an operator or by a forger: see the MAC. */
export async function readAttributions(
  on: Queryable,
  transactionIds: readonly string[],
): Promise<readonly MacedAttribution[]> {
  const rows = await on.query<AttributionRow>(sql`
    select ${columns} from attribution where transaction_id = any (${[...transactionIds]}::uuid[])`)
  return rows.map(toAttribution)
}

/** The next attributions after a transaction's, in the order of the transactions' ids. */
export async function readAttributionsAfter(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly MacedAttribution[]> {
  const rows = await on.query<AttributionRow>(sql`
    select ${columns} from attribution where transaction_id > ${after} order by transaction_id limit ${rowsMax}`)
  return rows.map(toAttribution)
}

function toAttribution(row: AttributionRow): MacedAttribution {
  return {
    transactionId: row.transaction_id,
    merchantId: row.merchant_id ?? undefined,
    terms: { percentBasisPoints: row.fee_percent_basis_points, flatMinor: BigInt(row.fee_flat_minor) },
    mac: row.mac,
  }
}

/**
 * Keeps what was said of transactions of which nothing is said yet.
 * @throws Error where the transaction's handle has no keys of the books
 */
export async function insertAttributions(tx: Tx, attributions: readonly Attribution[]): Promise<void> {
  const macs = macsOf(tx)
  await tx.query(sql`
    insert into attribution (transaction_id, merchant_id, fee_percent_basis_points, fee_flat_minor, mac)
    select * from unnest(
      ${attributions.map(({ transactionId }) => transactionId)}::uuid[],
      ${attributions.map(({ merchantId }) => merchantId ?? null)}::uuid[],
      ${attributions.map(({ terms }) => terms.percentBasisPoints)}::integer[],
      ${attributions.map(({ terms }) => terms.flatMinor.toString())}::numeric[],
      ${attributions.map((attribution) => attributionMac(macs, attribution))}::text[])
    on conflict do nothing`)
}

/** Says of those transactions to hot wallets which a source of capital sent that they are capital. */
export async function attributeCapital(tx: Tx, transactionIds: readonly string[]): Promise<void> {
  const rows = await tx.query<{ id: string }>(sql`
    select transaction.id from transaction
    join capital_source source on source.network = transaction.network and source.address = transaction.sender
    where transaction.id = any (${[...transactionIds]}::uuid[]) and transaction.address_id is null`)
  if (rows.length === 0) return
  const terms = { percentBasisPoints: 0, flatMinor: 0n }
  await insertAttributions(
    tx,
    rows.map(({ id }) => ({ transactionId: id, merchantId: undefined, terms })),
  )
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
