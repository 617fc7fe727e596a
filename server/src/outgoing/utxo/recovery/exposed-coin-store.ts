/** Coins that forgotten bytes may spend, what spends coins and is known to nobody here, and what is set aside. */
import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { CoinPlace } from '../../../signing/intent.ts'
import { makerOf, mayBeSpent, placeOfCoin, type SpendableCoin, type TrustedHeights } from '../coin-store.ts'
import type { PayoutInput } from '../shape.ts'

/** One that nothing spends by our own blocks. */
export interface ExposedCoin extends SpendableCoin {
  readonly height: number
  /** A payout of ours is to spend it. */
  readonly isSpokenFor: boolean
  /** By its block and by the books. */
  readonly maySpend: boolean
  /** The transaction that made it is there, where that is asked for. */
  readonly isShown: boolean
  /**
   * The last payout that planned to spend this coin, if a conflicting transaction displaced it. The signer lets only that payout
   * spend the coin, or a reclaim that names it.
   */
  readonly former: string | undefined
}

/**
 * Coins that were there when forgotten bytes were signed, up to block `until`, or were made by a transaction of ours of that
 * time, whenever it was mined; without those that a recovery made, and those that are set aside. The most valuable first.
 */
export async function readExposed(
  on: Queryable,
  network: string,
  at: TrustedHeights,
  { until, needsMakers, max }: { until: number; needsMakers: boolean; max: number },
): Promise<readonly ExposedCoin[]> {
  const rows = await on.query<{
    outpoint: string
    minor: string
    place: CoinPlace
    height: number
    bytes: number | null
    held: boolean
    may: boolean
    former: string | null
  }>(sql`
    select coin.outpoint, coin.amount_minor as minor, ${placeOfCoin} as place, coin.height, maker.bytes,
      exists (
        select from payout_input input
        where input.network = coin.network and input.outpoint = coin.outpoint and not input.is_released) as held,
      (${mayBeSpent(at)}) is true as may, former.payout_id as former
    from coin
    left join transaction deposit on deposit.network = coin.network and deposit.transfer_key = coin.outpoint
    left join lateral (${makerOf(needsMakers)}) maker on true
    left join lateral (
      select input.payout_id from payout_input input join payout on payout.id = input.payout_id
      where input.network = coin.network and input.outpoint = coin.outpoint and payout.state = 'displaced'
      order by payout.planned_at desc, payout.id desc limit 1) former on true
    where coin.network = ${network} and coin.spent_by is null
      and not exists (
        select from coin_set_aside aside where aside.network = coin.network and aside.outpoint = coin.outpoint)
      and not exists (
        select from payout_attempt made join payout_respend respend using (payout_id)
        where made.network = coin.network and made.tx_hash = coin.tx_hash)
      and (coin.height + coin.matures_after - 1 <= ${until} or exists (
        select from payout_attempt made where made.network = coin.network and made.tx_hash = coin.tx_hash))
    order by coin.amount_minor desc, coin.outpoint limit ${max}`)
  return rows.map(({ outpoint, minor, place, height, bytes, held, may, former }) => ({
    outpoint,
    amountMinor: BigInt(minor),
    place,
    height,
    makerBytes: bytes ?? 0,
    isSpokenFor: held,
    maySpend: may,
    isShown: bytes !== null || !needsMakers,
    former: former ?? undefined,
  }))
}

/** A transaction in a block of ours that spends coins of ours, and that nobody here knows of. */
export interface UnknownSpender {
  readonly txHash: string
  readonly height: number
  /** Those that are ours, in no order. */
  readonly coins: readonly PayoutInput[]
}

