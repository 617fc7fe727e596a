/** Coins as payouts see them: which may be spent, which are spoken for, and what became of them. */
import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { CoinPlace, HotPlace } from '../../signing/intent.ts'
import type { PayoutInput } from './shape.ts'

/** Up to where blocks are trusted. */
export interface TrustedHeights {
  /** Of our last block. */
  readonly height: number
  /** Of the last that stays. */
  readonly finalHeight: number
  /** Of the last from which our own change is spent: whatever becomes of its block, the same bytes are mined again. */
  readonly changeHeight: number
}

export interface SpendableCoin extends PayoutInput {
  /** Of the transaction that made it, which goes to the signer with it; 0 where that is not asked for. */
  readonly makerBytes: number
}

/**
 * Of a coin and the deposit that it is, if it is one: in a block that stays, or our own change, mature, and of money that is
 * in the books as somebody's, above the minimum, against whom nobody holds anything.
 */
export const mayBeSpent = (at: TrustedHeights) => sql`
  coin.spent_by is null
  and coin.height <= case when deposit.id is null then ${at.changeHeight}::bigint else ${at.finalHeight}::bigint end
  and coin.height + coin.matures_after - 1 <= ${at.height}
  and (deposit.id is null or (
    deposit.state = 'confirmed' and deposit.quarantine is distinct from 'held'
    and not (deposit.below_minimum and deposit.net_minor is null)
    and (deposit.merchant_id is not null
      or exists (select from attribution where attribution.transaction_id = deposit.id))))`

/** Of a coin, where its key lies. */
export const placeOfCoin = sql`coalesce(
  (select jsonb_build_object('type', 'deposit', 'branch', branch, 'index', index) from address
   where family = coin.network and address = coin.address),
  (select jsonb_build_object('type', 'hot', 'branch', branch, 'index', index) from hot_place
   where network = coin.network and address = coin.address))`

/** Of a coin, whether forgotten bytes may spend it and nothing of ours does yet: it pays for nothing (decision 80). */
const isSetAside = sql`exists (
  select from coin_set_aside aside where aside.network = coin.network and aside.outpoint = coin.outpoint)`

/** Of a coin, how long the transaction that made it is, where it is asked for. */
export const makerOf = (needsMakers: boolean) => sql`
  select octet_length(raw) as bytes from coin_maker
  where ${needsMakers}::boolean and network = coin.network and tx_hash = coin.tx_hash
  union all
  select octet_length(raw) / 2 from payout_attempt
  where ${needsMakers}::boolean and network = coin.network and tx_hash = coin.tx_hash
  limit 1`

/**
 * Coins that may be spent and are not spoken for, shown by what made them where that is asked for, the most valuable first.
 * Those of a payout that was displaced are the signer's to refuse to every other (decision 56): whoever chose them would keep all that is paid together from being paid.
 */
export async function readSpendable(
  on: Queryable,
  network: string,
  at: TrustedHeights,
  {
    max,
    needsMakers,
    ofThoseSetAside = false,
  }: { readonly max: number; readonly needsMakers: boolean; readonly ofThoseSetAside?: boolean },
): Promise<readonly SpendableCoin[]> {
  const rows = await on.query<{ outpoint: string; minor: string; place: CoinPlace; bytes: number | null }>(
    named(
      'read-spendable-coins',
      sql`
      select coin.outpoint, coin.amount_minor as minor, ${placeOfCoin} as place, maker.bytes
      from coin
      left join transaction deposit on deposit.network = coin.network and deposit.transfer_key = coin.outpoint
      left join lateral (${makerOf(needsMakers)}) maker on true
      where coin.network = ${network} and ${mayBeSpent(at)} and (maker.bytes is not null or not ${needsMakers}::boolean)
        and ${isSetAside} = ${ofThoseSetAside}::boolean and not exists (
          select from payout_input input where input.network = coin.network and input.outpoint = coin.outpoint)
      order by coin.amount_minor desc, coin.outpoint limit ${max}`,
    ),
  )
  return rows.map(({ outpoint, minor, place, bytes }) => ({
    outpoint,
    amountMinor: BigInt(minor),
    place,
    makerBytes: bytes ?? 0,
  }))
}

