import sql from 'sql-template-tag'
import { newId } from '../../../core/ids.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type LoginAttempt, perSource, undecidedMaxS } from './login-attempt.ts'

export interface NewLoginAttempt {
  readonly source: string
  readonly subjectHash: Buffer
  readonly accountId: string | undefined
}

/** Blocks other checks of the same source until the transaction ends. */
export async function lockSource(tx: Tx, source: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`coffer/login_attempt/${source}`}, 0))`)
}

/** Returns the source's attempts that still count, newest first. */
export function readLoginAttempts(
  on: Queryable,
  { source, subjectHash }: Pick<NewLoginAttempt, 'source' | 'subjectHash'>,
): Promise<readonly LoginAttempt[]> {
  return on.query<LoginAttempt>(sql`
    select extract(epoch from coffer_clock() - made_at)::float8 as "ageS",
      subject_hash = ${subjectHash} as "isSameSubject", failed_at is not null as "hasFailed"
    from login_attempt
    where source = ${source} and made_at > coffer_now() - ${perSource.windowS} * interval '1 second'
      and (failed_at is not null or made_at > coffer_now() - ${undecidedMaxS} * interval '1 second')
    order by made_at desc`)
}

/** Stores an attempt without outcome and returns its id. Deletes up to 100 attempts that no longer count. */
export async function insertLoginAttempt(
  tx: Tx,
  { source, subjectHash, accountId }: NewLoginAttempt,
): Promise<string> {
  const id = newId()
  await tx.query(sql`
    with gone as (
      delete from login_attempt where id in (
        select id from login_attempt where made_at < coffer_now() - ${perSource.windowS} * interval '1 second'
        order by made_at, id limit 100 for update skip locked
      )
    )
    insert into login_attempt (id, source, subject_hash, account_id)
    values (${id}, ${source}, ${subjectHash}, ${accountId ?? null})`)
  return id
}

/** Marks an attempt as wrong. Returns the number of wrong attempts on the same account in the last hour. */
export async function failLoginAttempt(on: Queryable, id: string): Promise<number> {
  const row = await one<{ failures: number }>(
    on,
    sql`
      with failed as (update login_attempt set failed_at = coffer_now() where id = ${id} returning account_id)
      select count(*) + 1 as failures from failed join login_attempt using (account_id)
      where failed_at is not null and made_at > coffer_now() - ${perSource.windowS} * interval '1 second'`,
  )
  return row?.failures ?? 0
}

/** Deletes an attempt that ended with an error. */
export async function deleteLoginAttempt(on: Queryable, id: string): Promise<void> {
  await on.query(sql`delete from login_attempt where id = ${id}`)
}

/**
 * Deletes a source's attempts on one subject after a successful attempt. Subjects, such as emails, are stored
 * as truncated hashes, and an attacker can easily find another email with the same truncated hash. The
 * account must therefore match too.
 */
export async function deleteLoginAttempts(
  on: Queryable,
  { source, subjectHash, accountId }: NewLoginAttempt,
): Promise<void> {
  await on.query(sql`
    delete from login_attempt
    where source = ${source} and subject_hash = ${subjectHash} and account_id is not distinct from ${accountId ?? null}`)
}
