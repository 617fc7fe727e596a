import sql from 'sql-template-tag'
import { named, type Queryable } from '../db/pool.ts'

/** An address of ours that blocks touched, and whose it is: one that was derived for customers, or a hot wallet. */
export interface WatchedAddress {
  /** Undefined for a hot wallet. */
  readonly addressId: number | undefined
  readonly address: string
  readonly merchantId: string | undefined
  readonly invoiceId: string | undefined
}

/** Which of the addresses that some blocks touched are ours. The cost follows the blocks, not our addresses. */
export async function findWatched(
  on: Queryable,
  { family, network }: { readonly family: string; readonly network: string },
  touched: readonly string[],
): Promise<readonly WatchedAddress[]> {
  if (touched.length === 0) return []
  const rows = await on.query<{
    id: number | null
    address: string
    merchant_id: string | null
    invoice_id: string | null
  }>(
    named(
      'find-watched',
      sql`select id, address, merchant_id, invoice_id from address
          where family = ${family} and address = any(${[...touched]})
          union all
          select null, address, null, null from hot_wallet
          where network = ${network} and address = any(${[...touched]})
          union all
          select null, address, null, null from hot_place
          where network = ${network} and address = any(${[...touched]})`,
    ),
  )
  return rows.map((row) => ({
    addressId: row.id ?? undefined,
    address: row.address,
    merchantId: row.merchant_id ?? undefined,
    invoiceId: row.invoice_id ?? undefined,
  }))
}
