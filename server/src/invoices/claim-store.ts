import sql from 'sql-template-tag'
import { one } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { type InvoiceInContext, lockInvoice } from './store.ts'

export interface LockedClaim {
  readonly context: InvoiceInContext
  /** SHA-256 of its token. */
  readonly claimHash: Buffer
}

/** The claim of a withdraw invoice, holding the invoice's row lock. */
export async function lockClaim(tx: Tx, invoiceId: string): Promise<LockedClaim | undefined> {
  const context = await lockInvoice(tx, invoiceId)
  if (context === undefined) return undefined
  const row = await one<{ claim_hash: Buffer | null }>(
    tx,
    sql`select claim_hash from invoice where id = ${invoiceId}`,
  )
  return row?.claim_hash ? { context, claimHash: row.claim_hash } : undefined
}

export async function saveClaimed(tx: Tx, invoiceId: string, isClaimed: boolean): Promise<void> {
  await tx.query(sql`
    update invoice set claimed_at = case when ${isClaimed}::boolean then now() end
    where id = ${invoiceId} and state = 'pending'`)
}
