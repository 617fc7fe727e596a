/** Our own wallets as the database knows them: the lanes that were attested, and what each has under way. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'

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

/** Notes whose deposit addresses the signer has keys of; addresses of no other account are given away then. */
export async function saveAttestedXpub(on: Queryable, family: string, fingerprint: string): Promise<void> {
  await on.query(sql`
    insert into attested_xpub (family, xpub_fingerprint) values (${family}, ${fingerprint})
    on conflict (family) do update set xpub_fingerprint = excluded.xpub_fingerprint, attested_at = now()
    where attested_xpub.xpub_fingerprint <> excluded.xpub_fingerprint`)
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

/** Payouts that are merely planned for a place in a wallet's order, or under an id for another place. */
export async function findPlanned(
  on: Queryable,
  place: {
    readonly network: string
    readonly wallet: string
    readonly nonce: number
    readonly payoutId: string
  },
): Promise<readonly string[]> {
  const { network, wallet, nonce, payoutId } = place
  const rows = await on.query<{ id: string }>(sql`
    select id from payout
    where network = ${network} and state = 'planned'
      and ((wallet = ${wallet} and nonce = ${nonce} and id <> ${payoutId})
        or (id = ${payoutId} and (wallet, nonce) <> (${wallet}, ${nonce}::bigint)))`)
  return rows.map(({ id }) => id)
}

/** Where our list of blocks ends, kept there until the transaction ends. */
export function holdCursor(
  tx: Tx,
  network: string,
): Promise<{ readonly height: number; readonly hash: string; readonly finalHeight: number } | undefined> {
  return one(
    tx,
    named(
      'hold-chain-cursor',
      sql`select height, hash, final_height as "finalHeight" from chain_cursor
          where network = ${network} for share`,
    ),
  )
}

/**
 * What of the operator's own coin is spoken for: the most that all payouts of a network that are not over can cost, and
 * what is ordered to be taken out, planned or not.
 */
export async function readCommitted(on: Queryable, network: string, coin: string): Promise<bigint> {
  const row = await one<{ committed: string }>(
    on,
    named(
      'read-committed-capital',
      sql`
      select (
        select coalesce(sum(coalesce(fee_minor, max_cost_minor)), 0) from payout
        where network = ${network} and state not in ('final', 'displaced')
      ) + (
        select coalesce(sum(amount_minor), 0) from take_out
        where asset = ${coin} and state = 'pending' and source in ('capital', 'fees')
      ) as committed`,
    ),
  )
  return BigInt(row?.committed ?? 0)
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

/** Whether journals have waited for their seal longer than a sealer that works takes. */
export async function isSealBehind(on: Queryable): Promise<boolean> {
  const row = await one(
    on,
    named(
      'is-seal-behind',
      sql`select 1 as found from (select journal_id from journal_unsealed order by journal_id limit 1) oldest
          join journal on journal.id = oldest.journal_id
          where journal.posted_at < now() - interval '30 seconds'`,
    ),
  )
  return row !== undefined
}
