import sql, { type Sql } from 'sql-template-tag'
import type { BooksMacs } from '../../core/books-macs.ts'
import { chunksOf } from '../../core/chunks.ts'
import { limits } from '../../core/limits.ts'
import { macsOf, named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Deposit, DepositState, DepositVerdict, Quarantine } from './deposit.ts'
import { depositMac } from './deposit-mac.ts'
import { factsOf, vouchForIncluded } from './mac-store.ts'

export interface DepositRow {
  readonly id: string
  readonly network: string
  readonly transfer_key: string
  readonly tx_hash: string
  readonly asset: string
  readonly payment_method_id: number
  readonly merchant_id: string | null
  readonly invoice_id: string | null
  readonly offered_method_ids: number[] | null
  readonly sender: string | null
  readonly recipient: string
  readonly amount_minor: string
  readonly state: DepositState
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

export const depositColumns = sql`id, network, transfer_key, tx_hash, asset, payment_method_id, merchant_id, invoice_id, sender,
  recipient, amount_minor, state, inclusion, block_height, included_at, in_time_at, full_minor, price,
  fee_percent_basis_points, fee_flat_minor, fee_minor, net_minor, below_minimum, aml_verdict, listed_address, quarantine,
  created_at, confirmed_at, first_seen_at, unseen_since, replaced_by, replaced_height, failures, matures_after, mac,
  (select invoice.payment_method_ids from invoice where invoice.id = deposit.invoice_id) as offered_method_ids`

/**
 * A deposit that was seen in a block or a mempool. Its id, price and terms apply only if the deposit is not
 * stored yet.
 */
export interface NewDeposit {
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
  /** The same amount as `amountMinor`, in whole units. */
  readonly amount: string
  /**
   * `blockHeight`, `blockHash`, `blockPosition` and `includedAt` are undefined while the deposit waits for a
   * block.
   */
  readonly blockHeight: number | undefined
  readonly blockHash: string | undefined
  readonly blockPosition: number | undefined
  readonly includedAt: Date | undefined
  readonly inTimeAt: Date
  readonly maturesAfter: number
  readonly fullMinor: string | undefined
  readonly price: string | undefined
  readonly feePercentBasisPoints: number
  readonly feeFlatMinor: string
  /** The result of screening the deposit's payers; undefined if screening is off. */
  readonly verdict: DepositVerdict | undefined
  /** The signer of the transaction, if the signer is not the sender. */
  readonly origin: string | undefined
  /** The payer's address that is on a sanctions list; undefined if no payer is listed. */
  readonly listedAddress: string | undefined
}

/**
 * SQL: whether the agreed terms of a stored deposit still apply. The terms apply while asset and address stay
 * the same. A deposit that was never in a block and has no price has no agreed terms.
 */
const hasSameTerms = sql`(
  (deposit.address_id, deposit.recipient, deposit.asset)
    is not distinct from (excluded.address_id, excluded.recipient, excluded.asset)
  and (deposit.inclusion > 0 or deposit.price is not null))`

/**
 * SQL: whether the agreed price of a stored deposit still applies. It applies while the terms apply, with one
 * exception. If a deposit enters its first block more than 72 hours after it was first seen, it gets a new
 * price. Without this limit, a payer with a very low network fee could keep an old price for weeks.
 */
const hasSamePrice = sql`(${hasSameTerms} and (
  deposit.inclusion > 0 or deposit.first_seen_at is null
  or excluded.in_time_at <= deposit.first_seen_at + interval '72 hours'))`

/**
 * Builds the statement that inserts deposits with their MACs. The caller appends the conflict action for
 * deposits that are stored already.
 */
export function insertDeposits(macs: BooksMacs, deposits: readonly NewDeposit[], inclusion: 0 | 1): Sql {
  const rows = deposits.map((deposit) => ({ ...deposit, mac: depositMac(macs, factsOf(deposit, inclusion)) }))
  return sql`
    insert into deposit (id, network, transfer_key, tx_hash, asset, payment_method_id, address_id, merchant_id,
      invoice_id, sender, recipient, amount_minor, amount, inclusion, block_height, block_hash, block_position,
      included_at, in_time_at, full_minor, price, fee_percent_basis_points, fee_flat_minor, aml_verdict,
      origin, listed_address, matures_after, mac, first_seen_at)
    select id, network, "transferKey", "txHash", asset, "paymentMethodId", "addressId", "merchantId",
      "invoiceId", sender, recipient, "amountMinor", amount, ${inclusion}::integer, "blockHeight", "blockHash",
      "blockPosition", "includedAt", "inTimeAt", "fullMinor", price, "feePercentBasisPoints", "feeFlatMinor", verdict,
      origin, "listedAddress", "maturesAfter", mac, case when ${inclusion}::integer = 0 then coffer_now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as deposit (
      id uuid, network text, "transferKey" text, "txHash" text, asset text, "paymentMethodId" integer,
      "addressId" bigint, "merchantId" uuid, "invoiceId" uuid, sender text, recipient text,
      "amountMinor" numeric, amount numeric, "blockHeight" bigint, "blockHash" text, "blockPosition" integer,
      "includedAt" timestamptz, "inTimeAt" timestamptz, "fullMinor" numeric, price numeric,
      "feePercentBasisPoints" integer, "feeFlatMinor" numeric, verdict text, origin text,
      "listedAddress" text, "maturesAfter" integer, mac text)
    on conflict on constraint deposit_transfer_unique`
}

/**
 * Stores the deposits of blocks, and returns those that were stored or changed. A stored deposit without a
 * block keeps its row: it was pending, or lost its block in a reorganisation. Its inclusion is incremented,
 * the fields from the chain are replaced, and `in_time_at` never becomes later. A deposit that is already in
 * a canonical block is not changed.
 */
export async function includeDeposits(tx: Tx, deposits: readonly NewDeposit[]): Promise<readonly Deposit[]> {
  const included: Deposit[] = []
  for (const chunk of chunksOf(deposits, limits.rowsPerStatement))
    included.push(...(await includeChunk(tx, chunk)))
  return included
}

async function includeChunk(tx: Tx, deposits: readonly NewDeposit[]): Promise<readonly Deposit[]> {
  const rows = await tx.query<DepositRow>(
    named(
      'include-deposits',
      sql`
      ${insertDeposits(macsOf(tx), deposits, 1)} do update
      set inclusion = deposit.inclusion + 1, block_height = excluded.block_height,
          block_hash = excluded.block_hash, block_position = excluded.block_position,
          included_at = excluded.included_at, state = 'pending',
          unseen_since = null, replaced_by = null, replaced_height = null,
          in_time_at = least(deposit.in_time_at, excluded.in_time_at),
          amount_minor = excluded.amount_minor, amount = excluded.amount, sender = excluded.sender,
          recipient = excluded.recipient, asset = excluded.asset, matures_after = excluded.matures_after,
          payment_method_id = excluded.payment_method_id, address_id = excluded.address_id,
          merchant_id = excluded.merchant_id, invoice_id = excluded.invoice_id, aml_verdict = excluded.aml_verdict,
          origin = excluded.origin, listed_address = excluded.listed_address,
          full_minor = case when ${hasSamePrice} then deposit.full_minor else excluded.full_minor end,
          price = case when ${hasSamePrice} then deposit.price else excluded.price end,
          fee_percent_basis_points = case when ${hasSameTerms}
            then deposit.fee_percent_basis_points else excluded.fee_percent_basis_points end,
          fee_flat_minor = case when ${hasSameTerms}
            then deposit.fee_flat_minor else excluded.fee_flat_minor end
      where deposit.block_height is null
      returning ${depositColumns}`,
    ),
  )
  return vouchForIncluded(tx, rows.map(toDeposit), deposits)
}

/**
 * Returns the pending deposits in canonical blocks up to `height`, oldest block first, and locks them against
 * other writers. The lock `for no key update` allows other transactions to insert rows that refer to a
 * deposit. Such a transaction may hold the lock of an invoice for which this transaction waits. A stronger
 * lock could cause a deadlock.
 */
export async function lockConfirmable(tx: Tx, network: string, height: number): Promise<readonly Deposit[]> {
  const rows = await tx.query<DepositRow>(
    named(
      'lock-confirmable',
      sql`select ${depositColumns} from deposit
          where network = ${network} and state = 'pending' and block_height <= ${height}
          order by block_height, block_position, id for no key update`,
    ),
  )
  return rows.map(toDeposit)
}

/** The sum of a merchant's deposits that a reorganisation may still remove, for one method and one price. */
export type UnfinalDeposits = Pick<Deposit, 'merchantId' | 'paymentMethodId' | 'amountMinor' | 'priceUsd'>

/**
 * Returns sums of the deposits that are not final, for some merchants on one network. These deposits are
 * pending in a block, or confirmed in a block above `finalHeight`.
 */
export async function readUnfinal(
  on: Queryable,
  network: string,
  merchantIds: readonly string[],
  finalHeight: number,
): Promise<readonly UnfinalDeposits[]> {
  const columns = sql`merchant_id, payment_method_id, amount_minor, price`
  const rows = await on.query<
    Pick<DepositRow, 'merchant_id' | 'payment_method_id' | 'amount_minor' | 'price'>
  >(
    named(
      'read-unfinal',
      sql`select merchant_id, payment_method_id, sum(amount_minor) as amount_minor, price from (
            select ${columns} from deposit
            where network = ${network} and state = 'pending' and block_height is not null
              and merchant_id = any(${[...merchantIds]})
            union all
            select ${columns} from deposit
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

/** The fields of a deposit that its confirmation sets. */
export interface ConfirmationRow {
  readonly id: string
  readonly belowMinimum: boolean
  readonly feeMinor: string | undefined
  readonly netMinor: string | undefined
  readonly quarantine: Quarantine | undefined
}

/**
 * Stores the new state of deposits: pending deposits become confirmed, kept deposits are credited, and held
 * deposits are released. Returns the database's time.
 */
export async function saveConfirmations(tx: Tx, rows: readonly ConfirmationRow[]): Promise<Date> {
  let now = new Date(0)
  for (const chunk of chunksOf(rows, limits.rowsPerStatement)) now = await saveChunk(tx, chunk)
  return now
}

async function saveChunk(tx: Tx, rows: readonly ConfirmationRow[]): Promise<Date> {
  const saved = await tx.query<{ now: Date }>(
    named(
      'save-confirmations',
      sql`
      update deposit
      set state = 'confirmed', confirmed_at = coalesce(confirmed_at, coffer_now()), below_minimum = row."belowMinimum",
          fee_minor = row."feeMinor", net_minor = row."netMinor", quarantine = row.quarantine
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (id uuid, "belowMinimum" boolean, "feeMinor" numeric, "netMinor" numeric, quarantine text)
      where deposit.id = row.id
      returning coffer_now()::timestamptz(3) as now`,
    ),
  )
  return saved[0]?.now ?? new Date(0)
}

/**
 * Returns the deposits in blocks above `height`, newest block first. Locks them against other writers until
 * the transaction ends.
 */
export async function lockAbove(tx: Tx, network: string, height: number): Promise<readonly Deposit[]> {
  const rows = await tx.query<DepositRow>(sql`
    select ${depositColumns} from deposit where network = ${network} and block_height > ${height}
    order by block_height desc, block_position, id for no key update`)
  return rows.map(toDeposit)
}

/**
 * Removes the deposits above `height` from their blocks. The deposits become pending again, and their fee and
 * net amount are cleared. Returns the database's time.
 */
export async function removeFromBlocks(tx: Tx, network: string, height: number): Promise<Date> {
  for (let now = new Date(0); ; ) {
    const rows = await removeSome(tx, network, height)
    now = rows[0]?.now ?? now
    if (rows.length < limits.rowsPerStatement) return now
  }
}

function removeSome(tx: Tx, network: string, height: number): Promise<readonly { readonly now: Date }[]> {
  return tx.query<{ now: Date }>(sql`
    update deposit
    set state = 'pending', block_height = null, block_hash = null, block_position = null, included_at = null,
        confirmed_at = null, unseen_since = coffer_now(),
        below_minimum = false, fee_minor = null, net_minor = null, quarantine = null
    where id in (
      select id from deposit where network = ${network} and block_height > ${height}
      order by block_height, id limit ${limits.rowsPerStatement}
    )
    returning coffer_now()::timestamptz(3) as now`)
}

/** Returns the newest deposits of an invoice, and the number of all its deposits. */
export async function readNewest(
  on: Queryable,
  invoiceId: string,
  rows: number,
): Promise<{ deposits: readonly Deposit[]; total: number }> {
  const found = await on.query<DepositRow & { total: number }>(
    named(
      'read-newest',
      sql`select ${depositColumns}, count(*) over () as total from deposit where invoice_id = ${invoiceId}
          order by created_at desc, id desc limit ${rows}`,
    ),
  )
  return { deposits: found.map(toDeposit), total: found[0]?.total ?? 0 }
}

/** Returns at most `rowsMax` deposits with ids above `after`, in the order of ids. */
export async function readDepositsAfter(
  on: Queryable,
  after: string,
  rowsMax: number,
): Promise<readonly Deposit[]> {
  const rows = await on.query<DepositRow>(sql`
    select ${depositColumns} from deposit where id > ${after} order by id limit ${rowsMax}`)
  return rows.map(toDeposit)
}

/**
 * SQL condition that hides deposits of invoices that their merchant deleted. It is used only where deposits
 * are shown to merchants, because the books keep these deposits. The condition reads the row of the invoice.
 * It therefore also hides a deposit that is recorded while the invoice is deleted.
 */
export const isShownToMerchant = sql`not exists (
  select from invoice where invoice.id = deposit.invoice_id and invoice.deleted_at is not null)`

/**
 * Returns a merchant's deposit. Returns undefined if there is none with this id, or if its invoice was
 * deleted.
 */
export async function findDeposit(
  on: Queryable,
  merchantId: string,
  id: string,
): Promise<Deposit | undefined> {
  const row = await one<DepositRow>(
    on,
    sql`select ${depositColumns} from deposit
        where id = ${id} and merchant_id = ${merchantId} and ${isShownToMerchant}`,
  )
  return row === undefined ? undefined : toDeposit(row)
}

export function toDeposit(row: DepositRow): Deposit {
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
    offeredMethodIds: row.offered_method_ids ?? [],
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
