/** The table of outgoing transactions. */
import sql from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { named, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import {
  type Intent,
  type IntentKind,
  intentText,
  readIntentText,
  type UtxoHotKeyPath,
  type UtxoKeyPath,
} from '../../signing/intent.ts'
import type { Proposal } from './outgoing-source.ts'
import {
  asFamily,
  type EvmTerms,
  type FamilyTerms,
  type Fees,
  type Inclusion,
  maxCostMinor,
  type OutgoingTransaction,
  type OutgoingTransactionState,
  type UtxoTerms,
} from './outgoing-transaction.ts'
import {
  insertTerms,
  joinedTerms,
  releaseSlots,
  type TermsRow,
  termsColumns,
  toTerms,
  updateFees,
} from './terms-store.ts'

/** An outgoing transaction as it is stored, with its intent, slot and fees. */
export type StoredOutgoingTransaction = EvmOutgoingTransaction | UtxoOutgoingTransaction

export interface EvmOutgoingTransaction extends StoredBase, EvmTerms {}
export interface UtxoOutgoingTransaction extends StoredBase, UtxoTerms {}

interface StoredBase extends OutgoingTransaction {
  readonly intent: Intent
  readonly spends: Proposal['spends']
  readonly bumps: number
  /**
   * The height of our highest block when the newest bytes were last sent to a node; undefined if the bytes
   * must be sent.
   */
  readonly sentHeight: number | undefined
  /** The height of our highest block when the newest bytes were first sent to a node. */
  readonly offeredHeight: number | undefined
}

/** Returns outgoing transactions typed as transactions of the given family. */
export function ofFamily<F extends StoredOutgoingTransaction['family']>(
  family: F,
  outgoingTransactions: readonly StoredOutgoingTransaction[],
): readonly Extract<StoredOutgoingTransaction, { readonly family: F }>[] {
  return outgoingTransactions.map((outgoingTransaction) => asFamily(family, outgoingTransaction))
}

export type NewOutgoingTransaction = NewBase & FamilyTerms

interface NewBase extends Pick<StoredBase, 'id' | 'network' | 'intent' | 'spends'> {
  /**
   * The ids of the proposals that the transaction carries out. If undefined, it carries out only the proposal
   * with its own id.
   */
  readonly carries?: readonly string[]
  /** On UTXO chains: the UTXOs that the transaction spends, the pinned outpoint first, and its change. */
  readonly utxos?: PlannedUtxos
}

export interface PlannedUtxos {
  readonly inputs: readonly {
    readonly outpoint: string
    readonly amountMinor: bigint
    readonly keyPath: UtxoKeyPath
  }[]
  readonly change: { readonly keyPath: UtxoHotKeyPath; readonly address: string } | undefined
}

interface OutgoingTransactionRow extends TermsRow {
  readonly id: string
  readonly network: string
  readonly intent: string
  readonly state: OutgoingTransactionState
  readonly max_cost_minor: string
  readonly spent_asset: string | null
  readonly spent_contract: string | null
  readonly spent_minor: string | null
  readonly bumps: number
  readonly sent_height: number | null
  readonly offered_height: number | null
  readonly included_tx_hash: string | null
  readonly included_height: number | null
  readonly included_block_hash: string | null
  readonly is_success: boolean | null
  readonly fee_minor: string | null
  readonly planned_at: Date
}

const columns = sql`p.id, p.network, p.intent, p.state, p.max_cost_minor, p.spent_asset, p.spent_contract, p.spent_minor,
  p.bumps, p.sent_height, p.offered_height, p.included_tx_hash, p.included_height, p.included_block_hash, p.is_success,
  p.fee_minor, p.planned_at, ${termsColumns}`

/** Stores planned outgoing transactions whose ids are not stored yet, and returns those that were stored. */
export async function insertOutgoingTransactions(
  tx: Tx,
  outgoingTransactions: readonly NewOutgoingTransaction[],
): Promise<readonly StoredOutgoingTransaction[]> {
  const rows = outgoingTransactions.map(({ id, network, intent, fees, spends }) => ({
    id,
    network,
    kind: intent.kind satisfies IntentKind,
    intent: intentText(intent),
    max_cost_minor: `${maxCostMinor(fees)}`,
    ...spentColumns(spends),
  }))
  const inserted = await tx.query<{ id: string; planned_at: Date }>(
    named(
      'insert-outgoing-transactions',
      sql`
      insert into outgoing_transaction (id, network, kind, intent, max_cost_minor, spent_asset, spent_contract, spent_minor)
      select id, network, kind, intent, max_cost_minor, spent_asset, spent_contract, spent_minor
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (id uuid, network text, kind text, intent text, max_cost_minor numeric, spent_asset text,
                spent_contract text, spent_minor numeric)
      on conflict (id) do nothing
      returning id, planned_at`,
    ),
  )
  const plannedAt = new Map(inserted.map((row) => [row.id, row.planned_at]))
  const added = outgoingTransactions.filter(({ id }) => plannedAt.has(id))
  await insertTerms(tx, added)
  return added.map(({ carries, utxos, ...own }) => ({
    ...own,
    state: 'planned',
    maxCostMinor: maxCostMinor(own.fees),
    bumps: 0,
    sentHeight: undefined,
    offeredHeight: undefined,
    inclusion: undefined,
    plannedAt: required(plannedAt.get(own.id), 'the time of planning'),
  }))
}

export function spentColumns(spends: Proposal['spends']) {
  return {
    spent_asset: spends?.asset ?? null,
    spent_contract: spends?.contract ?? null,
    spent_minor: spends === undefined ? null : `${spends.amountMinor}`,
  }
}

/** Returns all outgoing transactions of a network that are neither final nor conflicted, the oldest first. */
export async function readOpen(
  on: Queryable,
  network: string,
): Promise<readonly StoredOutgoingTransaction[]> {
  const rows = await on.query<OutgoingTransactionRow>(
    named(
      'read-open-outgoing-transactions',
      sql`select ${columns} from outgoing_transaction p ${joinedTerms}
          where p.network = ${network} and p.state not in ('final', 'conflicted')
          order by p.planned_at, p.id`,
    ),
  )
  return rows.map(toOutgoingTransaction)
}

/**
 * Returns outgoing transactions for which nothing was signed at their current fees. A refused transaction
 * that keeps its nonce is left out until its next try is due.
 */
export async function readUnsigned(
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly StoredOutgoingTransaction[]> {
  const rows = await on.query<OutgoingTransactionRow>(
    named(
      'read-unsigned-outgoing-transactions',
      sql`
      select ${columns} from outgoing_transaction p ${joinedTerms}
      where p.network = ${network} and p.state in ('planned', 'signed', 'broadcast', 'needs_recheck')
        and not exists (select from outgoing_transaction_attempt a
                        where a.outgoing_transaction_id = p.id and a.max_cost_minor = p.max_cost_minor)
        and not exists (select from outgoing_refusal r where r.outgoing_transaction_id = p.id and r.retry_at > coffer_now())
      order by evm.wallet, evm.nonce, p.planned_at, p.id
      limit ${max}`,
    ),
  )
  return rows.map(toOutgoingTransaction)
}

export async function readOutgoingTransactions(
  on: Queryable,
  ids: readonly string[],
): Promise<readonly StoredOutgoingTransaction[]> {
  const rows = await on.query<OutgoingTransactionRow>(
    sql`select ${columns} from outgoing_transaction p ${joinedTerms} where p.id = any(${[...ids]}::uuid[]) order by p.planned_at, p.id`,
  )
  return rows.map(toOutgoingTransaction)
}

/**
 * Returns final outgoing transactions that were included at `fromHeight` or above, in a block that is no
 * longer in our list of blocks.
 */
export async function readUnsettled(
  on: Queryable,
  network: string,
  fromHeight: number,
): Promise<readonly StoredOutgoingTransaction[]> {
  const rows = await on.query<OutgoingTransactionRow>(sql`
    select ${columns} from outgoing_transaction p ${joinedTerms}
    where p.network = ${network} and p.state = 'final' and p.included_height >= ${fromHeight} and not exists (
      select from block
      where block.network = p.network and block.height = p.included_height and block.hash = p.included_block_hash)
    order by p.planned_at, p.id limit 1000`)
  return rows.map(toOutgoingTransaction)
}

/** Returns the blocks of our own list at the heights of the given blocks, each as `<height> <hash>`. */
export async function findOurBlocks(
  on: Queryable,
  network: string,
  blocks: readonly { readonly height: number; readonly blockHash: string }[],
): Promise<ReadonlySet<string>> {
  if (blocks.length === 0) return new Set()
  const rows = await on.query<{ height: number; hash: string }>(
    named(
      'find-our-blocks',
      sql`select height, hash from block
          where network = ${network} and height = any(${[...new Set(blocks.map(({ height }) => height))]}::bigint[])`,
    ),
  )
  return new Set(rows.map(({ height, hash }) => `${height} ${hash}`))
}

export async function saveState(
  tx: Tx,
  ids: readonly string[],
  state: 'signed' | 'broadcast' | 'needs_recheck' | 'conflicted',
): Promise<void> {
  await tx.query(
    named(
      'save-outgoing-transaction-state',
      sql`
      update outgoing_transaction set state = ${state}::text, included_tx_hash = null, included_height = null, included_block_hash = null,
        is_success = null, fee_minor = null, ended_at = case when ${state}::text = 'conflicted' then coffer_now() end
      where id = any(${[...ids]}::uuid[])`,
    ),
  )
  if (state === 'conflicted') await releaseSlots(tx, ids)
}

export async function saveInclusions(
  tx: Tx,
  state: 'included' | 'final',
  inclusions: readonly { readonly id: string; readonly inclusion: Inclusion }[],
): Promise<void> {
  const rows = inclusions.map(({ id, inclusion }) => ({
    id,
    tx_hash: inclusion.txHash,
    height: inclusion.height,
    block_hash: inclusion.blockHash,
    is_success: inclusion.isSuccess,
    fee: `${inclusion.feeMinor}`,
  }))
  await tx.query(
    named(
      'save-outgoing-transaction-inclusions',
      sql`
      update outgoing_transaction set state = ${state}::text, included_tx_hash = row.tx_hash, included_height = row.height,
        included_block_hash = row.block_hash, is_success = row.is_success, fee_minor = row.fee,
        ended_at = case when ${state}::text = 'final' then coffer_now() end
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (id uuid, tx_hash text, height bigint, block_hash text, is_success boolean, fee numeric)
      where outgoing_transaction.id = row.id`,
    ),
  )
}

/** Stores the height at which bytes were sent; `undefined` means that the bytes must be sent (again). */
export async function saveSentHeight(
  tx: Tx,
  ids: readonly string[],
  height: number | undefined,
): Promise<void> {
  await tx.query(
    named(
      'save-outgoing-transaction-sent-height',
      sql`update outgoing_transaction set sent_height = ${height ?? null}::bigint,
            offered_height = case when ${height ?? null}::bigint is not null
              then coalesce(offered_height, ${height ?? null}::bigint) end
          where id = any(${[...ids]}::uuid[])`,
    ),
  )
}

export async function saveFees(tx: Tx, id: string, fees: Fees, bumps: number): Promise<void> {
  await updateFees(tx, id, fees)
  await tx.query(sql`
    update outgoing_transaction set max_cost_minor = ${`${maxCostMinor(fees)}`}, bumps = ${bumps} where id = ${id}`)
}

/** Sets `offeredHeight` to the current height, so that the next fee bump is due some blocks later. */
export async function saveOfferedNow(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update outgoing_transaction set offered_height = chain_cursor.height from chain_cursor
    where outgoing_transaction.id = ${id} and chain_cursor.network = outgoing_transaction.network`)
}

/**
 * Deletes the given transactions for which nothing was signed, and returns them. Their slots are then free.
 */
export async function deletePlanned(
  tx: Tx,
  ids: readonly string[],
): Promise<readonly StoredOutgoingTransaction[]> {
  const rows = await tx.query<OutgoingTransactionRow>(sql`
    with unsigned as (
      select ${columns} from outgoing_transaction p ${joinedTerms}
      where p.id = any(${[...ids]}::uuid[]) and p.state = 'planned'
        and not exists (select from outgoing_transaction_attempt where outgoing_transaction_id = p.id)
      order by p.planned_at, p.id for update of p
    ), deleted as (
      delete from outgoing_transaction using unsigned where outgoing_transaction.id = unsigned.id
    )
    select * from unsigned order by planned_at, id`)
  return rows.map(toOutgoingTransaction)
}

function toOutgoingTransaction(row: OutgoingTransactionRow): StoredOutgoingTransaction {
  return {
    id: row.id,
    network: row.network,
    intent: readIntentText(row.intent) as Intent,
    state: row.state,
    ...toTerms(row),
    maxCostMinor: BigInt(row.max_cost_minor),
    spends: toSpends(row),
    bumps: row.bumps,
    sentHeight: row.sent_height ?? undefined,
    offeredHeight: row.offered_height ?? undefined,
    inclusion: toInclusion(row),
    plannedAt: row.planned_at,
  }
}

export function toSpends(row: {
  readonly spent_asset: string | null
  readonly spent_contract: string | null
  readonly spent_minor: string | null
}): Proposal['spends'] {
  if (row.spent_asset === null) return undefined
  return { asset: row.spent_asset, contract: row.spent_contract, amountMinor: BigInt(row.spent_minor ?? 0) }
}

function toInclusion(row: OutgoingTransactionRow): Inclusion | undefined {
  if (row.included_tx_hash === null) return undefined
  return {
    txHash: row.included_tx_hash,
    height: row.included_height ?? 0,
    blockHash: row.included_block_hash ?? '',
    isSuccess: row.is_success ?? false,
    feeMinor: BigInt(row.fee_minor ?? 0),
  }
}
