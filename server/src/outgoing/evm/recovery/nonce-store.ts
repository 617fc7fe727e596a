/** Finds which nonces of a hot wallet were used by known transactions. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'

/**
 * Counts the nonces of a wallet below `end` whose transaction is known. It is known if it was signed for an
 * outgoing transaction, or if it was found on chain and stored as an outflow. The nonce of a conflicted
 * outgoing transaction counts too, because operators know of the conflict. It no longer counts once the
 * outgoing transaction is marked as superseded (`supersede`).
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
      select (select count(*) from outgoing_evm evm join outgoing_transaction p on p.id = evm.outgoing_transaction_id
              where evm.network = ${network} and wallet = ${wallet} and nonce < ${end} and state <> 'planned'
                and not is_superseded)::int
           + (select count(*) from wallet_outflow
              where network = ${network} and wallet = ${wallet} and nonce < ${end})::int as count`,
    ),
  )
  return row?.count ?? 0
}

/** Returns the highest nonce of a wallet for which a transaction was signed, plus one; 0 if there is none. */
export async function readSignedEnd(on: Queryable, network: string, wallet: string): Promise<number> {
  const row = await one<{ end: number }>(
    on,
    sql`select coalesce(max(nonce) + 1, 0) as end from outgoing_evm evm join outgoing_transaction p on p.id = evm.outgoing_transaction_id
        where evm.network = ${network} and wallet = ${wallet} and state <> 'planned'`,
  )
  return row?.end ?? 0
}

/**
 * A nonce that was used on chain, while neither a final outgoing transaction nor an outflow is stored for it.
 */
export interface OpenNonce {
  readonly nonce: number
  /** The outgoing transaction that has this nonce; undefined if there is none. */
  readonly outgoingTransactionId: string | undefined
}

/**
 * Returns the open nonces of a wallet below `end`, the lowest first. A nonce is open if it has no final
 * outgoing transaction and no stored outflow. The nonce of a conflicted outgoing transaction is open too.
 */
export async function readOpenNonces(
  on: Queryable,
  network: string,
  wallet: string,
  end: number,
  max: number,
): Promise<readonly OpenNonce[]> {
  const rows = await on.query<{ nonce: number; id: string | null }>(sql`
    select candidate as nonce, own.id
    from generate_series(0, ${end}::bigint - 1) candidate
    left join (
      select nonce, p.id, p.state from outgoing_evm evm join outgoing_transaction p on p.id = evm.outgoing_transaction_id
      where evm.network = ${network} and evm.wallet = ${wallet} and p.state <> 'planned' and not evm.is_superseded
    ) own on own.nonce = candidate
    where (own.id is null or own.state <> 'final') and not exists (
      select from wallet_outflow outflow
      where outflow.network = ${network} and outflow.wallet = ${wallet} and outflow.nonce = candidate)
    order by candidate limit ${max}`)
  return rows.map(({ nonce, id }) => ({ nonce, outgoingTransactionId: id ?? undefined }))
}

/**
 * Marks a conflicted outgoing transaction as superseded, once the transaction that used its nonce is known.
 */
export async function supersede(tx: Tx, outgoingTransactionId: string): Promise<void> {
  await tx.query(
    sql`
      update outgoing_evm set is_superseded = true from outgoing_transaction p
      where p.id = outgoing_transaction_id and p.id = ${outgoingTransactionId} and p.state = 'conflicted'`,
  )
}