/** Whether so many coins of `leastMinor` or more may be spent and are not spoken for. */
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
      'count-spendable-coins',
      sql`
      select count(*)::int as count from (
        select from coin
        left join transaction deposit on deposit.network = coin.network and deposit.transfer_key = coin.outpoint
        where coin.network = ${network} and coin.amount_minor >= ${`${leastMinor}`}::numeric and ${mayBeSpent(at)}
          and ${isSetAside} = ${ofThoseSetAside}::boolean and not exists (
            select from payout_input input where input.network = coin.network and input.outpoint = coin.outpoint)
        limit ${count}) spendable`,
    ),
  )
  return (row?.count ?? 0) >= count
}

export interface Reservation {
  readonly payoutId: string
  readonly network: string
  readonly inputs: readonly PayoutInput[]
  /** How many coins it has already. */
  readonly before?: number
}

/**
 * Speaks for the coins of payouts.
 * @returns whether nobody else had one of them, and none was spent or left its block since it was looked at
 */
export async function reserveCoins(tx: Tx, reservations: readonly Reservation[]): Promise<boolean> {
  const rows = reservations.flatMap(({ payoutId, network, inputs, before = 0 }) =>
    inputs.map(({ outpoint, amountMinor, place }, number) => ({
      payout_id: payoutId,
      place: before + number,
      network,
      outpoint,
      amount_minor: `${amountMinor}`,
      coin_place: place,
    })),
  )
  const reserved = await tx.query<{ outpoint: string }>(
    named(
      'reserve-coins',
      sql`
      insert into payout_input (payout_id, place, network, outpoint, amount_minor, coin_place)
      select payout_id, place, network, outpoint, amount_minor, coin_place
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
        payout_id uuid, place smallint, network text, outpoint text, amount_minor numeric, coin_place jsonb)
      on conflict do nothing returning outpoint`,
    ),
  )
  return reserved.length === rows.length
}

/**
 * Which of the coins may be spent, whoever speaks for them; kept so until the transaction ends, as is what was told of the
 * deposits that they are. Whoever calls it holds the cursor.
 */
export async function holdSpendable(
  tx: Tx,
  network: string,
  at: TrustedHeights,
  outpoints: readonly string[],
): Promise<ReadonlySet<string>> {
  const own = [...outpoints]
  await tx.query(sql`
    select from coin where network = ${network} and outpoint = any(${own}::text[]) order by outpoint for share`)
  await tx.query(sql`
    select from transaction where network = ${network} and transfer_key = any(${own}::text[]) order by id for share`)
  const rows = await tx.query<{ outpoint: string }>(sql`
    select coin.outpoint from coin
    left join transaction deposit on deposit.network = coin.network and deposit.transfer_key = coin.outpoint
    where coin.network = ${network} and coin.outpoint = any(${own}::text[]) and ${mayBeSpent(at)}`)
  return new Set(rows.map(({ outpoint }) => outpoint))
}

/** Whether a payout spends a coin, or was to before it was displaced: the signer gives it to no other. */
export async function isSpokenFor(on: Queryable, network: string, outpoint: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from payout_input where network = ${network} and outpoint = ${outpoint} limit 1`,
  )
  return row !== undefined
}

/** The coins of payouts, each with its anchor first. */
export async function readInputs(
  on: Queryable,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, readonly PayoutInput[]>> {
  const rows = await on.query<{ id: string; outpoint: string; minor: string; coin_place: CoinPlace }>(
    named(
      'read-payout-inputs',
      sql`select payout_id as id, outpoint, amount_minor as minor, coin_place from payout_input
          where payout_id = any(${[...payoutIds]}::uuid[]) order by payout_id, place`,
    ),
  )
  const inputs = new Map<string, PayoutInput[]>()
  for (const { id, outpoint, minor, coin_place: place } of rows) {
    const own = inputs.get(id) ?? []
    own.push({ outpoint, amountMinor: BigInt(minor), place })
    inputs.set(id, own)
  }
  return inputs
}

/**
 * Payouts that are merely planned and speak for some of the coins, and the one of that name: it is planned as it was signed.
 */
export async function findPlannedOn(
  on: Queryable,
  network: string,
  payoutId: string,
  outpoints: readonly string[],
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select distinct payout.id from payout_input input join payout on payout.id = input.payout_id
    where input.network = ${network} and payout.state = 'planned' and not is_released
      and (input.outpoint = any(${[...outpoints]}::text[]) or payout.id = ${payoutId})`)
  return rows.map(({ id }) => id)
}

