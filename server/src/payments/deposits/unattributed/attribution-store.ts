import sql from 'sql-template-tag'
import { newId } from '../../../core/ids.ts'
import { macsOf, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Attribution } from '../journals.ts'
import { attributionMac, type MacedAttribution } from './attribution-mac.ts'

const columns = sql`deposit_id, merchant_id, fee_percent_basis_points, fee_flat_minor, mac`

interface AttributionRow {
  readonly deposit_id: string
  readonly merchant_id: string | null
  readonly fee_percent_basis_points: number
  readonly fee_flat_minor: string
  readonly mac: string
}

/** Returns the attributions of some deposits. A row may be forged, so the caller must check its MAC. */
export async function readAttributions(
  on: Queryable,
  depositIds: readonly string[],
): Promise<readonly MacedAttribution[]> {
  const rows = await on.query<AttributionRow>(sql`
    select ${columns} from attribution where deposit_id = any (${[...depositIds]}::uuid[]) order by deposit_id`)
  return rows.map(toAttribution)
}

/**
 * Returns at most `rowsMax` attributions of deposits with ids above `after`, in the order of the deposits'
 * ids.
 */
export async function readAttributionsAfter(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly MacedAttribution[]> {
  const rows = await on.query<AttributionRow>(sql`
    select ${columns} from attribution where deposit_id > ${after} order by deposit_id limit ${rowsMax}`)
  return rows.map(toAttribution)
}

function toAttribution(row: AttributionRow): MacedAttribution {
  return {
    depositId: row.deposit_id,
    merchantId: row.merchant_id ?? undefined,
    terms: { percentBasisPoints: row.fee_percent_basis_points, flatMinor: BigInt(row.fee_flat_minor) },
    mac: row.mac,
  }
}

/**
 * Stores attributions of deposits that have none yet.
 * @throws Error if the database handle has no keys of the books
 */
export async function insertAttributions(tx: Tx, attributions: readonly Attribution[]): Promise<void> {
  const macs = macsOf(tx)
  await tx.query(sql`
    insert into attribution (deposit_id, merchant_id, fee_percent_basis_points, fee_flat_minor, mac)
    select * from unnest(
      ${attributions.map(({ depositId }) => depositId)}::uuid[],
      ${attributions.map(({ merchantId }) => merchantId ?? null)}::uuid[],
      ${attributions.map(({ terms }) => terms.percentBasisPoints)}::integer[],
      ${attributions.map(({ terms }) => terms.flatMinor.toString())}::numeric[],
      ${attributions.map((attribution) => attributionMac(macs, attribution))}::text[])
    on conflict do nothing`)
}

/** Attributes deposits to the operator's capital if a registered source sent them to a hot wallet. */
export async function attributeCapital(tx: Tx, depositIds: readonly string[]): Promise<void> {
  const rows = await tx.query<{ id: string }>(sql`
    select deposit.id from deposit
    join capital_source source on source.network = deposit.network and source.address = deposit.sender
    where deposit.id = any (${[...depositIds]}::uuid[]) and deposit.address_id is null`)
  if (rows.length === 0) return
  const terms = { percentBasisPoints: 0, flatMinor: 0n }
  await insertAttributions(
    tx,
    rows.map(({ id }) => ({ depositId: id, merchantId: undefined, terms })),
  )
}

/**
 * Registers an address, in canonical form, as a source of the operator's capital. Money from this address to
 * a hot wallet is then capital. The audit log records this, because registering a payer's address would turn
 * that payer's money into capital.
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
