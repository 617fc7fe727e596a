import sql from 'sql-template-tag'
import { named, one, type Queryable } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import {
  type CoinPlace,
  type HotPlace,
  type Intent,
  type IntentKind,
  intentText,
  readIntentText,
  type WalletPlace,
} from '../../signing/intent.ts'
import type { Fees, Inclusion, PayoutState } from './payout.ts'
import type { IntendedPayout, Proposal } from './purpose.ts'

/** A payout as the machine works with it. */
export interface StoredPayout extends IntendedPayout {
  readonly fees: Fees
  readonly spends: Proposal['spends']
  readonly bumps: number
  /** Of our blocks when bytes of it were last handed to a node; undefined where new bytes wait for that. */
  readonly sentHeight: number | undefined
  /** The same of the first time that the newest bytes were. */
  readonly offeredHeight: number | undefined
  /** The most that it may offer per unit of gas; undefined: the ceiling of all. */
  readonly feeLimitMinor: bigint | undefined
}

export interface NewPayout
  extends Pick<StoredPayout, 'id' | 'network' | 'intent' | 'from' | 'wallet' | 'nonce' | 'fees' | 'spends'> {
  /** The proposals that it carries out; its own where absent. */
  readonly carries?: readonly string[]
  /** The most that it may offer per unit of gas; the ceiling of all where absent. */
  readonly feeLimitMinor?: bigint | undefined
  /** Where money lies in coins: those that it spends, its anchor first, and where what is left of them goes. */
  readonly coins?: PlannedCoins
}

export interface PlannedCoins {
  readonly inputs: readonly {
    readonly outpoint: string
    readonly amountMinor: bigint
    readonly place: CoinPlace
  }[]
  readonly change: { readonly place: HotPlace; readonly address: string } | undefined
}

interface PayoutRow {
  readonly id: string
  readonly network: string
  readonly intent: string
  readonly wallet_place: WalletPlace
  readonly wallet: string
  readonly nonce: number
  readonly state: PayoutState
  readonly gas: string
  readonly max_fee_minor: string
  readonly tip_minor: string
  readonly max_cost_minor: string
  readonly fee_limit_minor: string | null
  readonly spent_asset: string | null
  readonly spent_contract: string | null
  readonly spent_minor: string | null
  readonly bumps: number
  readonly sent_height: number | null
  readonly offered_height: number | null
  readonly included_tx_hash: string | null
  readonly included_height: number | null
  readonly included_block_hash: string | null
  readonly is_success: boolean | null
  readonly fee_minor: string | null
  readonly planned_at: Date
}

const columns = sql`p.id, p.network, p.intent, p.wallet_place, p.wallet, p.nonce, p.state, p.gas, p.max_fee_minor,
  p.tip_minor, p.max_cost_minor, p.fee_limit_minor, p.spent_asset, p.spent_contract, p.spent_minor, p.bumps, p.sent_height, p.offered_height,
  p.included_tx_hash, p.included_height, p.included_block_hash, p.is_success, p.fee_minor, p.planned_at`

/** Stores payouts that are planned; those whose id is there already are passed over. */
export async function insertPayouts(tx: Tx, payouts: readonly NewPayout[]): Promise<readonly StoredPayout[]> {
  const rows = payouts.map(({ id, network, intent, from, wallet, nonce, fees, spends, feeLimitMinor }) => ({
    id,
    network,
    kind: intent.kind satisfies IntentKind,
    intent: intentText(intent),
    wallet,
    nonce,
    wallet_place: from,
    gas: `${fees.gas}`,
    max_fee_minor: `${fees.maxFeeMinor}`,
    tip_minor: `${fees.tipMinor}`,
    fee_limit_minor: feeLimitMinor === undefined ? null : `${feeLimitMinor}`,
    ...spentColumns(spends),
  }))
  const inserted = await tx.query<PayoutRow>(
    named(
      'insert-payouts',
      sql`
      insert into payout as p (id, network, kind, intent, wallet_place, wallet, nonce, gas, max_fee_minor, tip_minor,
                               spent_asset, spent_contract, spent_minor, fee_limit_minor)
      select id, network, kind, intent, wallet_place, wallet, nonce, gas, max_fee_minor, tip_minor,
             spent_asset, spent_contract, spent_minor, fee_limit_minor
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (id uuid, network text, kind text, intent text, wallet_place jsonb, wallet text, nonce bigint,
                gas numeric, max_fee_minor numeric, tip_minor numeric, spent_asset text, spent_contract text,
                spent_minor numeric, fee_limit_minor numeric)
      on conflict (id) do nothing
      returning ${columns}`,
    ),
  )
  const found = new Map(inserted.map((row) => [row.id, toPayout(row)]))
  return payouts.flatMap(({ id }) => found.get(id) ?? [])
}

