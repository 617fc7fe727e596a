/** Payouts that the signer refused before anything was signed for them. */
import sql from 'sql-template-tag'
import { sum } from '../../../core/money.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Intent, intentText, readIntentText, type WalletPlace } from '../../../signing/intent.ts'
import type { RefusalCode } from '../../../signing/signer-port.ts'
import { foundAnew, type Proposal } from '../purpose.ts'
import { type StoredPayout, spentColumns, toSpends } from '../store.ts'

/** Planned, and refused before anything was signed for it. */
export interface Refusal {
  readonly proposal: Proposal
  readonly code: RefusalCode | 'renumbered'
  readonly detail: string
  /** When it is planned anew; undefined where an operator must say so. */
  readonly retryInS: number | undefined
}

/** A payout of which nothing was signed as what it was planned for; any lane may send it then. */
export function proposalOf({ id, network, intent, from, spends }: StoredPayout): Proposal {
  return { id, network, intent, spends, ...(from.type === 'deposit' && { from }) }
}

export async function insertRefusals(tx: Tx, refusals: readonly Refusal[]): Promise<void> {
  const rows = refusals.map(({ proposal, code, detail, retryInS }) => ({
    id: proposal.id,
    network: proposal.network,
    kind: proposal.intent.kind,
    code,
    detail,
    intent: intentText(proposal.intent),
    wallet_place: proposal.from ?? null,
    retry_s: retryInS ?? null,
    ...spentColumns(proposal.spends),
  }))
  await tx.query(sql`
    insert into payout_refusal (payout_id, network, kind, intent, wallet_place, spent_asset, spent_contract, spent_minor,
                                code, detail, retry_at)
    select id, network, kind, intent, wallet_place, spent_asset, spent_contract, spent_minor, code, detail,
           now() + retry_s * interval '1 second'
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (id uuid, network text, kind text, intent text, wallet_place jsonb, spent_asset text, spent_contract text,
              spent_minor numeric, code text, detail text, retry_s float8)
    on conflict (payout_id) do update set code = excluded.code, detail = excluded.detail, retry_at = excluded.retry_at`)
}

interface RefusalRow {
  readonly id: string
  readonly network: string
  readonly intent: string
  readonly wallet_place: WalletPlace | null
  readonly spent_asset: string | null
  readonly spent_contract: string | null
  readonly spent_minor: string | null
}

const refusalColumns = sql`payout_id as id, network, intent, wallet_place, spent_asset, spent_contract, spent_minor`

/**
 * The ids of refused payouts whose time has come, in their turn, none that takes anything of a halted asset out of a wallet.
 * Each merchant's first comes before anybody's second, and each asset has its turn: however many wait that cannot be planned,
 * they keep nobody else's back. What is our own idea is left out: while one rested it may have become of no use, or another
 * may have spent what it was to.
 */
export async function findDueRefusals(
  on: Queryable,
  network: string,
  halted: ReadonlySet<string>,
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select payout_id as id from (
      select payout_id, spent_asset, refused_at, row_number() over (
        partition by spent_asset, intent::jsonb #>> '{payments,0,merchantId}' order by refused_at, payout_id) as place
      from payout_refusal
      where network = ${network} and kind <> all(${[...foundAnew]}::text[]) and retry_at <= now()
        and (spent_asset is null or spent_asset <> all(${[...halted]}::text[]))
    ) due
    order by row_number() over (partition by spent_asset order by place, refused_at, payout_id), refused_at, payout_id`)
  return rows.map(({ id }) => id)
}

/** Refused payouts by their ids, in the order of those; one that was taken off the list meanwhile is left out. */
export async function readRefusals(on: Queryable, ids: readonly string[]): Promise<readonly Proposal[]> {
  const rows = await on.query<RefusalRow>(sql`
    select ${refusalColumns} from payout_refusal where payout_id = any(${[...ids]}::uuid[])
    order by array_position(${[...ids]}::uuid[], payout_id)`)
  return rows.map(toProposal)
}

/** Takes a refused payout off the list for good; undefined where there is none of that id. */
export async function takeRefusal(tx: Tx, payoutId: string): Promise<Proposal | undefined> {
  const row = await one<RefusalRow>(
    tx,
    sql`delete from payout_refusal where payout_id = ${payoutId} returning ${refusalColumns}`,
  )
  return row && toProposal(row)
}

function toProposal(row: RefusalRow): Proposal {
  return {
    id: row.id,
    network: row.network,
    intent: readIntentText(row.intent) as Intent,
    ...(row.wallet_place !== null && { from: row.wallet_place }),
    spends: toSpends(row),
  }
}

/** @returns those that there were */
export async function deleteRefusals(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    sql`delete from payout_refusal where payout_id = any(${[...ids]}::uuid[]) returning payout_id as id`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Takes payments that turn out to be made out of what is tried again of a network; what is paid with them is tried without. */
export async function dropPaid(tx: Tx, network: string, withdrawalIds: readonly string[]): Promise<void> {
  const rows = await tx.query<RefusalRow>(sql`
    select ${refusalColumns} from payout_refusal refusal
    where network = ${network} and kind = 'withdrawal' and exists (
      select from jsonb_array_elements(refusal.intent::jsonb -> 'payments') payment
      where payment ->> 'withdrawalId' = any(${[...withdrawalIds]}::text[]))
    for update`)
  for (const { id, intent } of rows.map(toProposal)) {
    const payments = intent.kind === 'withdrawal' ? intent.payments : []
    const left = payments.filter(({ withdrawalId }) => !withdrawalIds.includes(withdrawalId))
    if (left.length === 0) {
      await deleteRefusals(tx, [id])
      continue
    }
    const spentMinor = sum(left.map(({ netMinor }) => netMinor))
    await tx.query(sql`
      update payout_refusal set intent = ${intentText({ kind: 'withdrawal', payments: left })},
        spent_minor = ${`${spentMinor}`}::numeric
      where payout_id = ${id}`)
  }
}

/** Takes refused moves of some assets between lanes off the list; one that still holds its place stays on it. */
export async function deleteRefusedShifts(tx: Tx, network: string, assets: readonly string[]): Promise<void> {
  await tx.query(sql`
    delete from payout_refusal
    where network = ${network} and kind = 'rebalance' and spent_asset = any(${[...assets]}::text[])
      and not exists (select from payout where payout.id = payout_refusal.payout_id)`)
}

/** Takes what is found anew off the list where it has rested; one that still holds its place stays on it. */
export async function deleteRested(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`
    delete from payout_refusal
    where network = ${network} and kind = any(${[...foundAnew]}::text[]) and retry_at <= now()
      and not exists (select from payout where payout.id = payout_refusal.payout_id)`)
}

/** Lets what is above a limit of the signer be planned anew at once: what it costs may have changed. */
export async function retryOverLimit(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`
    update payout_refusal set retry_at = now()
    where network = ${network} and code = 'over-limit' and retry_at > now()`)
}

/** Lets every refused payout be planned anew at once. @returns how many */
export async function retryRefusals(on: Queryable): Promise<number> {
  const rows = await on.query(sql`update payout_refusal set retry_at = now() returning payout_id`)
  return rows.length
}
