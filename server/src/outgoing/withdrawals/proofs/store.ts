/** Deposits that are credited and not yet proven by the payouts' own nodes. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { AddressHoldings, DepositFinding, UnprovenDeposit } from './proof.ts'

/** On which network, and after how many blocks one is taken as final; undefined where the chain itself says which are. */
export interface ProofScope {
  readonly network: string
  readonly finalDepth: number | undefined
}

export interface Unproven {
  readonly deposits: readonly UnprovenDeposit[]
  /** Of the final block at which balances are compared. */
  readonly finalHeight: number
}

interface UnprovenRow {
  readonly id: string
  readonly inclusion: number
  readonly transfer_key: string
  readonly tx_hash: string
  readonly asset: string
  readonly recipient: string
  readonly amount_minor: string
  readonly address_id: number | null
  readonly is_taken: boolean
  readonly block_height: number
  readonly block_hash: string
  readonly final_height: number
}

/** The oldest of a network in final blocks, but for those in quarantine and those whose next look has its time. */
export async function readUnproven(
  on: Queryable,
  { network, finalDepth }: ProofScope,
  max: number,
): Promise<Unproven> {
  const rows = await on.query<UnprovenRow>(
    named(
      'read-unproven-deposits',
      sql`
      with final as (
        select case when ${finalDepth ?? null}::integer is null then final_height
          else height - ${finalDepth ?? null}::integer + 1 end as height
        from chain_cursor where network = ${network}
      )
      select transaction.id, inclusion, transfer_key, transaction.tx_hash, asset, recipient, amount_minor, address_id,
        coalesce(sweep.state = 'done', false) as is_taken,
        transaction.block_height, transaction.block_hash, final.height as final_height
      from final
      join transaction on transaction.network = ${network} and transaction.block_height <= final.height
      left join sweep on sweep.id = sweep_id
      where transaction.state = 'confirmed' and proven_inclusion is distinct from inclusion
        and coalesce(quarantine, 'released') = 'released'
        and not exists (
          select from deposit_doubt doubt
          where doubt.transaction_id = transaction.id and doubt.inclusion = transaction.inclusion and retry_at > now())
      order by transaction.block_height, block_place limit ${max}`,
    ),
  )
  const deposits = rows.map(
    (row): UnprovenDeposit => ({
      id: row.id,
      inclusion: row.inclusion,
      transferKey: row.transfer_key,
      txHash: row.tx_hash,
      asset: row.asset,
      recipient: row.recipient,
      amountMinor: BigInt(row.amount_minor),
      addressId: row.address_id ?? undefined,
      isTaken: row.is_taken,
      height: row.block_height,
      blockHash: row.block_hash,
    }),
  )
  return { deposits, finalHeight: rows[0]?.final_height ?? -1 }
}

export interface AddressAsset {
  readonly addressId: number
  readonly address: string
  readonly asset: string
}

export type ExpectedHoldings = AddressAsset & Omit<AddressHoldings, 'heldMinor'>

/**
 * What the books say lies on addresses at a height: confirmed deposits that no final sweep has taken. Of the coin, less what
 * the address pays for its own transactions.
 */
export async function readExpected(
  on: Queryable,
  {
    network,
    coinAsset,
    height,
  }: { readonly network: string; readonly coinAsset: string; readonly height: number },
  places: readonly AddressAsset[],
): Promise<readonly ExpectedHoldings[]> {
  const rows = await on.query<{
    address_id: number
    address: string
    asset: string
    expected: string
    is_being_swept: boolean
  }>(
    named(
      'read-expected-holdings',
      sql`
      with wanted as (
        select * from unnest(
          ${places.map(({ addressId }) => addressId)}::bigint[], ${places.map(({ address }) => address)}::text[],
          ${places.map(({ asset }) => asset)}::text[]) as row (address_id, address, asset)
      ), open_sweep as (
        select id from sweep where network = ${network} and state not in ('done', 'dropped')
      ), lying as (
        select transaction.address_id, transaction.asset, amount_minor
        from wanted join transaction using (address_id, asset)
        where network = ${network} and sweep_id is null and state = 'confirmed'
          and block_height <= ${height} and not coalesce(aml_verdict = 'implausible' and quarantine <> 'released', false)
        union all
        select transaction.address_id, transaction.asset, amount_minor
        from open_sweep
        join transaction on sweep_id = open_sweep.id
        join wanted using (address_id, asset)
        where network = ${network} and state = 'confirmed' and block_height <= ${height}
      ), summed as (
        select address_id, asset, sum(amount_minor) as minor from lying group by address_id, asset
      )
      select address_id, address, asset,
        greatest(0, coalesce(summed.minor, 0) - case when asset = ${coinAsset} then (
          select coalesce(sum(coalesce(fee_minor, max_cost_minor)), 0) from payout
          where payout.network = ${network} and wallet = address and payout.state <> 'displaced') else 0 end) as expected,
        exists (
          select from swept_address join open_sweep on sweep_id = open_sweep.id
          where swept_address.address_id = wanted.address_id) as is_being_swept
      from wanted left join summed using (address_id, asset)`,
    ),
  )
  return rows.map((row) => ({
    addressId: row.address_id,
    address: row.address,
    asset: row.asset,
    expectedMinor: BigInt(row.expected),
    isBeingSwept: row.is_being_swept,
  }))
}