/** The oldest first. */
export async function readUnknownSpenders(
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly UnknownSpender[]> {
  const rows = await on.query<{
    hash: string
    height: number
    coins: readonly { readonly outpoint: string; readonly minor: string; readonly place: CoinPlace }[]
  }>(sql`
    select spent_by as hash, max(spent_height) as height, jsonb_agg(
      jsonb_build_object('outpoint', outpoint, 'minor', amount_minor::text, 'place', ${placeOfCoin}) order by outpoint
    ) as coins
    from coin
    where network = ${network} and spent_by is not null
      and not exists (
        select from payout_attempt where network = coin.network and tx_hash = coin.spent_by)
      and not exists (
        select from payout_outflow where network = coin.network and tx_hash = coin.spent_by)
    group by spent_by order by max(spent_height), spent_by limit ${max}`)
  return rows.map(({ hash: txHash, height, coins }) => ({
    txHash,
    height,
    coins: coins.map(({ outpoint, minor, place }) => ({ outpoint, amountMinor: BigInt(minor), place })),
  }))
}

/** Which of some transactions are known here: as a payout's, or as an outflow. */
export async function findAccounted(
  on: Queryable,
  network: string,
  txHashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ hash: string }>(sql`
    select tx_hash as hash from payout_attempt
    where network = ${network} and tx_hash = any(${[...txHashes]}::text[])
    union
    select tx_hash from payout_outflow where network = ${network} and tx_hash = any(${[...txHashes]}::text[])`)
  return new Set(rows.map(({ hash }) => hash))
}

/** Which of some coins are in the list of ours. */
export async function findListed(
  on: Queryable,
  network: string,
  outpoints: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ outpoint: string }>(
    sql`select outpoint from coin where network = ${network} and outpoint = any(${[...outpoints]}::text[])`,
  )
  return new Set(rows.map(({ outpoint }) => outpoint))
}

/** Notes that payouts are of the recovery that is under way. */
export async function insertRespends(tx: Tx, network: string, payoutIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    insert into payout_respend (payout_id, network) select id, ${network} from unnest(${[...payoutIds]}::uuid[]) id`)
}

/** Forgets those of a recovery that is over, or begins anew. */
export async function deleteRespends(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`delete from payout_respend where network = ${network}`)
}

/** Which of some payouts are of the recovery that is under way. */
export async function findRespends(
  on: Queryable,
  payoutIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ id: string }>(
    sql`select payout_id as id from payout_respend where payout_id = any(${[...payoutIds]}::uuid[])`,
  )
  return new Set(rows.map(({ id }) => id))
}

export type AsideReason = 'small' | 'books'

export async function setAside(
  tx: Tx,
  network: string,
  coins: readonly Pick<ExposedCoin, 'outpoint' | 'amountMinor'>[],
  reason: AsideReason,
): Promise<void> {
  await tx.query(sql`
    insert into coin_set_aside (network, outpoint, amount_minor, reason)
    select ${network}, outpoint, amount::numeric, ${reason} from unnest(
      ${coins.map(({ outpoint }) => outpoint)}::text[], ${coins.map(({ amountMinor }) => `${amountMinor}`)}::text[]
    ) as row (outpoint, amount)
    on conflict do nothing`)
}

export interface AsideSum {
  readonly network: string
  readonly reason: AsideReason
  readonly count: number
  readonly minor: bigint
}

/** Of those that nothing has spent yet. */
export async function sumSetAside(on: Queryable): Promise<readonly AsideSum[]> {
  const rows = await on.query<{ network: string; reason: AsideReason; count: number; minor: string }>(sql`
    select aside.network, reason, count(*)::int as count, sum(aside.amount_minor) as minor
    from coin_set_aside aside
    join coin on coin.network = aside.network and coin.outpoint = aside.outpoint and coin.spent_by is null
    group by aside.network, reason order by aside.network, reason`)
  return rows.map(({ minor, ...row }) => ({ ...row, minor: BigInt(minor) }))
}

/** What was last refused of a network's own ideas about its coins, and rests; undefined where nothing does. */
export async function findRestingRefusal(on: Queryable, network: string): Promise<string | undefined> {
  const rows = await on.query<{ detail: string }>(sql`
    select detail from payout_refusal
    where network = ${network} and kind in ('consolidate', 'reclaim') and (retry_at is null or retry_at > now())
    order by refused_at desc limit 1`)
  return rows[0]?.detail
}
