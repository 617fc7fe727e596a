/**
 * Reads and stores the attested hot wallets of EVM chains, and reads the transactions and nonces of each
 * wallet.
 */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { EvmSlot } from '../engine/outgoing-transaction.ts'

/** Returns the addresses of the hot wallets, by index. */
export async function readHotWallets(on: Queryable, network: string): Promise<readonly string[]> {
  const rows = await on.query<{ index: number; address: string }>(
    sql`select index, address from hot_wallet where network = ${network} order by index`,
  )
  return rows.map(({ address }) => address)
}

/** Stores new hot wallets. Hot wallets that are stored already keep their address. */
export async function insertHotWallets(
  tx: Tx,
  network: string,
  hotWallets: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into hot_wallet (network, index, address)
    select ${network}, ordinal - 1, address from unnest(${[...hotWallets]}::text[]) with ordinality as row (address, ordinal)
    on conflict do nothing`)
}

/**
 * Returns whether an address is a deposit address of ours, assigned to an invoice or reserved for an invoice.
 */
export async function isDerived(on: Queryable, family: string, address: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from address where family = ${family} and address = ${address}`,
  )
  return row !== undefined
}

/** The number of open transactions of a wallet, and the end of its nonces. */
export interface Tally {
  readonly wallet: string
  /** The number of transactions that are not yet in a block. */
  readonly inFlight: number
  /** The highest nonce ever assigned, plus one; 0 for a wallet that never sent. */
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
        (select count(*)::int from outgoing_transaction p join outgoing_evm evm on evm.outgoing_transaction_id = p.id
         where evm.network = ${network} and evm.wallet = wallets.wallet
           and p.state in ('planned', 'signed', 'broadcast', 'needs_recheck')) as "inFlight",
        coalesce((select max(nonce) + 1 from outgoing_evm evm
                  where evm.network = ${network} and evm.wallet = wallets.wallet), 0) as "nonceEnd"
      from unnest(${[...wallets]}::text[]) as wallets (wallet)`,
    ),
  )
}

/** Returns the assigned nonces of a wallet, from nonce `from` on. */
export async function readTakenNonces(
  on: Queryable,
  network: string,
  wallet: string,
  from: number,
): Promise<ReadonlySet<number>> {
  const rows = await on.query<{ nonce: number }>(
    named(
      'read-taken-nonces',
      sql`select nonce from outgoing_evm where network = ${network} and wallet = ${wallet} and nonce >= ${from}`,
    ),
  )
  return new Set(rows.map(({ nonce }) => nonce))
}

/**
 * Returns the amounts that wallets spend in transactions that are in no block up to `height`, keyed by
 * `<wallet> <asset>`. The maximum cost of the gas is included.
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
      select evm.wallet, asset, sum(minor) as spent
      from outgoing_transaction p
      join outgoing_evm evm on evm.outgoing_transaction_id = p.id
      cross join lateral (values (${coin}::text, p.max_cost_minor), (p.spent_asset, p.spent_minor)) as parts (asset, minor)
      where p.network = ${network} and evm.wallet = any(${[...wallets]}::text[]) and asset is not null
        and p.state not in ('final', 'conflicted') and (p.included_height is null or p.included_height > ${height})
      group by evm.wallet, asset`,
    ),
  )
  return new Map(rows.map(({ wallet, asset, spent }) => [`${wallet} ${asset}`, BigInt(spent)]))
}

/**
 * Returns the amounts that other hot wallets are sending to each hot wallet, keyed by `<hot wallet index>
 * <asset>`. Only transactions that are in no block up to `height` are counted.
 */
export async function readComing(
  on: Queryable,
  network: string,
  height: number,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await on.query<{ index: string; asset: string; coming: string }>(
    named(
      'read-wallet-coming',
      sql`
      select intent::jsonb ->> 'hotWallet' as index, spent_asset as asset, sum(spent_minor) as coming
      from outgoing_transaction
      where network = ${network} and kind = 'rebalance' and state not in ('final', 'conflicted')
        and spent_asset is not null and (included_height is null or included_height > ${height})
      group by 1, 2`,
    ),
  )
  return new Map(rows.map(({ index, asset, coming }) => [`${index} ${asset}`, BigInt(coming)]))
}

/**
 * Returns whether a rebalance of an asset is open, or was refused by the signer and is not due for a retry
 * yet.
 */
export async function hasOpenRebalance(on: Queryable, network: string, asset: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from outgoing_transaction
        where network = ${network} and kind = 'rebalance' and spent_asset = ${asset}
          and state not in ('final', 'conflicted')
        union all
        select 1 from outgoing_refusal
        where network = ${network} and kind = 'rebalance' and spent_asset = ${asset} and retry_at > coffer_now() limit 1`,
  )
  return row !== undefined
}

/**
 * Returns whether a transaction with a later nonce of the wallet is signed. That transaction cannot be mined
 * before this nonce is used.
 */
export async function isFollowed(
  on: Queryable,
  network: string,
  { wallet, nonce }: Pick<EvmSlot, 'wallet' | 'nonce'>,
): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from outgoing_evm evm join outgoing_transaction p on p.id = evm.outgoing_transaction_id
        where evm.network = ${network} and evm.wallet = ${wallet} and evm.nonce > ${nonce} and p.state <> 'planned' limit 1`,
  )
  return row !== undefined
}

/**
 * Returns the outgoing transactions that are planned but not signed, and that conflict with a nonce and an
 * id: either they have the nonce with another id, or they have the id with another nonce.
 */
export async function findPlanned(
  on: Queryable,
  network: string,
  outgoingTransactionId: string,
  { wallet, nonce }: Pick<EvmSlot, 'wallet' | 'nonce'>,
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select id from outgoing_transaction p join outgoing_evm evm on evm.outgoing_transaction_id = p.id
    where p.network = ${network} and p.state = 'planned'
      and ((wallet = ${wallet} and nonce = ${nonce} and id <> ${outgoingTransactionId})
        or (id = ${outgoingTransactionId} and (wallet, nonce) <> (${wallet}, ${nonce}::bigint)))`)
  return rows.map(({ id }) => id)
}
