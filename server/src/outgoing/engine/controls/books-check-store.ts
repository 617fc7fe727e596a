/** When the books were last checked to the end: where that does not happen any more, no money leaves. */
import sql from 'sql-template-tag'
import { required } from '../../../core/assert.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'

export interface BooksCheck {
  /** Undefined where they never were. */
  readonly checkedSecondsAgo: number | undefined
  /** Whether the next check should have come to its end by now. */
  readonly isOverdue: boolean
}

export async function readBooksCheck(on: Queryable): Promise<BooksCheck> {
  const row = await one<{ seconds_ago: number | null; is_overdue: boolean }>(
    on,
    sql`select extract(epoch from now() - checked_at)::float8 as seconds_ago, due_at < now() as is_overdue
        from books_check`,
  )
  const { seconds_ago, is_overdue } = required(row, 'the row of the check of the books')
  return { checkedSecondsAgo: seconds_ago ?? undefined, isOverdue: is_overdue }
}

/** The books were checked just now, whatever was found; the next check is overdue after `dueInMs`. */
export async function saveBooksCheck(on: Queryable, dueInMs: number): Promise<void> {
  await on.query(
    sql`update books_check set checked_at = now(), due_at = now() + ${dueInMs} * interval '1 millisecond'`,
  )
}
