import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'

/** A transaction of ours with what its invoice says to it. Amounts are in the asset's smallest unit. */
export interface PaymentRow {
  readonly id: string
  readonly network: string
  readonly payment_method_id: number
  readonly invoice_id: string
  readonly amount_minor: string
  readonly state: 'pending' | 'confirmed' | 'failed'
  readonly created_at: Date
  readonly block_height: number | null
  readonly included_at: Date | null
  readonly confirmed_at: Date | null
  readonly net_minor: string | null
  readonly fee_minor: string | null
  readonly below_minimum: boolean
  readonly is_quarantined: boolean
  readonly inclusion: number
  readonly unseen_since: Date | null
  readonly replaced_by: string | null
  readonly is_late: boolean
  readonly is_offered: boolean
  readonly is_invoice_deleted: boolean
}

/** More payments of one transaction than anybody reads. */
const paymentsMax = 20

/** What a merchant's books hold of some spellings of a transaction's hash, in the order of its transfers. */
export function findPayments(
  on: Queryable,
  merchantId: string,
  txHashes: readonly string[],
): Promise<readonly PaymentRow[]> {
  return on.query<PaymentRow>(sql`
    select transaction.id, transaction.network, transaction.payment_method_id, transaction.invoice_id, amount_minor,
      transaction.state, transaction.created_at, block_height, included_at, confirmed_at, net_minor, fee_minor,
      below_minimum, inclusion, unseen_since, replaced_by, coalesce(quarantine in ('held', 'seized'), false) as is_quarantined, coalesce(in_time_at >= invoice.expires_at, false) as is_late,
      transaction.payment_method_id = any(invoice.payment_method_ids) as is_offered,
      invoice.deleted_at is not null as is_invoice_deleted
    from transaction join invoice on invoice.id = transaction.invoice_id
    where tx_hash = any(${[...txHashes]}) and transaction.merchant_id = ${merchantId}
    order by transfer_key limit ${paymentsMax}`)
}
