/**
 * Reads which UTXOs may be spent, and stores which outgoing transactions reserve them. Also stores the
 * addresses of the hot wallet.
 */
import sql, { raw } from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { UtxoHotKeyPath, UtxoKeyPath } from '../../signing/intent.ts'
import type { OutgoingTransactionInput } from './shape.ts'

/** The heights of blocks up to which outputs may be spent. */
export interface TrustedHeights {
  /** The height of the last booked block. */
  readonly height: number
  /** The height of the last final block. */
  readonly finalHeight: number
  /**
   * The height up to which our own change may be spent. Change in a higher block may not be spent yet. If
   * transactions can be replaced, this is the last final block, because a reorganisation may mine another
   * attempt with other change. If transactions cannot be replaced, this is the last booked block. Even if that
   * block is undone, the same bytes are mined again, so the change stays the same.
   */
  readonly changeHeight: number
}

export interface SpendableUtxo extends OutgoingTransactionInput {
  /**
   * The size in bytes of the previous transaction, which is sent to the signer with the UTXO; 0 if the signer
   * does not need it.
   */
  readonly previousTransactionBytes: number
}

/**
 * The derivation path of an output's address. Null if no row states it, for example because somebody changed the
 * address in its row.
 */
export const keyPathOfOutput = sql`coalesce(
  (select jsonb_build_object('type', 'deposit', 'branch', branch, 'index', index) from address
   where family = own_output.network and address = own_output.address),
  (select jsonb_build_object('type', 'hot', 'branch', branch, 'index', index) from hot_wallet_address
   where network = own_output.network and address = own_output.address))`

/**
 * SQL condition: an output may be spent. The query must join the output's deposit, if there is one. The
 * output must be unspent, mature, and either in a final block or our own change. A deposit must be confirmed,
 * not below the minimum, and not held in quarantine. The deposit must belong to a merchant or be attributed.
 * The derivation path of the output's address must be known, because the signer could not sign otherwise, and
 * one such output would stop every payment. `verify` reports an address whose row was changed.
 */
export const mayBeSpent = (at: TrustedHeights) => sql`
  own_output.spent_by is null
  and own_output.height <= case when deposit.id is null then ${at.changeHeight}::bigint else ${at.finalHeight}::bigint end
  and own_output.height + own_output.matures_after - 1 <= ${at.height}
  and (deposit.id is null or (
    deposit.state = 'confirmed' and deposit.quarantine is distinct from 'held'
    and not (deposit.below_minimum and deposit.net_minor is null)
    and (deposit.merchant_id is not null
      or exists (select from attribution where attribution.deposit_id = deposit.id))))
  and ${keyPathOfOutput} is not null`

/** The derivation path of the key of a reserved input. */
export const keyPathIn = (input: string) =>
  raw(
    `jsonb_build_object('type', ${input}.key_type, 'branch', ${input}.key_branch, 'index', ${input}.key_index)`,
  )

/**
 * SQL condition: an output is set aside, because a signed transaction that the database may have lost can
 * spend it. No payment spends such an output (docs/decisions/0080-recovery-in-utxo-networks.md).
 */
const isSetAside = sql`exists (
  select from utxo_set_aside aside where aside.network = own_output.network and aside.outpoint = own_output.outpoint)`

/** Selects the size in bytes of an output's previous transaction, if the signer needs that transaction. */
export const previousTransactionOf = (needsPreviousTransactions: boolean) => sql`
  select octet_length(raw) as bytes from previous_transaction
  where ${needsPreviousTransactions}::boolean and network = own_output.network and tx_hash = own_output.tx_hash
  union all
  select octet_length(raw) / 2 from outgoing_transaction_attempt
  where ${needsPreviousTransactions}::boolean and network = own_output.network and tx_hash = own_output.tx_hash
  limit 1`

