import sql from 'sql-template-tag'
import type { Queryable } from '../db/pool.ts'
import type { PayoutState } from './payout.ts'

export interface StateFigures {
  readonly network: string
  readonly state: PayoutState
  readonly count: number
  readonly oldestS: number
}

/** How many payouts that are not over stand where, and since when the oldest was planned. */
export function countOpen(on: Queryable): Promise<readonly StateFigures[]> {
  return on.query<StateFigures>(sql`
    select network, state, count(*)::int as count,
           extract(epoch from now() - min(planned_at))::float8 as "oldestS"
    from payout where state not in ('final', 'displaced')
    group by network, state order by network, state`)
}

/** A payout that the signer refused before anything was signed. */
export interface RefusedPayout {
  readonly payoutId: string
  readonly network: string
  readonly kind: string
  readonly code: string
  readonly detail: string
  readonly refusedAt: Date
}

export function readRefused(on: Queryable): Promise<readonly RefusedPayout[]> {
  return on.query<RefusedPayout>(sql`
    select payout_id as "payoutId", network, kind, code, detail, refused_at as "refusedAt"
    from payout_refusal order by refused_at, payout_id limit 1000`)
}
