/** What left our wallets by transactions that nobody here knows of. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'

export type OutflowKind = 'own' | 'failed' | 'unknown'

export interface NewOutflow {
  readonly network: string
  readonly txHash: string
  /** The sending address; where money lies in coins, the first coin of ours that it spends. */
  readonly wallet: string
  /** Undefined where money lies in coins. */
  readonly nonce: number | undefined
  readonly height: number
  readonly blockHash: string
  readonly kind: OutflowKind
  readonly detail: string
  /** In hex without prefix. */
  readonly raw: string
  readonly feeMinor: bigint
}

export async function insertOutflow(tx: Tx, outflow: NewOutflow): Promise<void> {
  const { network, txHash, wallet, nonce, height, blockHash, kind, detail, raw, feeMinor } = outflow
  await tx.query(sql`
    insert into payout_outflow (network, tx_hash, wallet, nonce, height, block_hash, kind, detail, raw, fee_minor)
    values (${network}, ${txHash}, ${wallet}, ${nonce ?? null}, ${height}, ${blockHash}, ${kind}, ${detail}, ${raw},
            ${feeMinor.toString()})`)
}

/** One that the log of the signer turns out to know is a payout. */
export async function deleteOutflow(tx: Tx, network: string, txHash: string): Promise<void> {
  await tx.query(sql`delete from payout_outflow where network = ${network} and tx_hash = ${txHash}`)
}

export interface UnknownOutflow {
  readonly network: string
  readonly txHash: string
  readonly detail: string
  readonly foundAt: Date
}

/** More than anybody reads. */
const rowsMax = 1000

/** Those for which an operator must account, the oldest first. */
export function readUnknownOutflows(on: Queryable): Promise<readonly UnknownOutflow[]> {
  return on.query<UnknownOutflow>(sql`
    select network, tx_hash as "txHash", detail, found_at as "foundAt" from payout_outflow
    where kind = 'unknown' order by found_at, tx_hash limit ${rowsMax}`)
}