/**
 * Returns UTXOs that may be spent and were never reserved, the most valuable first. If previous transactions
 * are needed, only UTXOs whose previous transaction is stored are returned. UTXOs of conflicted transactions
 * are left out, because the signer lets no other transaction spend them
 * (docs/decisions/0056-what-is-signed-of-coins.md). The signer would refuse a whole transaction because of
 * one such UTXO.
 */
export async function readSpendable(
  on: Queryable,
  network: string,
  at: TrustedHeights,
  {
    max,
    needsPreviousTransactions,
    ofThoseSetAside = false,
  }: {
    readonly max: number
    readonly needsPreviousTransactions: boolean
    readonly ofThoseSetAside?: boolean
  },
): Promise<readonly SpendableUtxo[]> {
  const rows = await on.query<SpendableRow>(
    named(
      'read-spendable-utxos',
      sql`
      select own_output.outpoint, own_output.amount_minor as minor, ${keyPathOfOutput} as "keyPath", previous.bytes
      from own_output
      left join deposit on deposit.network = own_output.network and deposit.transfer_key = own_output.outpoint
      left join lateral (${previousTransactionOf(needsPreviousTransactions)}) previous on true
      where own_output.network = ${network} and ${mayBeSpent(at)} and (previous.bytes is not null or not ${needsPreviousTransactions}::boolean)
        and ${isSetAside} = ${ofThoseSetAside}::boolean and not exists (
          select from outgoing_transaction_input input where input.network = own_output.network and input.outpoint = own_output.outpoint)
      order by own_output.amount_minor desc, own_output.outpoint limit ${max}`,
    ),
  )
  return rows.map(toSpendable)
}

/** A UTXO that may be spent, as `readSpendable` and `readReclaimable` select it. */
export interface SpendableRow {
  readonly outpoint: string
  readonly minor: string
  readonly keyPath: UtxoKeyPath
  /** The size of the previous transaction in bytes; null if the signer does not need that transaction. */
  readonly bytes: number | null
}

export function toSpendable({ outpoint, minor, keyPath, bytes }: SpendableRow): SpendableUtxo {
  return { outpoint, amountMinor: BigInt(minor), keyPath, previousTransactionBytes: bytes ?? 0 }
}

/** Returns whether at least `count` UTXOs of `leastMinor` or more may be spent and were never reserved. */
export async function hasSpendable(
  on: Queryable,
  network: string,
  at: TrustedHeights,
  {
    count,
    leastMinor,
    ofThoseSetAside = false,
  }: { readonly count: number; readonly leastMinor: bigint; readonly ofThoseSetAside?: boolean },
): Promise<boolean> {
  const row = await one<{ count: number }>(
    on,
    named(
      'count-spendable-utxos',
      sql`
      select count(*)::int as count from (
        select from own_output
        left join deposit on deposit.network = own_output.network and deposit.transfer_key = own_output.outpoint
        where own_output.network = ${network} and own_output.amount_minor >= ${`${leastMinor}`}::numeric and ${mayBeSpent(at)}
          and ${isSetAside} = ${ofThoseSetAside}::boolean and not exists (
            select from outgoing_transaction_input input where input.network = own_output.network and input.outpoint = own_output.outpoint)
        limit ${count}) spendable`,
    ),
  )
  return (row?.count ?? 0) >= count
}

export interface Reservation {
  readonly outgoingTransactionId: string
  readonly network: string
  readonly inputs: readonly OutgoingTransactionInput[]
  /** The number of UTXOs that the transaction has reserved already. */
  readonly before?: number
}

/**
 * Reserves UTXOs for outgoing transactions. UTXOs that another transaction has reserved are skipped.
 * @returns whether no UTXO was skipped
 */
