/** Stores measured balances of hot wallets, and reads the amounts that are on their way in or out. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'

export interface HotWallet {
  readonly network: string
  readonly index: number
  /** The address in canonical form. */
  readonly address: string
}

/** Returns the hot wallets of a network, as the signer attested them. */
export function readHotWallets(on: Queryable, network: string): Promise<readonly HotWallet[]> {
  return on.query<HotWallet>(sql`
    select network, index, address from hot_wallet where network = ${network} order by index`)
}

export interface HotWalletBalance {
  readonly network: string
  readonly address: string
  readonly asset: string
  readonly amountMinor: bigint
  readonly height: number
}

export interface StoredHotWalletBalance extends HotWalletBalance {
  readonly index: number
  readonly takenAt: Date
}

/** Stores the balances of hot wallets. If several processes write, the last write wins. */
export async function saveHotWalletBalances(
  on: Queryable,
  balances: readonly HotWalletBalance[],
): Promise<void> {
  const rows = balances.map((balance) => ({ ...balance, amountMinor: balance.amountMinor.toString() }))
  await on.query(sql`
    insert into hot_wallet_balance (network, address, asset, amount_minor, height)
    select network, address, asset, "amountMinor", height
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (network text, address text, asset text, "amountMinor" numeric, height bigint)
    order by network, address, asset
    on conflict (network, address, asset) do update
    set amount_minor = excluded.amount_minor, height = excluded.height, taken_at = coffer_now()`)
}

export async function readHotWalletBalances(on: Queryable): Promise<readonly StoredHotWalletBalance[]> {
  const rows = await on.query<
    Omit<StoredHotWalletBalance, 'amountMinor' | 'takenAt'> & {
      readonly amount: string
      readonly taken_at: Date
    }
  >(sql`
    select balance.network, index, balance.address, asset, amount_minor as amount, height, taken_at
    from hot_wallet_balance balance join hot_wallet using (network, address)
    order by balance.network, index, asset`)
  return rows.map(({ amount, taken_at, ...rest }) => ({
    ...rest,
    amountMinor: BigInt(amount),
    takenAt: taken_at,
  }))
}

/** Returns, by network, the sum of our unspent outputs. */
export async function readCoinTotals(on: Queryable): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ network: string; minor: string }>(
    sql`select network, sum(amount_minor) as minor from own_output where spent_by is null group by network`,
  )
  return new Map(rows.map(({ network, minor }) => [network, BigInt(minor)]))
}

/** The money of one asset that is on its way in or out. */
export interface MoneyInTransit {
  /** Deposits that are in a block but not yet booked. */
  readonly pendingDepositsMinor: bigint
  /**
   * The amount of signed withdrawals and pending treasury withdrawals whose transaction is not yet in a
   * booked block.
   */
  readonly leavingMinor: bigint
  /** The amount that recipients get from the pending withdrawals for which nothing is signed yet. */
  readonly queuedMinor: bigint
  readonly queued: number
  /** How long the oldest of the `queued` withdrawals has waited. */
  readonly oldestSeconds: number
}

/** Returns, by asset, the money that is on its way in or out. Assets without such money are left out. */
export async function readInTransit(on: Queryable): Promise<ReadonlyMap<string, MoneyInTransit>> {
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
      from deposit where state = 'pending' and block_height is not null
      union all
      select asset, 0, case when is_signed then amount_minor - fee_minor else 0 end,
        case when is_signed then 0 else amount_minor - fee_minor end,
        case when is_signed then 0 else 1 end,
        case when is_signed then 0 else extract(epoch from coffer_now() - created_at) end
      from (
        select withdrawal.*, stage in ('signed', 'broadcast', 'needs_recheck') as is_signed from withdrawal
        where state = 'pending' and not exists (
          select from outgoing_transaction_attempt attempt join outgoing_transaction on outgoing_transaction.id = attempt.outgoing_transaction_id
          where attempt.network = split_part(withdrawal.asset, '/', 1) and attempt.tx_hash = withdrawal.tx_hash and outgoing_transaction.state = 'included')
      ) withdrawal
      union all
      select asset, 0, amount_minor, 0, 0, 0 from treasury_withdrawal where state = 'pending' and not exists (
        select from outgoing_transaction where outgoing_transaction.id = treasury_withdrawal.id and outgoing_transaction.state = 'included')
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
