/** Time that passes for withdrawals, in every place that tells when something was. */
import sql from 'sql-template-tag'
import { tamper } from '../verify/tampering.ts'
import type { TestDatabase } from './database.ts'

/** Moves all that happened to some withdrawals so many hours back, with what the audit log says of it. */
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
