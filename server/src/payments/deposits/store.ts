import sql, { type Sql } from 'sql-template-tag'
import type { BooksMacs } from '../../core/books-macs.ts'
import { limits } from '../../core/limits.ts'
import { piecesOf } from '../../core/pieces.ts'
import { macsOf, named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { DepositVerdict, Quarantine, Transaction, TransactionState } from './deposit.ts'
import { depositMac } from './deposit-mac.ts'
import { factsOf, vouchForIncluded } from './mac-store.ts'

export interface TransactionRow {
  readonly id: string
  readonly network: string
  readonly transfer_key: string
  readonly tx_hash: string
  readonly asset: string
  readonly payment_method_id: number
  readonly merchant_id: string | null
  readonly invoice_id: string | null
  readonly sender: string | null
  readonly recipient: string
  readonly amount_minor: string
  readonly state: TransactionState
  readonly inclusion: number
  readonly block_height: number | null
  readonly included_at: Date | null
  readonly in_time_at: Date
  readonly full_minor: string | null
  readonly price: string | null
  readonly fee_percent_basis_points: number
  readonly fee_flat_minor: string
  readonly fee_minor: string | null
  readonly net_minor: string | null
  readonly below_minimum: boolean
  readonly aml_verdict: DepositVerdict | null
  readonly listed_address: string | null
  readonly quarantine: Quarantine | null
  readonly created_at: Date
  readonly confirmed_at: Date | null
  readonly first_seen_at: Date | null
  readonly unseen_since: Date | null
  readonly replaced_by: string | null
  readonly replaced_height: number | null
  readonly failures: number
  readonly matures_after: number
  readonly mac: string
}

export const transactionColumns = sql`id, network, transfer_key, tx_hash, asset, payment_method_id, merchant_id, invoice_id, sender,
  recipient, amount_minor, state, inclusion, block_height, included_at, in_time_at, full_minor, price,
  fee_percent_basis_points, fee_flat_minor, fee_minor, net_minor, below_minimum, aml_verdict, listed_address, quarantine,
  created_at, confirmed_at, first_seen_at, unseen_since, replaced_by, replaced_height, failures, matures_after, mac`

/** A deposit as a block or a mempool shows it, with what was decided about it should it be new. */
export interface DepositRow {
  readonly id: string
  readonly network: string
  readonly transferKey: string
  readonly txHash: string
  readonly asset: string
  readonly paymentMethodId: number
  /** Undefined for a hot wallet. */
  readonly addressId: number | undefined
  readonly merchantId: string | undefined
  readonly invoiceId: string | undefined
  readonly sender: string | undefined
  readonly recipient: string
  readonly amountMinor: string
  /** In whole units. */
  readonly amount: string
  /** These four are undefined where it waits for a block. */
  readonly blockHeight: number | undefined
  readonly blockHash: string | undefined
  readonly blockPlace: number | undefined
  readonly includedAt: Date | undefined
  readonly inTimeAt: Date
  readonly maturesAfter: number
  readonly fullMinor: string | undefined
  readonly price: string | undefined
  readonly feePercentBasisPoints: number
  readonly feeFlatMinor: string
  /** Of its sender; undefined where nobody is screened. */
  readonly verdict: DepositVerdict | undefined
  /** Whoever signed its transaction, where that is somebody else than the sender. */
  readonly origin: string | undefined
  /** Which of those who paid is on a sanctions list. */
  readonly listedAddress: string | undefined
}

/**
 * What was agreed on a deposit holds as long as it is in the same asset and to the same address. One that only waited
 * while there was no price has nothing agreed.
 */
const keepsTerms = sql`(
  (transaction.address_id, transaction.recipient, transaction.asset)
    is not distinct from (excluded.address_id, excluded.recipient, excluded.asset)
  and (transaction.inclusion > 0 or transaction.price is not null))`

/**
 * Its price holds as long, but for one that waited for its first block: for 72 hours after it was first seen. Whoever pays
 * too low a fee for a block would else choose among the prices of weeks.
 */
const keepsPrice = sql`(${keepsTerms} and (
  transaction.inclusion > 0 or transaction.first_seen_at is null
  or excluded.in_time_at <= transaction.first_seen_at + interval '72 hours'))`

/** The statement that writes new deposits with their MACs, up to what it does with those that are known. */
export function insertDeposits(macs: BooksMacs, deposits: readonly DepositRow[], inclusion: 0 | 1): Sql {
  const rows = deposits.map((deposit) => ({ ...deposit, mac: depositMac(macs, factsOf(deposit, inclusion)) }))
  return sql`
    insert into transaction (id, network, transfer_key, tx_hash, asset, payment_method_id, address_id, merchant_id,
      invoice_id, sender, recipient, amount_minor, amount, inclusion, block_height, block_hash, block_place,
      included_at, in_time_at, full_minor, price, fee_percent_basis_points, fee_flat_minor, aml_verdict,
      origin, listed_address, matures_after, mac, first_seen_at)
    select id, network, "transferKey", "txHash", asset, "paymentMethodId", "addressId", "merchantId",
      "invoiceId", sender, recipient, "amountMinor", amount, ${inclusion}::integer, "blockHeight", "blockHash",
      "blockPlace", "includedAt", "inTimeAt", "fullMinor", price, "feePercentBasisPoints", "feeFlatMinor", verdict,
      origin, "listedAddress", "maturesAfter", mac, case when ${inclusion}::integer = 0 then now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as deposit (
      id uuid, network text, "transferKey" text, "txHash" text, asset text, "paymentMethodId" integer,
      "addressId" bigint, "merchantId" uuid, "invoiceId" uuid, sender text, recipient text,
      "amountMinor" numeric, amount numeric, "blockHeight" bigint, "blockHash" text, "blockPlace" integer,
      "includedAt" timestamptz, "inTimeAt" timestamptz, "fullMinor" numeric, price numeric,
      "feePercentBasisPoints" integer, "feeFlatMinor" numeric, verdict text, origin text,
      "listedAddress" text, "maturesAfter" integer, mac text)
    on conflict on constraint transaction_transfer_unique`
}

/**
 * Writes the deposits of blocks. One that is known, and in no block, be it for a rollback or as it only waited, lives on
 * in its row: its inclusion is counted up, what the chain says of it is read anew, and it is never later than it was. One that sits
 * in a canonical block already is not touched, and missing from the answer.
 */
export async function includeDeposits(
  tx: Tx,
  deposits: readonly DepositRow[],
): Promise<readonly Transaction[]> {
  const included: Transaction[] = []
  for (const piece of piecesOf(deposits, limits.rowsPerStatement))
    included.push(...(await includePiece(tx, piece)))
  return included
}

async function includePiece(tx: Tx, deposits: readonly DepositRow[]): Promise<readonly Transaction[]> {
  const rows = await tx.query<TransactionRow>(
    named(
      'include-deposits',
      sql`
      ${insertDeposits(macsOf(tx), deposits, 1)} do update
      set inclusion = transaction.inclusion + 1, block_height = excluded.block_height,
          block_hash = excluded.block_hash, block_place = excluded.block_place,
          included_at = excluded.included_at, state = 'pending',
          unseen_since = null, replaced_by = null, replaced_height = null,
          in_time_at = least(transaction.in_time_at, excluded.in_time_at),
          amount_minor = excluded.amount_minor, amount = excluded.amount, sender = excluded.sender,
          recipient = excluded.recipient, asset = excluded.asset, matures_after = excluded.matures_after,
          payment_method_id = excluded.payment_method_id, address_id = excluded.address_id,
          merchant_id = excluded.merchant_id, invoice_id = excluded.invoice_id, aml_verdict = excluded.aml_verdict,
          origin = excluded.origin, listed_address = excluded.listed_address,
          full_minor = case when ${keepsPrice} then transaction.full_minor else excluded.full_minor end,
          price = case when ${keepsPrice} then transaction.price else excluded.price end,
          fee_percent_basis_points = case when ${keepsTerms}
            then transaction.fee_percent_basis_points else excluded.fee_percent_basis_points end,
          fee_flat_minor = case when ${keepsTerms}
            then transaction.fee_flat_minor else excluded.fee_flat_minor end
      where transaction.block_height is null
      returning ${transactionColumns}`,
    ),
  )
  return vouchForIncluded(tx, rows.map(toTransaction), deposits)
}

/**
 * Pending deposits in canonical blocks up to `height`, locked, oldest block first. Locked against other writers alone:
 * whoever refers to one of them under its invoice's lock, for which a block waits, must not wait for the block.
 */
export async function lockRipe(tx: Tx, network: string, height: number): Promise<readonly Transaction[]> {
  const rows = await tx.query<TransactionRow>(
    named(
      'lock-ripe',
      sql`select ${transactionColumns} from transaction
          where network = ${network} and state = 'pending' and block_height <= ${height}
          order by block_height, block_place for no key update`,
    ),
  )
  return rows.map(toTransaction)
}

/** Deposits of a merchant by one method at one price that may still go, as far as their worth goes. */
export type UnfinalDeposits = Pick<Transaction, 'merchantId' | 'paymentMethodId' | 'amountMinor' | 'priceUsd'>

/** All that some merchants have on a network in blocks and not confirmed, or in blocks above the final height. */
export async function readUnfinal(
  on: Queryable,
  network: string,
  merchantIds: readonly string[],
  finalHeight: number,
): Promise<readonly UnfinalDeposits[]> {
  const columns = sql`merchant_id, payment_method_id, amount_minor, price`
  const rows = await on.query<
    Pick<TransactionRow, 'merchant_id' | 'payment_method_id' | 'amount_minor' | 'price'>
  >(
    named(
      'read-unfinal',
      sql`select merchant_id, payment_method_id, sum(amount_minor) as amount_minor, price from (
            select ${columns} from transaction
            where network = ${network} and state = 'pending' and block_height is not null
              and merchant_id = any(${[...merchantIds]})
            union all
            select ${columns} from transaction
            where network = ${network} and state = 'confirmed' and block_height > ${finalHeight}
              and merchant_id = any(${[...merchantIds]})
          ) unfinal
          group by merchant_id, payment_method_id, price`,
    ),
  )
  return rows.map((row) => ({
    merchantId: row.merchant_id ?? undefined,
    paymentMethodId: row.payment_method_id,
    amountMinor: BigInt(row.amount_minor),
    priceUsd: row.price === null ? undefined : BigInt(row.price),
  }))
}

/** What becomes of a deposit when it is confirmed. */
export interface ConfirmationRow {
  readonly id: string
  readonly belowMinimum: boolean
  readonly feeMinor: string | undefined
  readonly netMinor: string | undefined
  readonly quarantine: Quarantine | undefined
}

/** Marks deposits confirmed, or confirmed ones as raised above the minimum; returns the database's time. */
export async function saveConfirmations(tx: Tx, rows: readonly ConfirmationRow[]): Promise<Date> {
  let now = new Date(0)
  for (const piece of piecesOf(rows, limits.rowsPerStatement)) now = await savePiece(tx, piece)
  return now
}

async function savePiece(tx: Tx, rows: readonly ConfirmationRow[]): Promise<Date> {
  const saved = await tx.query<{ now: Date }>(
    named(
      'save-confirmations',
      sql`
      update transaction
      set state = 'confirmed', confirmed_at = coalesce(confirmed_at, now()), below_minimum = row."belowMinimum",
          fee_minor = row."feeMinor", net_minor = row."netMinor", quarantine = row.quarantine
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (id uuid, "belowMinimum" boolean, "feeMinor" numeric, "netMinor" numeric, quarantine text)
      where transaction.id = row.id
      returning now()::timestamptz(3) as now`,
    ),
  )
  return saved[0]?.now ?? new Date(0)
}

/** The deposits in blocks above `height`, locked as by `lockRipe`, newest block first. */
export async function lockAbove(tx: Tx, network: string, height: number): Promise<readonly Transaction[]> {
  const rows = await tx.query<TransactionRow>(sql`
    select ${transactionColumns} from transaction where network = ${network} and block_height > ${height}
    order by block_height desc, block_place for no key update`)
  return rows.map(toTransaction)
}

/** Takes the deposits above `height` out of their blocks: pending again, nothing credited. Returns database time. */
export async function takeOutOfBlocks(tx: Tx, network: string, height: number): Promise<Date> {
  for (let now = new Date(0); ; ) {
    const rows = await takeOutSome(tx, network, height)
    now = rows[0]?.now ?? now
    if (rows.length < limits.rowsPerStatement) return now
  }
}

function takeOutSome(tx: Tx, network: string, height: number): Promise<readonly { readonly now: Date }[]> {
  return tx.query<{ now: Date }>(sql`
    update transaction
    set state = 'pending', block_height = null, block_hash = null, block_place = null, included_at = null,
        confirmed_at = null, unseen_since = now(),
        below_minimum = false, fee_minor = null, net_minor = null, quarantine = null
    where id in (
      select id from transaction where network = ${network} and block_height > ${height}
      limit ${limits.rowsPerStatement}
    )
    returning now()::timestamptz(3) as now`)
}

/** The newest transactions of an invoice and how many it has in all. */
export async function readNewest(
  on: Queryable,
  invoiceId: string,
  rows: number,
): Promise<{ transactions: readonly Transaction[]; total: number }> {
  const found = await on.query<TransactionRow & { total: number }>(
    named(
      'read-newest',
      sql`select ${transactionColumns}, count(*) over () as total from transaction where invoice_id = ${invoiceId}
          order by created_at desc, id desc limit ${rows}`,
    ),
  )
  return { transactions: found.map(toTransaction), total: found[0]?.total ?? 0 }
}

/** The next transactions after one, in the order of their ids. */
export async function readTransactionsAfter(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly Transaction[]> {
  const rows = await on.query<TransactionRow>(sql`
    select ${transactionColumns} from transaction where id > ${after} order by id limit ${rowsMax}`)
  return rows.map(toTransaction)
}

/**
 * Merchants do not see the payments of an invoice that they deleted. The books keep them: the condition is read where a
 * merchant's transactions are shown, and nowhere else. It reads the invoice, so that a payment which arrives while the
 * invoice is deleted is hidden whichever of the two commits first.
 */
export const isShownToMerchant = sql`not exists (
  select from invoice where invoice.id = transaction.invoice_id and invoice.deleted_at is not null)`

/** A merchant's transaction, unless it paid an invoice that was deleted. */
export async function findTransaction(
  on: Queryable,
  merchantId: string,
  id: string,
): Promise<Transaction | undefined> {
  const row = await one<TransactionRow>(
    on,
    sql`select ${transactionColumns} from transaction
        where id = ${id} and merchant_id = ${merchantId} and ${isShownToMerchant}`,
  )
  return row === undefined ? undefined : toTransaction(row)
}

export function toTransaction(row: TransactionRow): Transaction {
  const optional = (text: string | null) => (text === null ? undefined : BigInt(text))
  return {
    id: row.id,
    network: row.network,
    transferKey: row.transfer_key,
    txHash: row.tx_hash,
    asset: row.asset,
    paymentMethodId: row.payment_method_id,
    merchantId: row.merchant_id ?? undefined,
    invoiceId: row.invoice_id ?? undefined,
    sender: row.sender ?? undefined,
    recipient: row.recipient,
    amountMinor: BigInt(row.amount_minor),
    state: row.state,
    inclusion: row.inclusion,
    blockHeight: row.block_height ?? undefined,
    includedAt: row.included_at ?? undefined,
    inTimeAt: row.in_time_at,
    fullMinor: optional(row.full_minor),
    priceUsd: optional(row.price),
    feePercentBasisPoints: row.fee_percent_basis_points,
    feeFlatMinor: BigInt(row.fee_flat_minor),
    feeMinor: optional(row.fee_minor),
    netMinor: optional(row.net_minor),
    belowMinimum: row.below_minimum,
    verdict: row.aml_verdict ?? undefined,
    listedAddress: row.listed_address ?? undefined,
    quarantine: row.quarantine ?? undefined,
    createdAt: row.created_at,
    confirmedAt: row.confirmed_at ?? undefined,
    firstSeenAt: row.first_seen_at ?? undefined,
    unseenSince: row.unseen_since ?? undefined,
    replacedBy: row.replaced_by ?? undefined,
    replacedHeight: row.replaced_height ?? undefined,
    failures: row.failures,
    maturesAfter: row.matures_after,
    mac: row.mac,
  }
}
