import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'

export interface Lane {
  readonly network: string
  readonly lane: number
  /** In canonical spelling. */
  readonly address: string
}

/** The hot lanes of a network, as the signer attested them. */
export function readLanes(on: Queryable, network: string): Promise<readonly Lane[]> {
  return on.query<Lane>(sql`
    select network, lane, address from hot_wallet where network = ${network} order by lane`)
}

export interface LaneBalance {
  readonly network: string
  readonly address: string
  readonly asset: string
  readonly amountMinor: bigint
  readonly height: number
}

export interface StoredLaneBalance extends LaneBalance {
  readonly lane: number
  readonly takenAt: Date
}

/** Keeps what lanes held; what was seen at a later time stands, whoever wrote it. */
export async function saveLaneBalances(on: Queryable, balances: readonly LaneBalance[]): Promise<void> {
  const rows = balances.map((balance) => ({ ...balance, amountMinor: balance.amountMinor.toString() }))
  await on.query(sql`
    insert into lane_balance (network, address, asset, amount_minor, height)
    select network, address, asset, "amountMinor", height
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (network text, address text, asset text, "amountMinor" numeric, height bigint)
    order by network, address, asset
    on conflict (network, address, asset) do update
    set amount_minor = excluded.amount_minor, height = excluded.height, taken_at = now()`)
}

export async function readLaneBalances(on: Queryable): Promise<readonly StoredLaneBalance[]> {
  const rows = await on.query<
    Omit<StoredLaneBalance, 'amountMinor' | 'takenAt'> & { readonly amount: string; readonly taken_at: Date }
  >(sql`
    select balance.network, lane, balance.address, asset, amount_minor as amount, height, taken_at
    from lane_balance balance join hot_wallet using (network, address)
    order by balance.network, lane, asset`)
  return rows.map(({ amount, taken_at, ...rest }) => ({
    ...rest,
    amountMinor: BigInt(amount),
    takenAt: taken_at,
  }))
}

/** What lies in coins that nothing has spent, by network. */
export async function readCoinTotals(on: Queryable): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ network: string; minor: string }>(
    sql`select network, sum(amount_minor) as minor from coin where spent_by is null group by network`,
  )
  return new Map(rows.map(({ network, minor }) => [network, BigInt(minor)]))
}

/** Of one asset, what is neither here nor there. */
export interface MoneyOnTheWay {
  /** In blocks, and not booked yet. */
  readonly pendingDepositsMinor: bigint
  /** Signed for somebody outside, and in no block that we follow. */
  readonly leavingMinor: bigint
  /** What recipients of withdrawals wait for that nothing is signed for. */
  readonly queuedMinor: bigint
  readonly queued: number
  /** How long the first of them has waited. */
  readonly oldestSeconds: number
}

/** By asset; those of which nothing is on the way are left out. */
export async function readOnTheWay(on: Queryable): Promise<ReadonlyMap<string, MoneyOnTheWay>> {
  const rows = await on.query<{
    asset: string
    deposits: string
    leaving: string
    queued: string
    count: number
    seconds: number
  }>(sql`
    with moving as (
      select asset, amount_minor as deposits, 0 as leaving, 0 as queued, 0 as count, 0 as seconds
      from transaction where state = 'pending' and block_height is not null
      union all
      select asset, 0, case when is_signed then amount_minor - fee_minor else 0 end,
        case when is_signed then 0 else amount_minor - fee_minor end,
        case when is_signed then 0 else 1 end,
        case when is_signed then 0 else extract(epoch from now() - created_at) end
      from (
        select withdrawal.*, stage in ('signed', 'broadcast', 'in_doubt') as is_signed from withdrawal
        where state = 'pending' and not exists (
          select from payout_attempt attempt join payout on payout.id = attempt.payout_id
          where attempt.network = split_part(withdrawal.asset, '/', 1) and attempt.tx_hash = withdrawal.tx_hash and payout.state = 'included')
      ) withdrawal
      union all
      select asset, 0, amount_minor, 0, 0, 0 from take_out where state = 'pending' and not exists (
        select from payout where payout.id = take_out.id and payout.state = 'included')
    )
    select asset, sum(deposits) as deposits, sum(leaving) as leaving, sum(queued) as queued,
      sum(count)::integer as count, max(seconds)::float8 as seconds
    from moving group by asset`)
  return new Map(
    rows.map(({ asset, deposits, leaving, queued, count, seconds }) => [
      asset,
      {
        pendingDepositsMinor: BigInt(deposits),
        leavingMinor: BigInt(leaving),
        queuedMinor: BigInt(queued),
        queued: count,
        oldestSeconds: seconds,
      },
    ]),
  )
}
