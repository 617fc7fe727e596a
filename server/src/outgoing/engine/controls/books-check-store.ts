/** The time of the last complete check of the books. If the next check is overdue, nothing is planned. */
import sql from 'sql-template-tag'
import { required } from '../../../core/assert.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'

export interface BooksCheck {
  /** Seconds since the last complete check; undefined if the books were never checked. */
  readonly checkedSecondsAgo: number | undefined
  /** Whether the next check should have finished before now. */
  readonly isOverdue: boolean
}

export async function readBooksCheck(on: Queryable): Promise<BooksCheck> {
  const row = await one<{ seconds_ago: number | null; is_overdue: boolean }>(
    on,
    sql`select extract(epoch from coffer_now() - checked_at)::float8 as seconds_ago, due_at < coffer_now() as is_overdue
        from books_check`,
  )
  const { seconds_ago, is_overdue } = required(row, 'the row of the check of the books')
  return { checkedSecondsAgo: seconds_ago ?? undefined, isOverdue: is_overdue }
}

/**
 * Records that a check of the books finished just now, with or without violations. The next check is overdue
 * after `dueInMs`.
 */
export async function saveBooksCheck(on: Queryable, dueInMs: number): Promise<void> {
  await on.query(
    sql`update books_check set checked_at = coffer_now(), due_at = coffer_now() + ${dueInMs} * interval '1 millisecond'`,
  )
}
