/** Reads and updates withdrawals for the engine of outgoing transactions. */
import sql, { type Sql } from 'sql-template-tag'
import { required } from '../../core/assert.ts'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { toWithdrawal, type WithdrawalRow, withdrawalColumns } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

export interface Approved {
  readonly withdrawal: Withdrawal
  readonly mac: string
  /** True if a stored transaction already pays the order. Somebody then changed the stage of its row. */
  readonly hasTransaction: boolean
}

export interface ApprovedScope {
  readonly network: string
  readonly assets: readonly string[]
  /** The maximum number of orders for each asset. */
  readonly maxEach: number
  /** Whether deposits stay on their own addresses until they are swept. */
  readonly isSwept: boolean
}

/**
 * Returns approved orders that have nothing left to wait for, in the order in which they are to be planned.
 * Orders of merchants with a negative balance are left out.
 *
 * Orders whose merchant's own money has reached the hot wallets come first, so that no other merchant's
 * deposits pay for them. Within both groups, each merchant's first order comes before any merchant's second.
 * Among these first orders, the one that has waited longest comes first. The wait of an order starts when the
 * order was created. The wait starts anew each time another order of the same merchant in the same asset is
 * planned.
 *
 * Therefore at most one order of each other merchant comes before a waiting order, however many orders there
 * are and whenever they were created.
 */
export async function readApproved(on: Queryable, scope: ApprovedScope): Promise<readonly Approved[]> {
  const rows = await on.query<WithdrawalRow & { approval_mac: string; has_transaction: boolean }>(
    named(
      scope.isSwept ? 'read-approved-withdrawals' : 'read-approved-withdrawals-of-utxos',
      sql`
      with waiting as (
        select withdrawal.*, row_number() over own as ordinal, sum(amount_minor) over own as until_minor
        from withdrawal
        where asset = any (${[...scope.assets]}::text[]) and stage = 'approved' and approval_mac is not null
          and waits_for is null
          and not exists (
            select from ledger_account
            where owner_id = merchant_id and name = 'receivable' and debits > credits
          )
        window own as (partition by merchant_id, asset order by created_at, id)
      ), purse as (
        select merchant_id, asset, (
            select max(planned_at) from withdrawal planned
            where planned.merchant_id = waiting.merchant_id and planned.asset = waiting.asset
              and planned_at is not null
          ) as planned_at
        from waiting group by merchant_id, asset
      ), ${arrivedOf(scope)}, numbered as (
        select waiting.*, arrived.minor >= until_minor as has_arrived, greatest(created_at, purse.planned_at) as waiting_since
        from waiting join purse using (merchant_id, asset) join arrived using (merchant_id, asset)
      ), ranked as (
        select *, row_number() over (partition by asset order by has_arrived desc, ordinal, waiting_since, id) as rank from numbered
      )
      select ${withdrawalColumns}, approval_mac, ${hasTransaction(sql`ranked.id`)} as has_transaction
      from ranked where rank <= ${scope.maxEach}
      order by has_arrived desc, ordinal, waiting_since, id`,
    ),
  )
  return rows.map((row) => ({
    withdrawal: toWithdrawal(row),
    mac: row.approval_mac,
    hasTransaction: row.has_transaction,
  }))
}

/**
 * SQL condition: a stored transaction pays the order. The id of a transaction on an EVM chain is that of its
 * order. A transaction on a UTXO chain may pay several orders, which its intent names.
 */
function hasTransaction(orderId: Sql): Sql {
  return sql`(
    exists (
      select from outgoing_transaction paying where paying.kind = 'withdrawal' and paying.id = ${orderId}
    ) or exists (
      select from outgoing_transaction paying
      where paying.kind = 'withdrawal' and paying.state not in ('final', 'conflicted')
        and position(${orderId}::text in paying.intent) > 0
    ))`
}

