/**
 * The table of refusals. A refusal is a transaction that was planned and then refused before anything was
 * signed for it.
 */
import sql from 'sql-template-tag'
import { sum } from '../../../core/money.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Intent, intentText, readIntentText } from '../../../signing/intent.ts'
import type { RefusalCode } from '../../../signing/signer-port.ts'
import { foundAnew, type Proposal } from '../outgoing-source.ts'
import { depositSenderOf } from '../outgoing-transaction.ts'
import { type StoredOutgoingTransaction, spentColumns, toSpends } from '../store.ts'

/** An outgoing transaction that was planned and then refused before anything was signed for it. */
export interface Refusal {
  readonly proposal: Proposal
  readonly code: RefusalCode | 'renumbered'
  readonly detail: string
  /** Seconds until the transaction is planned again; undefined if an operator must decide. */
  readonly retryInS: number | undefined
}

/**
 * Returns the proposal of an outgoing transaction for which nothing was signed. If its sender is a deposit
 * address, only that address may send the proposal. If not, any hot wallet may send it.
 */
export function proposalOf(outgoingTransaction: StoredOutgoingTransaction): Proposal {
  const { id, network, intent, spends } = outgoingTransaction
  const proposal = { id, network, intent, spends }
  const from = depositSenderOf(outgoingTransaction)
  return from === undefined ? proposal : { ...proposal, from }
}

export async function insertRefusals(tx: Tx, refusals: readonly Refusal[]): Promise<void> {
  const rows = refusals.map(({ proposal, code, detail, retryInS }) => ({
    id: proposal.id,
    network: proposal.network,
    kind: proposal.intent.kind,
    code,
    detail,
    intent: intentText(proposal.intent),
    deposit_branch: proposal.from?.type === 'deposit' ? proposal.from.branch : null,
    deposit_index: proposal.from?.type === 'deposit' ? proposal.from.index : null,
    retry_s: retryInS ?? null,
    ...spentColumns(proposal.spends),
  }))
  await tx.query(sql`
    insert into outgoing_refusal (outgoing_transaction_id, network, kind, intent, deposit_branch, deposit_index, spent_asset,
                                spent_contract, spent_minor, code, detail, retry_at)
    select id, network, kind, intent, deposit_branch, deposit_index, spent_asset, spent_contract, spent_minor, code, detail,
           coffer_now() + retry_s * interval '1 second'
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (id uuid, network text, kind text, intent text, deposit_branch integer, deposit_index bigint, spent_asset text, spent_contract text,
              spent_minor numeric, code text, detail text, retry_s float8)
    on conflict (outgoing_transaction_id) do update set code = excluded.code, detail = excluded.detail, retry_at = excluded.retry_at`)
}

interface RefusalRow {
  readonly id: string
  readonly network: string
  readonly intent: string
  readonly deposit_branch: number | null
  readonly deposit_index: number | null
  readonly spent_asset: string | null
  readonly spent_contract: string | null
  readonly spent_minor: string | null
}

const refusalColumns = sql`outgoing_transaction_id as id, network, intent, deposit_branch, deposit_index,
  spent_asset, spent_contract, spent_minor`

/**
 * Returns the ids of refused transactions that are due for another try, in the order in which they are tried.
 * Assets take turns, and the merchants of each asset take turns. One merchant's transactions that cannot be
 * planned therefore block nobody else. Transactions that spend a halted asset are left out. Kinds that the
 * engine itself proposes (`foundAnew`) are also left out, because the engine computes them anew.
 */
