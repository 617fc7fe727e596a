import sql from 'sql-template-tag'
import type { Queryable } from '../../../platform/db/pool.ts'
import type { OutgoingTransactionState } from '../outgoing-transaction.ts'

export interface StateFigures {
  readonly network: string
  readonly state: OutgoingTransactionState
  readonly count: number
  readonly oldestS: number
}

/**
 * Returns the number of open transactions by network and state. `oldestS` is the age in seconds of the oldest
 * of these transactions.
 */
export function countOpen(on: Queryable): Promise<readonly StateFigures[]> {
  return on.query<StateFigures>(sql`
    select network, state, count(*)::int as count,
           extract(epoch from coffer_now() - min(planned_at))::float8 as "oldestS"
    from outgoing_transaction where state not in ('final', 'conflicted')
    group by network, state order by network, state`)
}

/** The maximum number of refused transactions in a list, because nobody reads more. */
const refusedRowsMax = 1000

/** An outgoing transaction that the signer refused before anything was signed for it. */
export interface RefusedOutgoingTransaction {
  readonly outgoingTransactionId: string
  readonly network: string
  readonly kind: string
  readonly code: string
  readonly detail: string
  readonly refusedAt: Date
  /** When the transaction is tried again; undefined if an operator must decide. */
  readonly retryAt: Date | undefined
}

/** Returns refused transactions, the oldest refusal first. */
export async function readRefused(on: Queryable): Promise<readonly RefusedOutgoingTransaction[]> {
  const rows = await on.query<
    Omit<RefusedOutgoingTransaction, 'retryAt'> & { readonly retryAt: Date | null }
  >(sql`
    select outgoing_transaction_id as "outgoingTransactionId", network, kind, code, detail, refused_at as "refusedAt", retry_at as "retryAt"
    from outgoing_refusal order by refused_at, outgoing_transaction_id limit ${refusedRowsMax}`)
  return rows.map(({ retryAt, ...row }) => ({ ...row, retryAt: retryAt ?? undefined }))
}