export function spentColumns(spends: Proposal['spends']) {
  return {
    spent_asset: spends?.asset ?? null,
    spent_contract: spends?.contract ?? null,
    spent_minor: spends === undefined ? null : `${spends.amountMinor}`,
  }
}

/** Everything of a network that is not over, the oldest first. */
export async function readOpen(on: Queryable, network: string): Promise<readonly StoredPayout[]> {
  const rows = await on.query<PayoutRow>(
    named(
      'read-open-payouts',
      sql`select ${columns} from payout p
          where p.network = ${network} and p.state not in ('final', 'displaced')
          order by p.planned_at, p.id`,
    ),
  )
  return rows.map(toPayout)
}

/** Those of which the offer that is stored was never signed; one that was refused in its place rests first. */
export async function readUnsigned(
  on: Queryable,
  network: string,
  max: number,
): Promise<readonly StoredPayout[]> {
  const rows = await on.query<PayoutRow>(
    named(
      'read-unsigned-payouts',
      sql`
      select ${columns} from payout p
      where p.network = ${network} and p.state in ('planned', 'signed', 'broadcast', 'in_doubt')
        and not exists (select from payout_attempt a
                        where a.payout_id = p.id and a.max_fee_minor = p.max_fee_minor and a.tip_minor = p.tip_minor)
        and not exists (select from payout_refusal r where r.payout_id = p.id and r.retry_at > now())
      order by p.wallet, p.nonce
      limit ${max}`,
    ),
  )
  return rows.map(toPayout)
}

export async function readPayouts(on: Queryable, ids: readonly string[]): Promise<readonly StoredPayout[]> {
  const rows = await on.query<PayoutRow>(
    sql`select ${columns} from payout p where p.id = any(${[...ids]}::uuid[]) order by p.planned_at, p.id`,
  )
  return rows.map(toPayout)
}

/** Those that were final, from a height on, in blocks that are in our list no more. */
export async function readUnsettled(
  on: Queryable,
  network: string,
  fromHeight: number,
): Promise<readonly StoredPayout[]> {
  const rows = await on.query<PayoutRow>(sql`
    select ${columns} from payout p
    where p.network = ${network} and p.state = 'final' and p.included_height >= ${fromHeight} and not exists (
      select from block
      where block.network = p.network and block.height = p.included_height and block.hash = p.included_block_hash)
    order by p.planned_at, p.id limit 1000`)
  return rows.map(toPayout)
}

/** Which of the blocks are in our list, as `<height> <hash>`. */
export async function findOurBlocks(
  on: Queryable,
  network: string,
  blocks: readonly { readonly height: number; readonly blockHash: string }[],
): Promise<ReadonlySet<string>> {
  if (blocks.length === 0) return new Set()
  const rows = await on.query<{ height: number; hash: string }>(
    named(
      'find-our-blocks',
      sql`select height, hash from block
          where network = ${network} and height = any(${[...new Set(blocks.map(({ height }) => height))]}::bigint[])`,
    ),
  )
  return new Set(rows.map(({ height, hash }) => `${height} ${hash}`))
}

export async function saveState(
  tx: Tx,
  ids: readonly string[],
  state: 'signed' | 'broadcast' | 'in_doubt' | 'displaced',
): Promise<void> {
  await tx.query(
    named(
      'save-payout-state',
      sql`
      update payout set state = ${state}::text, included_tx_hash = null, included_height = null, included_block_hash = null,
        is_success = null, fee_minor = null, ended_at = case when ${state}::text = 'displaced' then now() end
      where id = any(${[...ids]}::uuid[])`,
    ),
  )
  if (state !== 'displaced') return
  await tx.query(sql`update payout_input set is_released = true where payout_id = any(${[...ids]}::uuid[])`)
}