export async function findDueRefusals(
  on: Queryable,
  network: string,
  halted: ReadonlySet<string>,
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select outgoing_transaction_id as id from (
      select outgoing_transaction_id, spent_asset, refused_at, row_number() over (
        partition by spent_asset, intent::jsonb #>> '{payments,0,merchantId}' order by refused_at, outgoing_transaction_id) as ordinal
      from outgoing_refusal
      where network = ${network} and kind <> all(${[...foundAnew]}::text[]) and retry_at <= coffer_now()
        and (spent_asset is null or spent_asset <> all(${[...halted]}::text[]))
    ) due
    order by row_number() over (partition by spent_asset order by ordinal, refused_at, outgoing_transaction_id), refused_at, outgoing_transaction_id`)
  return rows.map(({ id }) => id)
}

/** Returns refused proposals in the order of `ids`. Ids without a refusal are left out. */
export async function readRefusals(on: Queryable, ids: readonly string[]): Promise<readonly Proposal[]> {
  const rows = await on.query<RefusalRow>(sql`
    select ${refusalColumns} from outgoing_refusal where outgoing_transaction_id = any(${[...ids]}::uuid[])
    order by array_position(${[...ids]}::uuid[], outgoing_transaction_id)`)
  return rows.map(toProposal)
}

/** Deletes a refusal and returns its proposal; undefined if there is no refusal with that id. */
export async function takeRefusal(tx: Tx, outgoingTransactionId: string): Promise<Proposal | undefined> {
  const row = await one<RefusalRow>(
    tx,
    sql`delete from outgoing_refusal where outgoing_transaction_id = ${outgoingTransactionId} returning ${refusalColumns}`,
  )
  return row && toProposal(row)
}

function toProposal(row: RefusalRow): Proposal {
  const { deposit_branch: branch, deposit_index: index } = row
  return {
    id: row.id,
    network: row.network,
    intent: readIntentText(row.intent) as Intent,
    ...(branch !== null && index !== null && { from: { type: 'deposit', branch, index } }),
    spends: toSpends(row),
  }
}

/**
 * Deletes refusals by id.
 * @returns the ids that had a refusal
 */
export async function deleteRefusals(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    sql`delete from outgoing_refusal where outgoing_transaction_id = any(${[...ids]}::uuid[]) returning outgoing_transaction_id as id`,
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Removes the payments of the given withdrawals from refused proposals, because another transaction made
 * these payments. The other payments of the same proposal stay, and are tried again.
 */
export async function dropPaid(tx: Tx, network: string, withdrawalIds: readonly string[]): Promise<void> {
  const rows = await tx.query<RefusalRow>(sql`
    select ${refusalColumns} from outgoing_refusal refusal
    where network = ${network} and kind = 'withdrawal' and exists (
      select from jsonb_array_elements(refusal.intent::jsonb -> 'payments') payment
      where payment ->> 'withdrawalId' = any(${[...withdrawalIds]}::text[]))
    order by refused_at, outgoing_transaction_id for update`)
  for (const { id, intent } of rows.map(toProposal)) {
    const payments = intent.kind === 'withdrawal' ? intent.payments : []
    const left = payments.filter(({ withdrawalId }) => !withdrawalIds.includes(withdrawalId))
    if (left.length === 0) {
      await deleteRefusals(tx, [id])
      continue
    }
    const spentMinor = sum(left.map(({ netMinor }) => netMinor))
    await tx.query(sql`
      update outgoing_refusal set intent = ${intentText({ kind: 'withdrawal', payments: left })},
        spent_minor = ${`${spentMinor}`}::numeric
      where outgoing_transaction_id = ${id}`)
  }
}

/**
 * Deletes the refusals of rebalances of the given assets. A refusal stays if its outgoing transaction is
 * still stored, because that transaction still has its nonce.
 */
export async function deleteRefusedRebalances(
  tx: Tx,
  network: string,
  assets: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from outgoing_refusal
    where network = ${network} and kind = 'rebalance' and spent_asset = any(${[...assets]}::text[])
      and not exists (select from outgoing_transaction where outgoing_transaction.id = outgoing_refusal.outgoing_transaction_id)`)
}

/**
 * Deletes refusals that are due, of the kinds that the engine itself proposes (`foundAnew`). A refusal stays
 * if its outgoing transaction is still stored, because that transaction still has its nonce.
 */
export async function deleteRested(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`
    delete from outgoing_refusal
    where network = ${network} and kind = any(${[...foundAnew]}::text[]) and retry_at <= coffer_now()
      and not exists (select from outgoing_transaction where outgoing_transaction.id = outgoing_refusal.outgoing_transaction_id)`)
}

/**
 * Sets the retry time to now for transactions that the signer refused because of a limit. Their cost may have
 * changed.
 */
export async function retryOverLimit(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`
    update outgoing_refusal set retry_at = coffer_now()
    where network = ${network} and code = 'over-limit' and retry_at > coffer_now()`)
}

/**
 * Sets the retry time of every refused transaction to now.
 * @returns the number of refused transactions
 */
export async function retryRefusals(on: Queryable): Promise<number> {
  const rows = await on.query(
    sql`update outgoing_refusal set retry_at = coffer_now() returning outgoing_transaction_id`,
  )
  return rows.length
}
