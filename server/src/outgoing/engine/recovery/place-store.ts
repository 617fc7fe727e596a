/** Which places in the order of a hot wallet are accounted for, and by what. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'

/**
 * How many nonces of a wallet below `end` have a transaction that is known: signed for a payout, or found on the chain. Of one
 * that was displaced operators know.
 */
export async function countKnown(
  on: Queryable,
  network: string,
  wallet: string,
  end: number,
): Promise<number> {
  const row = await one<{ count: number }>(
    on,
    named(
      'count-known-nonces',
      sql`
      select (select count(*) from payout
              where network = ${network} and wallet = ${wallet} and nonce < ${end} and state <> 'planned'
                and not is_superseded)::int
           + (select count(*) from payout_outflow
              where network = ${network} and wallet = ${wallet} and nonce < ${end})::int as count`,
    ),
  )
  return row?.count ?? 0
}

/** One above the highest nonce of a wallet for which anything was signed. */
export async function readSignedEnd(on: Queryable, network: string, wallet: string): Promise<number> {
  const row = await one<{ end: number }>(
    on,
    sql`select coalesce(max(nonce) + 1, 0) as end from payout
        where network = ${network} and wallet = ${wallet} and state <> 'planned'`,
  )
  return row?.end ?? 0
}

/** A nonce that the chain has used, and of which it is not settled yet by what. */
export interface OpenPlace {
  readonly nonce: number
  /** The payout that holds it; undefined where none does. */
  readonly payoutId: string | undefined
}

/** Those of a wallet below `end`, lowest first: without a payout, with one that is not over, or with one that was displaced. */
export async function readOpenPlaces(
  on: Queryable,
  network: string,
  wallet: string,
  end: number,
  max: number,
): Promise<readonly OpenPlace[]> {
  const rows = await on.query<{ nonce: number; id: string | null }>(sql`
    select place as nonce, payout.id
    from generate_series(0, ${end}::bigint - 1) place
    left join payout on payout.network = ${network} and payout.wallet = ${wallet} and payout.nonce = place
      and payout.state <> 'planned' and not payout.is_superseded
    where (payout.id is null or payout.state <> 'final') and not exists (
      select from payout_outflow outflow
      where outflow.network = ${network} and outflow.wallet = ${wallet} and outflow.nonce = place)
    order by place limit ${max}`)
  return rows.map(({ nonce, id }) => ({ nonce, payoutId: id ?? undefined }))
}

/** Of a payout that was displaced: what took its place is known. */
export async function supersede(tx: Tx, payoutId: string): Promise<void> {
  await tx.query(sql`update payout set is_superseded = true where id = ${payoutId} and state = 'displaced'`)
}

/** Of all payouts at a place that were displaced: what took it is known. */
export async function supersedeAt(
  tx: Tx,
  { network, wallet, nonce }: { readonly network: string; readonly wallet: string; readonly nonce: number },
): Promise<void> {
  await tx.query(sql`
    update payout set is_superseded = true
    where network = ${network} and wallet = ${wallet} and nonce = ${nonce} and state = 'displaced'`)
}
