/** Our own wallets as the database knows them: the lanes that were attested, and what each has under way. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** The lanes' addresses by their numbers. */
export async function readLanes(on: Queryable, network: string): Promise<readonly string[]> {
  const rows = await on.query<{ lane: number; address: string }>(
    sql`select lane, address from hot_wallet where network = ${network} order by lane`,
  )
  return rows.map(({ address }) => address)
}

/** Stores lanes that are new; those that are there keep their address. */
export async function insertLanes(tx: Tx, network: string, lanes: readonly string[]): Promise<void> {
  await tx.query(sql`
    insert into hot_wallet (network, lane, address)
    select ${network}, place - 1, address from unnest(${[...lanes]}::text[]) with ordinality as row (address, place)
    on conflict do nothing`)
}

/** Whether an address is one that customers pay on, given to an invoice or kept for one. */
export async function isDerived(on: Queryable, family: string, address: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from address where family = ${family} and address = ${address}`,
  )
  return row !== undefined
}

/** What a wallet has under way, and which places in its order are taken. */
export interface Tally {
  readonly wallet: string
  /** In no block yet. */
  readonly inFlight: number
  /** One above the highest place ever given; 0 for a wallet that never sent. */
  readonly nonceEnd: number
}

export function readTallies(
  on: Queryable,
  network: string,
  wallets: readonly string[],
): Promise<readonly Tally[]> {
  return on.query<Tally>(
    named(
      'read-wallet-tallies',
      sql`
      select wallet,
        (select count(*)::int from payout p where p.network = ${network} and p.wallet = wallets.wallet
           and p.state in ('planned', 'signed', 'broadcast', 'in_doubt')) as "inFlight",
        coalesce((select max(nonce) + 1 from payout p
                  where p.network = ${network} and p.wallet = wallets.wallet), 0) as "nonceEnd"
      from unnest(${[...wallets]}::text[]) as wallets (wallet)`,
    ),
  )
}

/** The places of a wallet's order that are taken, from `from` on. */
export async function readTakenNonces(
  on: Queryable,
  network: string,
  wallet: string,
  from: number,
): Promise<ReadonlySet<number>> {
  const rows = await on.query<{ nonce: number }>(
    named(
      'read-taken-nonces',
      sql`select nonce from payout where network = ${network} and wallet = ${wallet} and nonce >= ${from}`,
    ),
  )
  return new Set(rows.map(({ nonce }) => nonce))
}

/**
 * What leaves wallets in transactions that are in no block up to `height`, gas at its most included, by
 * `<wallet> <asset>`.
 */
export async function readSpent(
  on: Queryable,
  network: string,
  coin: string,
  wallets: readonly string[],
  height: number,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ wallet: string; asset: string; spent: string }>(
    named(
      'read-wallet-spent',
      sql`
      select wallet, asset, sum(minor) as spent
      from payout p
      cross join lateral (values (${coin}::text, p.max_cost_minor), (p.spent_asset, p.spent_minor)) as parts (asset, minor)
      where p.network = ${network} and p.wallet = any(${[...wallets]}::text[]) and asset is not null
        and p.state not in ('final', 'displaced') and (p.included_height is null or p.included_height > ${height})
      group by wallet, asset`,
    ),
  )
  return new Map(rows.map(({ wallet, asset, spent }) => [`${wallet} ${asset}`, BigInt(spent)]))
}

/** What is on its way to lanes from other lanes, in transactions that are in no block up to `height`, by `<lane> <asset>`. */
export async function readComing(
  on: Queryable,
  network: string,
  height: number,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ lane: string; asset: string; coming: string }>(
    named(
      'read-wallet-coming',
      sql`
      select intent::jsonb ->> 'lane' as lane, spent_asset as asset, sum(spent_minor) as coming
      from payout
      where network = ${network} and kind = 'rebalance' and state not in ('final', 'displaced')
        and spent_asset is not null and (included_height is null or included_height > ${height})
      group by 1, 2`,
    ),
  )
  return new Map(rows.map(({ lane, asset, coming }) => [`${lane} ${asset}`, BigInt(coming)]))
}

/** Whether an asset is on its way between lanes already, or rests since the signer refused to move it. */
export async function hasOpenShift(on: Queryable, network: string, asset: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from payout
        where network = ${network} and kind = 'rebalance' and spent_asset = ${asset}
          and state not in ('final', 'displaced')
        union all
        select 1 from payout_refusal
        where network = ${network} and kind = 'rebalance' and spent_asset = ${asset} and retry_at > now() limit 1`,
  )
  return row !== undefined
}