/**
 * Selects the part of each merchant's money in each asset that is in the hot wallets. This part is the booked
 * balance, less the money that is on deposit addresses, is being swept or is being sent. On networks without
 * sweeps, all money counts as being in the hot wallets.
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
        select merchant_id, asset, amount_minor as minor from deposit
        where network = ${network} and asset = any (${[...assets]}::text[]) and sweep_id is null
          and state = 'confirmed' and address_id is not null and merchant_id in (select merchant_id from purse)
        union all
        select merchant_id, asset, amount_minor from sweep join deposit on deposit.sweep_id = sweep.id
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

/** Returns the given merchants that have a negative balance in any asset. */
export async function findOwing(on: Queryable, merchantIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ id: string }>(
    named(
      'find-owing-merchants',
      sql`select distinct owner_id as id from ledger_account
          where owner_id = any(${[...merchantIds]}::uuid[]) and name = 'receivable' and debits > credits`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Stores the stage and transaction hash of pending withdrawals, which must be locked. A row whose state was
 * changed becomes pending again; it loses its `withdraw` invoice if another withdrawal pays that invoice.
 * Returns the time by the database's clock.
 */
export async function saveProgress(
  tx: Tx,
  withdrawals: readonly Pick<Withdrawal, 'id' | 'status' | 'txHash'>[],
): Promise<Date> {
  const rows = await tx.query<{ at: Date }>(
    named(
      'save-withdrawal-progress',
      sql`
      update withdrawal set state = 'pending', stage = progress.stage, tx_hash = progress.tx_hash, waits_for = null,
        ended_at = null, end_reason = null, end_explanation = null,
        invoice_id = case when state = 'pending' or not exists (
          select from withdrawal other
          where other.invoice_id = withdrawal.invoice_id and other.id <> withdrawal.id
            and other.state in ('pending', 'completed')
        ) then invoice_id end,
        planned_at = coalesce(planned_at, coffer_now())
      from unnest(
        ${withdrawals.map(({ id }) => id)}::uuid[],
        ${withdrawals.map(({ status }) => status.stage ?? null)}::text[],
        ${withdrawals.map(({ txHash }) => txHash ?? null)}::text[]
      ) progress (id, stage, tx_hash)
      where withdrawal.id = progress.id
      returning coffer_now() as at`,
    ),
  )
  return rows[0]?.at ?? new Date(0)
}

/**
 * Reopens a withdrawal in the stage `signed`, because its money is held a second time. The withdrawal must be
 * locked. If another withdrawal now pays its `withdraw` invoice, the reopened withdrawal no longer belongs to
 * the invoice.
 */
export async function saveRetaken(tx: Tx, id: string): Promise<Withdrawal> {
  const row = await one<WithdrawalRow>(
    tx,
    sql`
    update withdrawal
    set state = 'pending', stage = 'signed', ended_at = null, end_reason = null, end_explanation = null,
      retaken_at = coffer_now(),
      invoice_id = case when not exists (
        select from withdrawal other
        where other.invoice_id = withdrawal.invoice_id and other.id <> withdrawal.id
          and other.state in ('pending', 'completed')
      ) then invoice_id end
    where id = ${id}
    returning ${withdrawalColumns}`,
  )
  return toWithdrawal(required(row, 'a locked withdrawal'))
}

/** Marks a withdrawal whose row was restored as one whose money was held a second time. */
export async function saveHeldAgain(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update withdrawal set retaken_at = coffer_now() where id = ${id}`)
}

/**
 * Returns the ids of the given orders that a stored transaction pays. A planned transaction counts, too,
 * because it may already be signed: its bytes are stored after they are signed.
 */
export async function findWithTransaction(
  on: Queryable,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await on.query<{ id: string }>(
    named(
      'find-orders-with-transaction',
      sql`select wanted.id from unnest(${[...ids]}::uuid[]) wanted (id) where ${hasTransaction(sql`wanted.id`)}`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}

/** The asset, address and amount by which an order is compared with a transfer on chain. */
export interface WantedPayment {
  readonly asset: string
  readonly address: string
  readonly netMinor: bigint
  /** Orders that ended before this time are left out. */
  readonly since: Date
}

/**
 * SQL condition: nothing was signed for the order. The order is pending, or it ended unpaid at or after the
 * time `since` and was not reopened.
 */
function isUnsigned(since: Date): Sql {
  return sql`
    (state = 'pending' or (state in ('failed', 'cancelled') and retaken_at is null and ended_at >= ${since}))
    and not exists (
      select from outgoing_transaction where outgoing_transaction.state <> 'planned' and outgoing_transaction.network = split_part(withdrawal.asset, '/', 1)
        and outgoing_transaction.kind = 'withdrawal' and outgoing_transaction.id = withdrawal.id)
    and (stage is null or stage in ('queued', 'approved', 'planned'))`
}

/**
 * Returns an order that asks for exactly this payment, and for which nothing was signed. Of several such
 * orders, the oldest pending order is returned. If none is pending, the oldest order is returned that ended
 * unpaid at or after the time `since` and was not reopened.
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

/**
 * Returns all orders to the given addresses, of any amount. Orders for which something was signed are left
 * out. Pending orders come first, and older orders come before newer ones.
 */
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
  /** The MAC of the approval. Undefined if the order is not approved yet. */
  readonly mac: string | undefined
}

function toUnsigned(row: WithdrawalRow & { readonly approval_mac: string | null }): UnsignedOrder {
  return { withdrawal: toWithdrawal(row), mac: row.approval_mac ?? undefined }
}
