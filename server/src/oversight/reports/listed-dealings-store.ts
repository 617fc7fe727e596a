/**
 * Finds deposits from, and withdrawals to, an address that is now on a sanctions list or that a sanctions
 * oracle named. Also finds those that happened before the address was listed.
 */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'

/** A deposit from, or a withdrawal to, a listed address. */
export interface ListedDealing {
  readonly merchantId: string | undefined
  readonly type: 'deposit' | 'withdrawal'
  /** The id of the deposit or of the withdrawal. */
  readonly id: string
  readonly paymentMethodId: number
  readonly address: string
  readonly amountMinor: bigint
  readonly state: string
  readonly at: Date
  /** The earliest time for which Coffer knows that the address was listed. */
  readonly listedAt: Date
}

interface DealingRow {
  readonly merchant_id: string | null
  readonly type: 'deposit' | 'withdrawal'
  readonly id: string
  readonly payment_method_id: number
  readonly address: string
  readonly amount_minor: string
  readonly state: string
  readonly at: Date
  readonly listed_at: Date
}

/** Returns up to `rows` deposits and withdrawals with a listed address, newest first. */
export async function readDealings(on: Queryable, rows: number): Promise<readonly ListedDealing[]> {
  const found = await on.query<DealingRow>(sql`
    with listed as (
      select address, min(listed_at) as listed_at from (
        select canonical as address, listed_at from sanctioned_address
        union all
        select address, asked_at from oracle_answer where is_listed
      ) named group by address
    )
    select * from (
      select merchant_id, 'deposit' as type, deposit.id, payment_method_id, sender as address, amount_minor,
        coalesce(quarantine, state) as state, deposit.created_at as at, listed_at
      from deposit join listed on listed.address = sender
      union all
      select merchant_id, 'withdrawal', withdrawal.id, payment_method_id, withdrawal.address, amount_minor,
        coalesce(stage, state), withdrawal.created_at, listed_at
      from withdrawal join listed on listed.address = withdrawal.address
    ) dealing
    order by at desc, id limit ${rows}`)
  return found.map((row) => ({
    merchantId: row.merchant_id ?? undefined,
    type: row.type,
    id: row.id,
    paymentMethodId: row.payment_method_id,
    address: row.address,
    amountMinor: BigInt(row.amount_minor),
    state: row.state,
    at: row.at,
    listedAt: row.listed_at,
  }))
}
