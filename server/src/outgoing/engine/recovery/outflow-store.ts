/**
 * Outflows: transactions that spent from our wallets and are in neither the database nor the signer's log.
 */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { EvmSlot, UtxoSlot } from '../outgoing-transaction.ts'

export type OutflowKind = 'own' | 'failed' | 'unknown'

export interface NewOutflow {
  readonly network: string
  readonly txHash: string
  /** The nonce of a hot wallet that the transaction used, or the first of our UTXOs that it spent. */
  readonly slot: Pick<EvmSlot, 'wallet' | 'nonce'> | Pick<UtxoSlot, 'pinnedOutpoint'>
  readonly height: number
  readonly blockHash: string
  readonly kind: OutflowKind
  readonly detail: string
  /** The signed bytes in hex, without the `0x` prefix. */
  readonly raw: string
  readonly feeMinor: bigint
}

export async function insertOutflow(tx: Tx, outflow: NewOutflow): Promise<void> {
  const { network, txHash, slot, height, blockHash, kind, detail, raw, feeMinor } = outflow
  const own =
    'nonce' in slot
      ? { ...slot, outpoint: null }
      : { wallet: null, nonce: null, outpoint: slot.pinnedOutpoint }
  await tx.query(sql`
    insert into wallet_outflow (network, tx_hash, wallet, nonce, pinned_outpoint, height, block_hash, kind, detail, raw, fee_minor)
    values (${network}, ${txHash}, ${own.wallet}, ${own.nonce}, ${own.outpoint}, ${height}, ${blockHash}, ${kind}, ${detail}, ${raw},
            ${feeMinor.toString()})`)
}

/**
 * Deletes an outflow that was later found in the signer's log. The transaction is then stored as an outgoing
 * transaction.
 */
export async function deleteOutflow(tx: Tx, network: string, txHash: string): Promise<void> {
  await tx.query(sql`delete from wallet_outflow where network = ${network} and tx_hash = ${txHash}`)
}

export interface UnknownOutflow {
  readonly network: string
  readonly txHash: string
  readonly detail: string
  readonly foundAt: Date
}

/** The maximum number of outflows in a list, because nobody reads more. */
const rowsMax = 1000

/** Returns the outflows that an operator must explain, the oldest first. */
export function readUnknownOutflows(on: Queryable): Promise<readonly UnknownOutflow[]> {
  return on.query<UnknownOutflow>(sql`
    select network, tx_hash as "txHash", detail, found_at as "foundAt" from wallet_outflow
    where kind = 'unknown' order by found_at, tx_hash limit ${rowsMax}`)
}
