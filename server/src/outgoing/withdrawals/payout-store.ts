/** Withdrawals as their payouts see them. */
import sql, { type Sql } from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { toWithdrawal, type WithdrawalRow, withdrawalColumns } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

export interface Approved {
  readonly withdrawal: Withdrawal
  readonly mac: string
}

export interface ApprovedScope {
  readonly network: string
  readonly assets: readonly string[]
  /** Of each asset. */
  readonly maxEach: number
  /** Whether deposits lie on addresses of their own there until they are swept. */
  readonly isSwept: boolean
}

/**
 * Approved orders in their turn that wait for nothing; none of merchants who owe anything. First come those whose merchant's own money has reached
 * the hot wallets: what others brought in is theirs before anybody draws on it. Then each merchant's first comes before anybody's
 * second; among those, whoever has waited longest since it ordered and since something was last planned for it. So at most
 * one order of each other merchant comes before one that waits, however many there are and whenever they were made.
 */
export async function readApproved(on: Queryable, scope: ApprovedScope): Promise<readonly Approved[]> {
  const rows = await on.query<WithdrawalRow & { approval_mac: string }>(
    named(
      scope.isSwept ? 'read-approved-withdrawals' : 'read-approved-withdrawals-of-coins',
      sql`
      with waiting as (
        select withdrawal.*, row_number() over own as place, sum(amount_minor) over own as until_minor
        from withdrawal
        where asset = any (${[...scope.assets]}::text[]) and stage = 'approved' and approval_mac is not null
          and waits_for is null
          and not exists (
            select from ledger_account
            where owner_id = merchant_id and name = 'suspense' and debits > credits
          )
        window own as (partition by merchant_id, asset order by created_at, id)
      ), purse as (
        select merchant_id, asset, (
            select max(planned_at) from withdrawal planned
            where planned.merchant_id = waiting.merchant_id and planned.asset = waiting.asset
              and planned_at is not null
          ) as planned_at
        from waiting group by merchant_id, asset
      ), ${arrivedOf(scope)}, placed as (
        select waiting.*, arrived.minor >= until_minor as has_arrived, greatest(created_at, purse.planned_at) as turn_at
        from waiting join purse using (merchant_id, asset) join arrived using (merchant_id, asset)
      ), ranked as (
        select *, row_number() over (partition by asset order by has_arrived desc, place, turn_at, id) as rank from placed
      )
      select ${withdrawalColumns}, approval_mac from ranked where rank <= ${scope.maxEach}
      order by has_arrived desc, place, turn_at, id`,
    ),
  )
  return rows.map((row) => ({ withdrawal: toWithdrawal(row), mac: row.approval_mac }))
}

/**
 * What of each purse's money is in the hot wallets: what the books say, less what lies on deposit addresses or is on its way from
 * there, and what is on its way out already. Where nothing is swept, all of it is.
 */
function arrivedOf({ network, assets, isSwept }: ApprovedScope): Sql {
  if (!isSwept) return sql`arrived as (select merchant_id, asset, 'infinity'::numeric as minor from purse)`
  return sql`
    booked as (
      select owner_id as merchant_id, asset, sum(credits - debits) as minor from ledger_account
      where owner_id in (select merchant_id from purse) and name in ('available', 'held')
      group by owner_id, asset
    ), elsewhere as (
      select merchant_id, asset, sum(minor) as minor from (
        select merchant_id, asset, amount_minor as minor from transaction
        where network = ${network} and asset = any (${[...assets]}::text[]) and sweep_id is null
          and state = 'confirmed' and address_id is not null and merchant_id in (select merchant_id from purse)
        union all
        select merchant_id, asset, amount_minor from sweep join transaction deposit on deposit.sweep_id = sweep.id
        where sweep.network = ${network} and sweep.state in ('planned', 'sent')
        union all
        select merchant_id, asset, amount_minor from withdrawal
        where state = 'pending' and stage not in ('queued', 'approved') and merchant_id in (select merchant_id from purse)
      ) away group by merchant_id, asset
    ), arrived as (
      select merchant_id, asset, coalesce(booked.minor, 0) - coalesce(elsewhere.minor, 0) as minor
      from purse left join booked using (merchant_id, asset) left join elsewhere using (merchant_id, asset)
    )`
}

