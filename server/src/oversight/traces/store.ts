import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'

/**
 * A deposit, and facts about its invoice that decide the verdict. Amounts are in the asset's smallest unit.
 */
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
  readonly full_minor: string | null
  readonly offered_method_ids: readonly number[]
  readonly is_attributed: boolean
  readonly is_invoice_deleted: boolean
}

/** Maximum number of payments that are shown for one transaction. */
const paymentsMax = 20

/**
 * Returns a merchant's deposits of a transaction, in the order of their transfer keys. `txHashes` is the hash
 * in both forms that a network may store: with and without 0x.
 */
export function findPayments(
  on: Queryable,
  merchantId: string,
  txHashes: readonly string[],
): Promise<readonly PaymentRow[]> {
  return on.query<PaymentRow>(sql`
    select deposit.id, deposit.network, deposit.payment_method_id, deposit.invoice_id, amount_minor,
      deposit.state, deposit.created_at, block_height, included_at, confirmed_at, net_minor, fee_minor,
      below_minimum, inclusion, unseen_since, replaced_by, coalesce(quarantine in ('held', 'seized'), false) as is_quarantined, coalesce(in_time_at >= invoice.expires_at, false) as is_late,
      deposit.payment_method_id = any(invoice.payment_method_ids) as is_offered,
      full_minor, invoice.payment_method_ids as offered_method_ids,
      exists (select from attribution where deposit_id = deposit.id) as is_attributed,
      invoice.deleted_at is not null as is_invoice_deleted
    from deposit join invoice on invoice.id = deposit.invoice_id
    where tx_hash = any(${[...txHashes]}) and deposit.merchant_id = ${merchantId}
    order by transfer_key limit ${paymentsMax}`)
}
