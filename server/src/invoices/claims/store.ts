import sql from 'sql-template-tag'
import { one, type Queryable } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import { type InvoiceInContext, lockInvoice } from '../store.ts'

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

export interface ClaimKept {
  readonly claimHash: Buffer
  readonly sealedToken: Buffer | null
}

export async function findClaimKept(on: Queryable, invoiceId: string): Promise<ClaimKept | undefined> {
  return one<ClaimKept>(
    on,
    sql`select claim_hash as "claimHash", sealed_claim_token as "sealedToken"
        from invoice where id = ${invoiceId} and claim_hash is not null`,
  )
}

/** The next `rows` invoices after `after`; of those with an open claim what is kept of it. */
export function readClaimsAfter(
  on: Queryable,
  after: string,
  rows: number,
): Promise<
  readonly { readonly id: string; readonly claimHash: Buffer | null; readonly sealedToken: Buffer | null }[]
> {
  return on.query(sql`
    select id, case when state = 'pending' then claim_hash end as "claimHash", sealed_claim_token as "sealedToken"
    from invoice where id > ${after} order by id limit ${rows}`)
}

export async function saveSealedTokens(
  on: Queryable,
  tokens: readonly { readonly id: string; readonly sealed: Buffer }[],
): Promise<void> {
  await on.query(sql`
    update invoice set sealed_claim_token = kept.sealed
    from unnest(${tokens.map(({ id }) => id)}::uuid[], ${tokens.map(({ sealed }) => sealed)}::bytea[]) as kept (id, sealed)
    where invoice.id = kept.id and claim_hash is not null`)
}
