/**
 * Outflows: transactions that spent from our wallets and are in neither the database nor the signer's log.
 */
import sql from 'sql-template-tag'
import { newId } from '../../../core/ids.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { EvmSlot, UtxoSlot } from '../outgoing-transaction.ts'

/** A payment that an outflow made to an address that is not ours. */
export interface NewOutflowPayment {
  /** The contract of the token; undefined for the network's coin. */
  readonly contract: string | undefined
  /** The address that was paid; undefined if the script of the output has no address. */
  readonly recipient: string | undefined
  readonly amountMinor: bigint
}

/** The maximum number of rows in a list, because nobody reads more. */
const rowsMax = 1000

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
  /** What it paid to others. Empty if that cannot be read from the transaction. */
  readonly payments: readonly NewOutflowPayment[]
}

export async function insertOutflow(tx: Tx, outflow: NewOutflow): Promise<void> {
  const { network, txHash, slot, height, blockHash, kind, detail, raw, feeMinor, payments } = outflow
  const own =
    'nonce' in slot
      ? { ...slot, outpoint: null }
      : { wallet: null, nonce: null, outpoint: slot.pinnedOutpoint }
  await tx.query(sql`
    insert into wallet_outflow (network, tx_hash, wallet, nonce, pinned_outpoint, height, block_hash, kind, detail, raw, fee_minor)
    values (${network}, ${txHash}, ${own.wallet}, ${own.nonce}, ${own.outpoint}, ${height}, ${blockHash}, ${kind}, ${detail}, ${raw},
            ${feeMinor.toString()})`)
  const rows = payments.map(({ contract = null, recipient = null, amountMinor }) => ({
    id: newId(),
    contract,
    recipient,
    amount_minor: `${amountMinor}`,
  }))
  await tx.query(sql`
    insert into outflow_payment (id, network, tx_hash, contract, recipient, amount_minor)
    select id, ${network}, ${txHash}, contract, recipient, amount_minor
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (id uuid, contract text, recipient text, amount_minor numeric)`)
}

/** A stored payment of an outflow. */
export interface OutflowPayment extends NewOutflowPayment {
  readonly id: string
  readonly network: string
  readonly txHash: string
  /** The time at which an operator booked it. Undefined if it is not booked. */
  readonly bookedAt: Date | undefined
  /** How often it was booked. All bookings but the last were undone. */
  readonly bookings: number
}

interface OutflowPaymentRow {
  readonly id: string
  readonly network: string
  readonly tx_hash: string
  readonly contract: string | null
  readonly recipient: string | null
  readonly amount_minor: string
  readonly booked_at: Date | null
  readonly bookings: number
}

function paymentFrom(row: OutflowPaymentRow): OutflowPayment {
  return {
    id: row.id,
    network: row.network,
    txHash: row.tx_hash,
    contract: row.contract ?? undefined,
    recipient: row.recipient ?? undefined,
    amountMinor: BigInt(row.amount_minor),
    bookedAt: row.booked_at ?? undefined,
    bookings: row.bookings,
  }
}

const paymentColumns = sql`id, network, tx_hash, contract, recipient, amount_minor, booked_at, bookings`

/** Returns the payments of outflows that no operator has booked yet, sorted by network, the oldest first. */
export async function readUnbooked(on: Queryable, network?: string): Promise<readonly OutflowPayment[]> {
  const rows = await on.query<OutflowPaymentRow>(sql`
    select ${paymentColumns} from outflow_payment
    where booked_at is null and network = coalesce(${network ?? null}::text, network)
    order by network, id limit ${rowsMax}`)
  return rows.map(paymentFrom)
}

/** Returns the payment with this id and locks it; undefined if there is none. */
export async function lockOutflowPayment(tx: Tx, id: string): Promise<OutflowPayment | undefined> {
  const row = await one<OutflowPaymentRow>(
    tx,
    sql`select ${paymentColumns} from outflow_payment where id = ${id} for update`,
  )
  return row && paymentFrom(row)
}

export async function saveBooked(tx: Tx, id: string): Promise<void> {
  await tx.query(
    sql`update outflow_payment set booked_at = coffer_now(), bookings = bookings + 1 where id = ${id}`,
  )
}

export async function saveUnbooked(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update outflow_payment set booked_at = null where id = ${id}`)
}

/** Returns the payments of an outflow and locks them. */
export async function lockPaymentsOf(
  tx: Tx,
  network: string,
  txHash: string,
): Promise<readonly OutflowPayment[]> {
  const rows = await tx.query<OutflowPaymentRow>(sql`
    select ${paymentColumns} from outflow_payment where network = ${network} and tx_hash = ${txHash}
    order by id for update`)
  return rows.map(paymentFrom)
}

/** Deletes an outflow and its payments. */
export async function deleteOutflow(tx: Tx, network: string, txHash: string): Promise<void> {
  await tx.query(sql`delete from wallet_outflow where network = ${network} and tx_hash = ${txHash}`)
}

export interface UnknownOutflow {
  readonly network: string
  readonly txHash: string
  readonly detail: string
  readonly foundAt: Date
}

/** Returns the outflows that an operator must explain, the oldest first. */
export function readUnknownOutflows(on: Queryable): Promise<readonly UnknownOutflow[]> {
  return on.query<UnknownOutflow>(sql`
    select network, tx_hash as "txHash", detail, found_at as "foundAt" from wallet_outflow
    where kind = 'unknown' order by found_at, tx_hash limit ${rowsMax}`)
}