/** One above the last change address that was ever given. */
export async function readNextChange(on: Queryable, network: string): Promise<number> {
  const row = await one<{ next: number }>(
    on,
    sql`select coalesce(max(index) + 1, 0) as next from hot_place
        where network = ${network} and branch = 1 and is_given`,
  )
  return row?.next ?? 0
}

/** One above the last change address that is watched, given or not. */
export async function readWatchedEnd(on: Queryable, network: string): Promise<number> {
  const row = await one<{ end: number }>(
    on,
    sql`select coalesce(max(index) + 1, 0) as end from hot_place where network = ${network} and branch = 1`,
  )
  return row?.end ?? 0
}

/** Has change addresses watched from `from` on that are not given yet. */
export async function watchChange(
  tx: Tx,
  network: string,
  from: number,
  addresses: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into hot_place (network, branch, index, address, is_given)
    select ${network}, 1, ${from}::bigint + place - 1, address, false
    from unnest(${[...addresses]}::text[]) with ordinality as row (address, place)
    on conflict do nothing`)
}

export interface HotAddress {
  readonly place: HotPlace
  readonly address: string
}

/** Gives addresses of the hot wallet, which are watched from then on at the latest. @returns how many were not given before */
export async function insertHotPlaces(
  tx: Tx,
  network: string,
  places: readonly HotAddress[],
): Promise<number> {
  if (places.length === 0) return 0
  const rows = await tx.query(sql`
    insert into hot_place (network, branch, index, address)
    select ${network}, branch, index, address from unnest(
      ${places.map(({ place }) => place.branch)}::smallint[], ${places.map(({ place }) => place.index)}::bigint[],
      ${places.map(({ address }) => address)}::text[]) as row (branch, index, address)
    on conflict (network, branch, index) do update set is_given = true where not hot_place.is_given
    returning index`)
  return rows.length
}

/** The address that the hot wallet receives on, as it was attested first. */
export async function readHotAddress(on: Queryable, network: string): Promise<string | undefined> {
  const row = await one<{ address: string }>(
    on,
    sql`select address from hot_place where network = ${network} and branch = 0 and index = 0`,
  )
  return row?.address
}

/** Whether an address was derived for payers or for our own change. */
export async function isOwnAddress(on: Queryable, network: string, address: string): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from hot_place where network = ${network} and address = ${address}
        union all select 1 from address where family = ${network} and address = ${address} limit 1`,
  )
  return row !== undefined
}

/** Which of some addresses are the hot wallet's, given or watched ahead. */
export async function findHotPlaces(
  on: Queryable,
  network: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, HotPlace>> {
  const rows = await on.query<{ address: string; branch: 0 | 1; index: number }>(sql`
    select address, branch, index from hot_place
    where network = ${network} and address = any(${[...addresses]}::text[])`)
  return new Map(rows.map(({ address, branch, index }) => [address, { type: 'hot', branch, index }]))
}

/** Payouts that speak for some of the coins. */
export async function findHolders(
  on: Queryable,
  network: string,
  outpoints: readonly string[],
): Promise<readonly string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select distinct payout_id as id from payout_input
    where network = ${network} and outpoint = any(${[...outpoints]}::text[]) and not is_released`)
  return rows.map(({ id }) => id)
}
