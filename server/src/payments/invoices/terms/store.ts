import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { InvoiceTerms } from './terms-mac.ts'

/** The terms of an invoice as they are stored. The row may be forged, so the caller must check its MAC. */
export interface StoredTerms extends InvoiceTerms {
  readonly mac: string | undefined
}

/** Returns the terms of at most `rowsMax` invoices with ids above `after`, in the order of ids. */
export async function readTermsAfter(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly StoredTerms[]> {
  const rows = await on.query<
    Omit<StoredTerms, 'amountUsd' | 'mac'> & { amountUsd: string; mac: string | null }
  >(sql`
    select id, merchant_id as "merchantId", type, amount, amount_usd::text as "amountUsd", terms_mac as mac
    from invoice where id > ${after} order by id limit ${rowsMax}`)
  return rows.map(({ amountUsd, mac, ...row }) => ({
    ...row,
    amountUsd: BigInt(amountUsd),
    mac: mac ?? undefined,
  }))
}