/** Which of some merchants owe anything, in any asset. */
export async function findOwing(on: Queryable, merchantIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ id: string }>(
    named(
      'find-owing-merchants',
      sql`select distinct owner_id as id from ledger_account
          where owner_id = any(${[...merchantIds]}::uuid[]) and name = 'suspense' and debits > credits`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}

/** Where pending withdrawals stand now; they must be locked. */
export async function saveProgress(
  tx: Tx,
  withdrawals: readonly Pick<Withdrawal, 'id' | 'standing' | 'txHash'>[],
): Promise<Date> {
  const rows = await tx.query<{ at: Date }>(
    named(
      'save-withdrawal-progress',
      sql`
      update withdrawal set stage = progress.stage, tx_hash = progress.tx_hash, waits_for = null,
        planned_at = coalesce(planned_at, now())
      from unnest(
        ${withdrawals.map(({ id }) => id)}::uuid[],
        ${withdrawals.map(({ standing }) => standing.stage ?? null)}::text[],
        ${withdrawals.map(({ txHash }) => txHash ?? null)}::text[]
      ) progress (id, stage, tx_hash)
      where withdrawal.id = progress.id and state = 'pending'
      returning now() as at`,
    ),
  )
  return rows[0]?.at ?? new Date(0)
}

/**
 * Opens an ended withdrawal again as one that is signed; it must be locked. A claim that another pays by now is that
 * one's.
 */
export async function saveRetaken(tx: Tx, id: string): Promise<Withdrawal | undefined> {
  const row = await one<WithdrawalRow>(
    tx,
    sql`
    update withdrawal
    set state = 'pending', stage = 'signed', ended_at = null, end_reason = null, end_explanation = null,
      retaken_at = now(),
      invoice_id = case when not exists (
        select from withdrawal other
        where other.invoice_id = withdrawal.invoice_id and other.state in ('pending', 'completed')
      ) then invoice_id end
    where id = ${id} and state in ('failed', 'cancelled') and retaken_at is null
    returning ${withdrawalColumns}`,
  )
  return row === undefined ? undefined : toWithdrawal(row)
}

/** The asset, address and amount of an order, for comparing it with a transfer on chain. */
export interface WantedPayment {
  readonly asset: string
  readonly address: string
  readonly netMinor: bigint
  /** Orders that ended before are left out. */
  readonly since: Date
}

/** Nothing was signed for it; where it ended unpaid, lately, and was not opened again since. */
function isUnsigned(since: Date): Sql {
  return sql`
    (state = 'pending' or (state in ('failed', 'cancelled') and retaken_at is null and ended_at >= ${since}))
    and not exists (
      select from payout where payout.state <> 'planned' and payout.network = split_part(withdrawal.asset, '/', 1)
        and payout.kind = 'withdrawal' and payout.id = withdrawal.id)
    and (stage is null or stage in ('queued', 'approved', 'planned'))`
}

/**
 * The oldest order for just that payment for which nothing was signed, pending ones first; then one that ended unpaid lately,
 * and was not opened again since.
 */
export async function findUnsigned(
  on: Queryable,
  { asset, address, netMinor, since }: WantedPayment,
): Promise<UnsignedOrder | undefined> {
  const row = await one<WithdrawalRow & { approval_mac: string | null }>(
    on,
    sql`
    select ${withdrawalColumns}, approval_mac from withdrawal
    where asset = ${asset} and address = ${address} and amount_minor - fee_minor = ${netMinor.toString()}::numeric
      and ${isUnsigned(since)}
    order by state <> 'pending', created_at, id limit 1`,
  )
  return row === undefined ? undefined : toUnsigned(row)
}

/** The same of all orders to some addresses, whatever they pay. */
export async function findUnsignedTo(
  on: Queryable,
  {
    asset,
    addresses,
    since,
  }: Pick<WantedPayment, 'asset' | 'since'> & { readonly addresses: readonly string[] },
): Promise<readonly UnsignedOrder[]> {
  const rows = await on.query<WithdrawalRow & { approval_mac: string | null }>(sql`
    select ${withdrawalColumns}, approval_mac from withdrawal
    where asset = ${asset} and address = any(${[...addresses]}::text[]) and ${isUnsigned(since)}
    order by state <> 'pending', created_at, id`)
  return rows.map(toUnsigned)
}

export interface UnsignedOrder {
  readonly withdrawal: Withdrawal
  /** Undefined where nobody approved it yet. */
  readonly mac: string | undefined
}

function toUnsigned(row: WithdrawalRow & { readonly approval_mac: string | null }): UnsignedOrder {
  return { withdrawal: toWithdrawal(row), mac: row.approval_mac ?? undefined }
}