export async function reserveInputs(tx: Tx, reservations: readonly Reservation[]): Promise<boolean> {
  const rows = reservations.flatMap(({ outgoingTransactionId, network, inputs, before = 0 }) =>
    inputs.map(({ outpoint, amountMinor, keyPath }, number) => ({
      outgoing_transaction_id: outgoingTransactionId,
      ordinal: before + number,
      network,
      outpoint,
      amount_minor: `${amountMinor}`,
      key_type: keyPath.type,
      key_branch: keyPath.branch,
      key_index: keyPath.index,
    })),
  )
  const reserved = await tx.query<{ outpoint: string }>(
    named(
      'reserve-inputs',
      sql`
      insert into outgoing_transaction_input (outgoing_transaction_id, ordinal, network, outpoint, amount_minor, key_type, key_branch, key_index)
      select outgoing_transaction_id, ordinal, network, outpoint, amount_minor, key_type, key_branch, key_index
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
        outgoing_transaction_id uuid, ordinal smallint, network text, outpoint text, amount_minor numeric, key_type text,
        key_branch integer, key_index bigint)
      on conflict do nothing returning outpoint`,
    ),
  )
  return reserved.length === rows.length
}

/**
 * Returns the outpoints that may be spent, whether reserved or not. Locks the outputs and their deposits
 * until the database transaction ends, so that they stay spendable. The caller must have locked the network's
 * cursor.
 */
export async function holdSpendable(
  tx: Tx,
  network: string,
  at: TrustedHeights,
  outpoints: readonly string[],
): Promise<ReadonlySet<string>> {
  const own = [...outpoints]
  await tx.query(sql`
    select from own_output where network = ${network} and outpoint = any(${own}::text[]) order by outpoint for share`)
  await tx.query(sql`
    select from deposit where network = ${network} and transfer_key = any(${own}::text[]) order by id for share`)
  const rows = await tx.query<{ outpoint: string }>(sql`
    select own_output.outpoint from own_output
    left join deposit on deposit.network = own_output.network and deposit.transfer_key = own_output.outpoint
    where own_output.network = ${network} and own_output.outpoint = any(${own}::text[]) and ${mayBeSpent(at)}`)
  return new Set(rows.map(({ outpoint }) => outpoint))
}

/**
 * Returns whether any outgoing transaction has reserved a UTXO, even if that transaction is conflicted now.
 * The signer lets no other transaction spend such a UTXO.
 */
export async function isSpokenFor(on: Queryable, network: string, outpoint: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from outgoing_transaction_input where network = ${network} and outpoint = ${outpoint} limit 1`,
  )
  return row !== undefined
}

/** Returns whether an output of ours is in a booked block. */
export async function isMined(on: Queryable, network: string, outpoint: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from own_output where network = ${network} and outpoint = ${outpoint}`,
  )
  return row !== undefined
}

/** Returns the UTXOs of outgoing transactions. The pinned outpoint of each transaction comes first. */
export async function readInputs(
  on: Queryable,
  outgoingTransactionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly OutgoingTransactionInput[]>> {
  const rows = await on.query<{ id: string; outpoint: string; minor: string; keyPath: UtxoKeyPath }>(
    named(
      'read-outgoing-transaction-inputs',
      sql`select outgoing_transaction_id as id, outpoint, amount_minor as minor, ${keyPathIn('input')} as "keyPath"
          from outgoing_transaction_input input
          where outgoing_transaction_id = any(${[...outgoingTransactionIds]}::uuid[]) order by outgoing_transaction_id, ordinal`,
    ),
  )
  const inputs = new Map<string, OutgoingTransactionInput[]>()
  for (const { id, outpoint, minor, keyPath } of rows) {
    const own = inputs.get(id) ?? []
    own.push({ outpoint, amountMinor: BigInt(minor), keyPath })
    inputs.set(id, own)
  }
  return inputs
}

/**
 * Returns the outgoing transactions that are planned but not signed and have reserved one of the outpoints.
 * Also returns the transaction with the given id if it is not signed. That transaction must be stored again
 * with the UTXOs that the signer's log states for it.
 */
export async function findPlannedOn(
  on: Queryable,
  network: string,
  outgoingTransactionId: string,
  outpoints: readonly string[],
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select distinct outgoing_transaction.id from outgoing_transaction_input input join outgoing_transaction on outgoing_transaction.id = input.outgoing_transaction_id
    where input.network = ${network} and outgoing_transaction.state = 'planned' and not is_released
      and (input.outpoint = any(${[...outpoints]}::text[]) or outgoing_transaction.id = ${outgoingTransactionId})`)
  return rows.map(({ id }) => id)
}

/** Returns the index of the last assigned change address, plus one. */
export async function readNextChange(on: Queryable, network: string): Promise<number> {
  const row = await one<{ next: number }>(
    on,
    sql`select coalesce(max(index) + 1, 0) as next from hot_wallet_address
        where network = ${network} and branch = 1 and is_given`,
  )
  return row?.next ?? 0
}

/** Returns the index of the last watched change address, assigned or not, plus one. */
export async function readWatchedEnd(on: Queryable, network: string): Promise<number> {
  const row = await one<{ end: number }>(
    on,
    sql`select coalesce(max(index) + 1, 0) as end from hot_wallet_address where network = ${network} and branch = 1`,
  )
  return row?.end ?? 0
}

/**
 * Stores change addresses that are not yet assigned, so that they are watched. The first has index `from`.
 */
export async function watchChange(
  tx: Tx,
  network: string,
  from: number,
  addresses: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into hot_wallet_address (network, branch, index, address, is_given)
    select ${network}, 1, ${from}::bigint + ordinal - 1, address, false
    from unnest(${[...addresses]}::text[]) with ordinality as row (address, ordinal)
    on conflict do nothing`)
}

