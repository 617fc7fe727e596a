/**
 * Makes withdrawals look older than they are, in every table that records when something happened to them.
 */
import sql from 'sql-template-tag'
import { tamper } from '../verify/tampering.ts'
import type { TestDatabase } from './database.ts'

/** Moves the times of the matching withdrawals, and of their audit entries, back by this many hours. */
export function ageWithdrawals(
  database: TestDatabase,
  hours: number,
  which: ReturnType<typeof sql>,
): Promise<void> {
  const by = sql`${hours} * interval '1 hour'`
  return tamper(database, [
    sql`
      update audit_entry set happened_at = happened_at - ${by}
      where action like 'withdrawal.%' and subject in (select id::text from withdrawal where ${which})`,
    sql`
      update withdrawal set created_at = created_at - ${by}, released_at = released_at - ${by},
        approved_at = approved_at - ${by}, planned_at = planned_at - ${by}, ended_at = ended_at - ${by}
      where ${which}`,
  ])
}