export interface FoundDeposit {
  readonly deposit: UnprovenDeposit
  readonly finding: DepositFinding
}

/** Soon, as nodes answer again and sweeps end; rarely where it would need the chain to change. */
const retryS = { unread: 5, false: 600 } as const

/**
 * Notes what was found of deposits that are still in the block they were looked at in. Rows are locked in the order in which
 * whoever follows the chain locks them.
 * @returns those that were not known to be false before
 */
export async function saveFindings(tx: Tx, found: readonly FoundDeposit[]): Promise<readonly FoundDeposit[]> {
  const locked = await tx.query<{ id: string; inclusion: number; block_hash: string | null }>(sql`
    select id, inclusion, block_hash from transaction
    where id = any(${found.map(({ deposit }) => deposit.id)}::uuid[])
    order by block_height, block_place for no key update`)
  const there = new Map(locked.map((row) => [row.id, `${row.inclusion} ${row.block_hash}`]))
  const current = found.filter(
    ({ deposit }) => there.get(deposit.id) === `${deposit.inclusion} ${deposit.blockHash}`,
  )
  await saveProven(tx, current)
  return saveDoubts(tx, current)
}

async function saveProven(tx: Tx, found: readonly FoundDeposit[]): Promise<void> {
  const ids = found.flatMap(({ deposit, finding }) => (finding.type === 'proven' ? [deposit.id] : []))
  if (ids.length === 0) return
  await tx.query(sql`update transaction set proven_inclusion = inclusion where id = any(${ids}::uuid[])`)
  await tx.query(sql`delete from deposit_doubt where transaction_id = any(${ids}::uuid[])`)
}

async function saveDoubts(tx: Tx, found: readonly FoundDeposit[]): Promise<readonly FoundDeposit[]> {
  const doubted = found.flatMap(({ deposit, finding }) =>
    finding.type === 'proven' ? [] : [{ deposit, finding }],
  )
  if (doubted.length === 0) return []
  const known = await tx.query<{ transaction_id: string; inclusion: number }>(sql`
    select transaction_id, inclusion from deposit_doubt
    where kind = 'false' and transaction_id = any(${doubted.map(({ deposit }) => deposit.id)}::uuid[])`)
  const wasFalse = new Set(known.map((row) => `${row.transaction_id} ${row.inclusion}`))
  await tx.query(sql`
    insert into deposit_doubt as doubt (transaction_id, inclusion, kind, detail, retry_at)
    select id, inclusion, kind, detail, now() + retry * interval '1 second'
    from unnest(
      ${doubted.map(({ deposit }) => deposit.id)}::uuid[], ${doubted.map(({ deposit }) => deposit.inclusion)}::integer[],
      ${doubted.map(({ finding }) => finding.type)}::text[], ${doubted.map(({ finding }) => finding.detail)}::text[],
      ${doubted.map(({ finding }) => retryS[finding.type])}::integer[]) as row (id, inclusion, kind, detail, retry)
    on conflict (transaction_id) do update
    set inclusion = excluded.inclusion, detail = excluded.detail, retry_at = excluded.retry_at,
      -- What was false stays so until it is proven, though nobody can be asked meanwhile.
      kind = case when doubt.inclusion = excluded.inclusion and doubt.kind = 'false' then 'false' else excluded.kind end,
      since = case when doubt.inclusion = excluded.inclusion then doubt.since else excluded.since end`)
  return doubted.filter(
    ({ deposit, finding }) => finding.type === 'false' && !wasFalse.has(`${deposit.id} ${deposit.inclusion}`),
  )
}
