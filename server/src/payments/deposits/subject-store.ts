import sql, { raw, type Sql } from 'sql-template-tag'
import type { DepositSubject } from './journals.ts'

/** Returns SQL for the text of `subjectOf`, from the columns `id` and `inclusion` of `row`. */
export function subjectOfRow(about: DepositSubject, row: Sql): Sql {
  return sql`${raw(`'${about}:'`)} || ${row}.id || ':' || ${row}.inclusion`
}
