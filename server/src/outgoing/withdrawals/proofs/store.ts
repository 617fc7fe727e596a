/** Reads and updates deposits that are credited but not yet proven by the nodes of the role `payouts`. */
import sql from 'sql-template-tag'
import { named, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { AddressHoldings, DepositFinding, UnprovenDeposit } from './proof.ts'

/**
 * A network, and the number of blocks after which a block counts as final. The number is undefined if the
 * chain reports finality itself.
 */
export interface ProofScope {
  readonly network: string
  readonly finalDepth: number | undefined
}

export interface Unproven {
  readonly deposits: readonly UnprovenDeposit[]
  /** The height of the final block at which balances are compared. */
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

/**
 * Returns the oldest unproven deposits of a network in final blocks. Deposits in quarantine are left out, and
 * so are deposits whose retry time has not come.
 */
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
      select deposit.id, inclusion, transfer_key, deposit.tx_hash, asset, recipient, amount_minor, address_id,
        coalesce(sweep.state = 'done', false) as is_taken,
        deposit.block_height, deposit.block_hash, final.height as final_height
      from final
      join deposit on deposit.network = ${network} and deposit.block_height <= final.height
      left join sweep on sweep.id = sweep_id
      where deposit.state = 'confirmed' and proven_inclusion is distinct from inclusion
        and coalesce(quarantine, 'released') = 'released'
        and not exists (
          select from deposit_proof_failure failure
          where failure.deposit_id = deposit.id and failure.inclusion = deposit.inclusion and retry_at > coffer_now())
      order by deposit.block_height, block_position, deposit.id limit ${max}`,
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
 * Returns the amounts that addresses hold at a height according to the books: the sum of confirmed deposits
 * that no final sweep has taken. For the coin, the fees that an address pays for its own transactions are
 * subtracted.
 */
export async function readExpected(
  on: Queryable,
  {
    network,
    coinAsset,
    height,
  }: { readonly network: string; readonly coinAsset: string; readonly height: number },
  addressAssets: readonly AddressAsset[],
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
          ${addressAssets.map(({ addressId }) => addressId)}::bigint[], ${addressAssets.map(({ address }) => address)}::text[],
          ${addressAssets.map(({ asset }) => asset)}::text[]) as row (address_id, address, asset)
      ), open_sweep as (
        select id from sweep where network = ${network} and state not in ('done', 'dropped')
      ), lying as (
        select deposit.address_id, deposit.asset, amount_minor
        from wanted join deposit using (address_id, asset)
        where network = ${network} and sweep_id is null and state = 'confirmed'
          and block_height <= ${height} and not coalesce(aml_verdict = 'implausible' and quarantine <> 'released', false)
        union all
        select deposit.address_id, deposit.asset, amount_minor
        from open_sweep
        join deposit on sweep_id = open_sweep.id
        join wanted using (address_id, asset)
        where network = ${network} and state = 'confirmed' and block_height <= ${height}
      ), summed as (
        select address_id, asset, sum(amount_minor) as minor from lying group by address_id, asset
      )
      select address_id, address, asset,
        greatest(0, coalesce(summed.minor, 0) - case when asset = ${coinAsset} then (
          select coalesce(sum(coalesce(fee_minor, max_cost_minor)), 0) from outgoing_transaction
          join outgoing_evm evm on evm.outgoing_transaction_id = outgoing_transaction.id
          where evm.network = ${network} and evm.wallet = address and outgoing_transaction.state <> 'conflicted') else 0 end) as expected,
        exists (
          select from swept_address join open_sweep on sweep_id = open_sweep.id
          where swept_address.address_id = wanted.address_id) as is_being_swept
      from wanted left join summed using (address_id, asset)
      order by address_id, asset`,
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

/**
 * Number of seconds after which a deposit that was not proven is checked again. `unread`: the nodes did not
 * answer or a sweep was in progress, so the next check comes soon. `false`: the chain contradicts the
 * deposit, and only a change of the chain can correct that.
 */
const retryS = { unread: 5, false: 600 } as const

/**
 * Stores the result of the check of each deposit that is still in the block in which it was checked. Rows are
 * locked in the same order as the watcher locks them.
 * @returns the deposits that the chain contradicts now and did not contradict at an earlier check
 */
export async function saveFindings(tx: Tx, found: readonly FoundDeposit[]): Promise<readonly FoundDeposit[]> {
  const locked = await tx.query<{ id: string; inclusion: number; block_hash: string | null }>(sql`
    select id, inclusion, block_hash from deposit
    where id = any(${found.map(({ deposit }) => deposit.id)}::uuid[])
    order by block_height, block_position, id for no key update`)
  const there = new Map(locked.map((row) => [row.id, `${row.inclusion} ${row.block_hash}`]))
  const current = found.filter(
    ({ deposit }) => there.get(deposit.id) === `${deposit.inclusion} ${deposit.blockHash}`,
  )
  await saveProven(tx, current)
  return saveProofFailures(tx, current)
}

async function saveProven(tx: Tx, found: readonly FoundDeposit[]): Promise<void> {
  const ids = found.flatMap(({ deposit, finding }) => (finding.type === 'proven' ? [deposit.id] : []))
  if (ids.length === 0) return
  await tx.query(sql`update deposit set proven_inclusion = inclusion where id = any(${ids}::uuid[])`)
  await tx.query(sql`delete from deposit_proof_failure where deposit_id = any(${ids}::uuid[])`)
}

async function saveProofFailures(tx: Tx, found: readonly FoundDeposit[]): Promise<readonly FoundDeposit[]> {
  const failed = found.flatMap(({ deposit, finding }) =>
    finding.type === 'proven' ? [] : [{ deposit, finding }],
  )
  if (failed.length === 0) return []
  const known = await tx.query<{ deposit_id: string; inclusion: number }>(sql`
    select deposit_id, inclusion from deposit_proof_failure
    where kind = 'false' and deposit_id = any(${failed.map(({ deposit }) => deposit.id)}::uuid[])`)
  const wasFalse = new Set(known.map((row) => `${row.deposit_id} ${row.inclusion}`))
  await tx.query(sql`
    insert into deposit_proof_failure as failure (deposit_id, inclusion, kind, detail, retry_at)
    select id, inclusion, kind, detail, coffer_now() + retry * interval '1 second'
    from unnest(
      ${failed.map(({ deposit }) => deposit.id)}::uuid[], ${failed.map(({ deposit }) => deposit.inclusion)}::integer[],
      ${failed.map(({ finding }) => finding.type)}::text[], ${failed.map(({ finding }) => finding.detail)}::text[],
      ${failed.map(({ finding }) => retryS[finding.type])}::integer[]) as row (id, inclusion, kind, detail, retry)
    on conflict (deposit_id) do update
    set inclusion = excluded.inclusion, detail = excluded.detail, retry_at = excluded.retry_at,
      -- A false deposit stays false until it is proven, even if no node can be asked meanwhile.
      kind = case when failure.inclusion = excluded.inclusion and failure.kind = 'false' then 'false' else excluded.kind end,
      since = case when failure.inclusion = excluded.inclusion then failure.since else excluded.since end`)
  return failed.filter(
    ({ deposit, finding }) => finding.type === 'false' && !wasFalse.has(`${deposit.id} ${deposit.inclusion}`),
  )
}
