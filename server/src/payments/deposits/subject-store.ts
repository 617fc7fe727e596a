import sql, { raw, type Sql } from 'sql-template-tag'
import type { DepositSubject } from './journals.ts'

/** `subjectOf` in SQL, of a row that has a transaction's id and inclusion. */
export function subjectOfRow(about: DepositSubject, row: Sql): Sql {
  return sql`${raw(`'${about}:'`)} || ${row}.id || ':' || ${row}.inclusion`
}