export async function saveInclusions(
  tx: Tx,
  state: 'included' | 'final',
  inclusions: readonly { readonly id: string; readonly inclusion: Inclusion }[],
): Promise<void> {
  const rows = inclusions.map(({ id, inclusion }) => ({
    id,
    tx_hash: inclusion.txHash,
    height: inclusion.height,
    block_hash: inclusion.blockHash,
    is_success: inclusion.isSuccess,
    fee: `${inclusion.feeMinor}`,
  }))
  await tx.query(
    named(
      'save-payout-inclusions',
      sql`
      update payout set state = ${state}::text, included_tx_hash = row.tx_hash, included_height = row.height,
        included_block_hash = row.block_hash, is_success = row.is_success, fee_minor = row.fee,
        ended_at = case when ${state}::text = 'final' then now() end
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (id uuid, tx_hash text, height bigint, block_hash text, is_success boolean, fee numeric)
      where payout.id = row.id`,
    ),
  )
}

/** Notes at which height bytes were handed over; `undefined`: they have to be handed over (again). */
export async function saveSentHeight(
  tx: Tx,
  ids: readonly string[],
  height: number | undefined,
): Promise<void> {
  await tx.query(
    named(
      'save-payout-sent-height',
      sql`update payout set sent_height = ${height ?? null}::bigint,
            offered_height = case when ${height ?? null}::bigint is not null
              then coalesce(offered_height, ${height ?? null}::bigint) end
          where id = any(${[...ids]}::uuid[])`,
    ),
  )
}

export async function saveFees(tx: Tx, id: string, fees: Fees, bumps: number): Promise<void> {
  await tx.query(sql`
    update payout set gas = ${`${fees.gas}`}, max_fee_minor = ${`${fees.maxFeeMinor}`},
      tip_minor = ${`${fees.tipMinor}`}, bumps = ${bumps}
    where id = ${id}`)
}

/** As if the newest bytes were handed over just now for the first time: so many blocks later a raise is due again. */
export async function saveOfferedNow(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update payout set offered_height = chain_cursor.height from chain_cursor
    where payout.id = ${id} and chain_cursor.network = payout.network`)
}

/** Whether later places in a wallet's order hold signed bytes, which wait for this one. */
export async function isFollowed(
  on: Queryable,
  { network, wallet, nonce }: Pick<StoredPayout, 'network' | 'wallet' | 'nonce'>,
): Promise<boolean> {
  const row = await one(
    on,
    sql`select 1 as found from payout
        where network = ${network} and wallet = ${wallet} and nonce > ${nonce} and state <> 'planned' limit 1`,
  )
  return row !== undefined
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

/** Takes payouts back of which nothing was signed; their places in the order are free again. */
export async function deletePlanned(tx: Tx, ids: readonly string[]): Promise<readonly StoredPayout[]> {
  const rows = await tx.query<PayoutRow>(sql`
    delete from payout p
    where p.id = any(${[...ids]}::uuid[]) and p.state = 'planned'
      and not exists (select from payout_attempt where payout_id = p.id)
    returning ${columns}`)
  return rows.map(toPayout)
}

function toPayout(row: PayoutRow): StoredPayout {
  return {
    id: row.id,
    network: row.network,
    intent: readIntentText(row.intent) as Intent,
    from: row.wallet_place,
    wallet: row.wallet,
    nonce: row.nonce,
    state: row.state,
    fees: { gas: BigInt(row.gas), maxFeeMinor: BigInt(row.max_fee_minor), tipMinor: BigInt(row.tip_minor) },
    maxCostMinor: BigInt(row.max_cost_minor),
    spends: toSpends(row),
    bumps: row.bumps,
    sentHeight: row.sent_height ?? undefined,
    offeredHeight: row.offered_height ?? undefined,
    feeLimitMinor: row.fee_limit_minor === null ? undefined : BigInt(row.fee_limit_minor),
    inclusion: toInclusion(row),
    plannedAt: row.planned_at,
  }
}

export function toSpends(row: {
  readonly spent_asset: string | null
  readonly spent_contract: string | null
  readonly spent_minor: string | null
}): Proposal['spends'] {
  if (row.spent_asset === null) return undefined
  return { asset: row.spent_asset, contract: row.spent_contract, amountMinor: BigInt(row.spent_minor ?? 0) }
}

function toInclusion(row: PayoutRow): Inclusion | undefined {
  if (row.included_tx_hash === null) return undefined
  return {
    txHash: row.included_tx_hash,
    height: row.included_height ?? 0,
    blockHash: row.included_block_hash ?? '',
    isSuccess: row.is_success ?? false,
    feeMinor: BigInt(row.fee_minor ?? 0),
  }
}
