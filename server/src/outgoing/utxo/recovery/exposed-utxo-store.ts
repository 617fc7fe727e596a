/**
 * Reads the UTXOs that can be spent by signed transactions which the database may have lost. Also reads the
 * transactions on chain that spent our UTXOs and that the database does not know, and stores which UTXOs are
 * set aside.
 */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { UtxoKeyPath } from '../../../signing/intent.ts'
import type { OutgoingTransactionInput } from '../shape.ts'
import {
  keyPathOfOutput,
  mayBeSpent,
  previousTransactionOf,
  type SpendableUtxo,
  type TrustedHeights,
} from '../utxo-store.ts'

/**
 * A UTXO that is unspent in the booked blocks. A signed transaction that the database may have lost can spend
 * it.
 */
export interface ExposedUtxo extends SpendableUtxo {
  readonly height: number
  /** Whether one of our outgoing transactions has reserved the UTXO. */
  readonly isSpokenFor: boolean
  /**
   * Whether the UTXO's block is low enough for spending (`TrustedHeights`), and the books allow spending the
   * UTXO.
   */
  readonly maySpend: boolean
  /** True if the UTXO's previous transaction is stored, or if the signer does not need it on this chain. */
  readonly isShown: boolean
  /**
   * The last conflicted outgoing transaction that was to spend this UTXO. The signer lets only that
   * transaction spend the UTXO, or a reclaim that names that transaction.
   */
  readonly former: string | undefined
}

/**
 * Returns the unspent UTXOs that can be spent by signed transactions which the database may have lost, the
 * most valuable first. These are the UTXOs that were mature at block `until`, and all outputs of our own
 * transactions. Two kinds are left out: outputs of transactions that the current recovery made, and UTXOs
 * that are set aside.
 */
export async function readExposed(
  on: Queryable,
  network: string,
  at: TrustedHeights,
  {
    until,
    needsPreviousTransactions,
    max,
  }: { until: number; needsPreviousTransactions: boolean; max: number },
): Promise<readonly ExposedUtxo[]> {
  const rows = await on.query<{
    outpoint: string
    minor: string
    keyPath: UtxoKeyPath
    height: number
    bytes: number | null
    held: boolean
    may: boolean
    former: string | null
  }>(sql`
    select own_output.outpoint, own_output.amount_minor as minor, ${keyPathOfOutput} as "keyPath", own_output.height, previous.bytes,
      exists (
        select from outgoing_transaction_input input
        where input.network = own_output.network and input.outpoint = own_output.outpoint and not input.is_released) as held,
      (${mayBeSpent(at)}) is true as may, former.outgoing_transaction_id as former
    from own_output
    left join deposit on deposit.network = own_output.network and deposit.transfer_key = own_output.outpoint
    left join lateral (${previousTransactionOf(needsPreviousTransactions)}) previous on true
    left join lateral (
      select input.outgoing_transaction_id from outgoing_transaction_input input join outgoing_transaction on outgoing_transaction.id = input.outgoing_transaction_id
      where input.network = own_output.network and input.outpoint = own_output.outpoint and outgoing_transaction.state = 'conflicted'
      order by outgoing_transaction.planned_at desc, outgoing_transaction.id desc limit 1) former on true
    where own_output.network = ${network} and own_output.spent_by is null
      and not exists (
        select from utxo_set_aside aside where aside.network = own_output.network and aside.outpoint = own_output.outpoint)
      and not exists (
        select from outgoing_transaction_attempt made join outgoing_transaction_respend respend using (outgoing_transaction_id)
        where made.network = own_output.network and made.tx_hash = own_output.tx_hash)
      and (own_output.height + own_output.matures_after - 1 <= ${until} or exists (
        select from outgoing_transaction_attempt made where made.network = own_output.network and made.tx_hash = own_output.tx_hash))
    order by own_output.amount_minor desc, own_output.outpoint limit ${max}`)
  return rows.map(({ outpoint, minor, keyPath, height, bytes, held, may, former }) => ({
    outpoint,
    amountMinor: BigInt(minor),
    keyPath,
    height,
    previousTransactionBytes: bytes ?? 0,
    isSpokenFor: held,
    maySpend: may,
    isShown: bytes !== null || !needsPreviousTransactions,
    former: former ?? undefined,
  }))
}

/**
 * A transaction in a booked block that spends UTXOs of ours, but is stored neither as an attempt nor as an
 * outflow.
 */
export interface UnknownSpender {
  readonly txHash: string
  readonly height: number
  /** The UTXOs of ours that the transaction spends, in no particular order. */
  readonly utxos: readonly OutgoingTransactionInput[]
}

/**
 * Returns transactions that spend our UTXOs and that the database does not know, those in the lowest blocks
 * first.
 */
