import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { PayoutState } from '../payout.ts'

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

/** More than anybody reads. */
const refusedRowsMax = 1000

/** A payout that the signer refused before anything was signed. */
export interface RefusedPayout {
  readonly payoutId: string
  readonly network: string
  readonly kind: string
  readonly code: string
  readonly detail: string
  readonly refusedAt: Date
  /** When it is tried again; undefined where it waits for an operator's word. */
  readonly retryAt: Date | undefined
}

/** The oldest first. */
export async function readRefused(on: Queryable): Promise<readonly RefusedPayout[]> {
  const rows = await on.query<Omit<RefusedPayout, 'retryAt'> & { readonly retryAt: Date | null }>(sql`
    select payout_id as "payoutId", network, kind, code, detail, refused_at as "refusedAt", retry_at as "retryAt"
    from payout_refusal order by refused_at, payout_id limit ${refusedRowsMax}`)
  return rows.map(({ retryAt, ...row }) => ({ ...row, retryAt: retryAt ?? undefined }))
}