export interface HotWalletAddress {
  readonly keyPath: UtxoHotKeyPath
  readonly address: string
}

/**
 * Assigns addresses of the hot wallet. Addresses that were not watched before are watched from now on.
 * @returns how many of the addresses were not assigned before
 */
export async function insertHotWalletAddresses(
  tx: Tx,
  network: string,
  addresses: readonly HotWalletAddress[],
): Promise<number> {
  if (addresses.length === 0) return 0
  const rows = await tx.query(sql`
    insert into hot_wallet_address (network, branch, index, address)
    select ${network}, branch, index, address from unnest(
      ${addresses.map(({ keyPath }) => keyPath.branch)}::smallint[], ${addresses.map(({ keyPath }) => keyPath.index)}::bigint[],
      ${addresses.map(({ address }) => address)}::text[]) as row (branch, index, address)
    on conflict (network, branch, index) do update set is_given = true where not hot_wallet_address.is_given
    returning index`)
  return rows.length
}

/** Returns the address at which the hot wallet receives money, as the signer first attested it. */
export async function readHotWalletAddress(on: Queryable, network: string): Promise<string | undefined> {
  const row = await one<{ address: string }>(
    on,
    sql`select address from hot_wallet_address where network = ${network} and branch = 0 and index = 0`,
  )
  return row?.address
}

/** Returns whether an address was derived for payers or for our own change. */
export async function isOwnAddress(on: Queryable, network: string, address: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from hot_wallet_address where network = ${network} and address = ${address}
        union all select 1 from address where family = ${network} and address = ${address} limit 1`,
  )
  return row !== undefined
}

/**
 * Returns the key paths of those given addresses that belong to the hot wallet, whether assigned or only
 * watched.
 */
export async function findHotWalletKeyPaths(
  on: Queryable,
  network: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, UtxoHotKeyPath>> {
  const rows = await on.query<{ address: string; branch: 0 | 1; index: number }>(sql`
    select address, branch, index from hot_wallet_address
    where network = ${network} and address = any(${[...addresses]}::text[])`)
  return new Map(rows.map(({ address, branch, index }) => [address, { type: 'hot', branch, index }]))
}

/** Returns the outgoing transactions that have reserved one of the outpoints and not released it. */
export async function findHolders(
  on: Queryable,
  network: string,
  outpoints: readonly string[],
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select distinct outgoing_transaction_id as id from outgoing_transaction_input
    where network = ${network} and outpoint = any(${[...outpoints]}::text[]) and not is_released`)
  return rows.map(({ id }) => id)
}