export async function readUnknownSpenders(
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly UnknownSpender[]> {
  const rows = await on.query<{
    hash: string
    height: number
    utxos: readonly { readonly outpoint: string; readonly minor: string; readonly keyPath: UtxoKeyPath }[]
  }>(sql`
    select spent_by as hash, max(spent_height) as height, jsonb_agg(
      jsonb_build_object('outpoint', outpoint, 'minor', amount_minor::text, 'keyPath', ${keyPathOfOutput}) order by outpoint
    ) as utxos
    from own_output
    where network = ${network} and spent_by is not null
      and not exists (
        select from outgoing_transaction_attempt where network = own_output.network and tx_hash = own_output.spent_by)
      and not exists (
        select from wallet_outflow where network = own_output.network and tx_hash = own_output.spent_by)
    group by spent_by order by max(spent_height), spent_by limit ${max}`)
  return rows.map(({ hash: txHash, height, utxos }) => ({
    txHash,
    height,
    utxos: utxos.map(({ outpoint, minor, keyPath }) => ({ outpoint, amountMinor: BigInt(minor), keyPath })),
  }))
}

/** Returns the given transactions that are stored as an attempt or as an outflow. */
export async function findAccounted(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ hash: string }>(sql`
    select tx_hash as hash from outgoing_transaction_attempt
    where network = ${network} and tx_hash = any(${[...txHashes]}::text[])
    union
    select tx_hash from wallet_outflow where network = ${network} and tx_hash = any(${[...txHashes]}::text[])`)
  return new Set(rows.map(({ hash }) => hash))
}

/** Returns the given outpoints that are stored as outputs of ours. */
export async function findListed(
  on: Queryable,
  network: string,
  outpoints: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ outpoint: string }>(
    sql`select outpoint from own_output where network = ${network} and outpoint = any(${[...outpoints]}::text[])`,
  )
  return new Set(rows.map(({ outpoint }) => outpoint))
}

/** Marks outgoing transactions as part of the current recovery. */
export async function insertRespends(
  tx: Tx,
  network: string,
  outgoingTransactionIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into outgoing_transaction_respend (outgoing_transaction_id, network) select id, ${network} from unnest(${[...outgoingTransactionIds]}::uuid[]) id`)
}

/**
 * Deletes the marks that show which outgoing transactions belong to a recovery, when the recovery ends or
 * starts again.
 */
export async function deleteRespends(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`delete from outgoing_transaction_respend where network = ${network}`)
}

/** Returns the given outgoing transactions that are part of the current recovery. */
export async function findRespends(
  on: Queryable,
  outgoingTransactionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ id: string }>(
    sql`select outgoing_transaction_id as id from outgoing_transaction_respend where outgoing_transaction_id = any(${[...outgoingTransactionIds]}::uuid[])`,
  )
  return new Set(rows.map(({ id }) => id))
}

export type AsideReason = 'small' | 'books'

export async function setAside(
  tx: Tx,
  network: string,
  utxos: readonly Pick<ExposedUtxo, 'outpoint' | 'amountMinor'>[],
  reason: AsideReason,
): Promise<void> {
  await tx.query(sql`
    insert into utxo_set_aside (network, outpoint, amount_minor, reason)
    select ${network}, outpoint, amount::numeric, ${reason} from unnest(
      ${utxos.map(({ outpoint }) => outpoint)}::text[], ${utxos.map(({ amountMinor }) => `${amountMinor}`)}::text[]
    ) as row (outpoint, amount)
    on conflict do nothing`)
}

export interface AsideSum {
  readonly network: string
  readonly reason: AsideReason
  readonly count: number
  readonly minor: bigint
}

/** Returns the sums of UTXOs that are set aside and still unspent, by network and reason. */
export async function sumSetAside(on: Queryable): Promise<readonly AsideSum[]> {
  const rows = await on.query<{ network: string; reason: AsideReason; count: number; minor: string }>(sql`
    select aside.network, reason, count(*)::int as count, sum(aside.amount_minor) as minor
    from utxo_set_aside aside
    join own_output on own_output.network = aside.network and own_output.outpoint = aside.outpoint and own_output.spent_by is null
    group by aside.network, reason order by aside.network, reason`)
  return rows.map(({ minor, ...row }) => ({ ...row, minor: BigInt(minor) }))
}

/**
 * Returns the text of the last refusal of a consolidation or reclaim that may not be tried again yet, or
 * undefined.
 */
export async function findRestingRefusal(on: Queryable, network: string): Promise<string | undefined> {
  const rows = await on.query<{ detail: string }>(sql`
    select detail from outgoing_refusal
    where network = ${network} and kind in ('consolidate', 'reclaim') and (retry_at is null or retry_at > coffer_now())
    order by refused_at desc, outgoing_transaction_id limit 1`)
  return rows[0]?.detail
}
