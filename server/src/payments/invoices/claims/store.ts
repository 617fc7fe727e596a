import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type InvoiceInContext, lockInvoice } from '../store.ts'
import type { ClaimFacts } from './claim-mac.ts'

export interface LockedClaim {
  readonly context: InvoiceInContext
  /** SHA-256 of the claim token. */
  readonly claimHash: Buffer
  readonly mac: string | undefined
}

/**
 * Returns the claim of a withdraw invoice and locks the invoice's row. Returns undefined if there is no
 * claim.
 */
export async function lockClaim(tx: Tx, invoiceId: string): Promise<LockedClaim | undefined> {
  const context = await lockInvoice(tx, invoiceId)
  if (context === undefined) return undefined
  const row = await one<{ claim_hash: Buffer | null; claim_mac: string | null }>(
    tx,
    sql`select claim_hash, claim_mac from invoice where id = ${invoiceId}`,
  )
  return row?.claim_hash ? { context, claimHash: row.claim_hash, mac: row.claim_mac ?? undefined } : undefined
}

/** A claim as it is stored. The row may be forged, so the caller must check its MAC. */
export interface StoredClaim extends ClaimFacts {
  readonly mac: string | undefined
}

/** Returns at most `rowsMax` claims of invoices with ids above `after`, in the order of ids. */
export async function readStoredClaims(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly StoredClaim[]> {
  const rows = await on.query<
    Omit<StoredClaim, 'amountUsd' | 'mac'> & { amount: string; mac: string | null }
  >(sql`
    select id as "invoiceId", merchant_id as "merchantId", amount_usd::text as amount, claim_hash as "claimHash",
      claim_mac as mac
    from invoice where id > ${after} and claim_hash is not null order by id limit ${rowsMax}`)
  return rows.map(({ amount, mac, ...row }) => ({ ...row, amountUsd: BigInt(amount), mac: mac ?? undefined }))
}

export async function saveClaimed(tx: Tx, invoiceId: string, isClaimed: boolean): Promise<void> {
  await tx.query(sql`
    update invoice set claimed_at = case when ${isClaimed}::boolean then coffer_now() end
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

/**
 * Returns at most `rows` invoices with ids above `after`, in the order of ids. `claimHash` is set only if the
 * claim of the invoice is open.
 */
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
