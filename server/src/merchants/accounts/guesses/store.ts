import sql from 'sql-template-tag'
import { newId } from '../../../core/ids.ts'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Guess, perSource, undecidedMaxS } from './guess.ts'

export interface NewGuess {
  readonly source: string
  readonly subjectHash: Buffer
  readonly accountId: string | undefined
}

/** Nobody else of the source is let in to guess until the transaction ends. */
export async function lockSource(tx: Tx, source: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`coffer/guess/${source}`}, 0))`)
}

/** The source's guesses that still count, the newest first. */
export function readGuesses(
  on: Queryable,
  { source, subjectHash }: Pick<NewGuess, 'source' | 'subjectHash'>,
): Promise<readonly Guess[]> {
  return on.query<Guess>(sql`
    select extract(epoch from clock_timestamp() - made_at)::float8 as "ageS",
      subject_hash = ${subjectHash} as "isSameSubject", failed_at is not null as "hasFailed"
    from guess
    where source = ${source} and made_at > now() - ${perSource.windowS} * interval '1 second'
      and (failed_at is not null or made_at > now() - ${undecidedMaxS} * interval '1 second')
    order by made_at desc`)
}

/** Notes a guess as undecided, and clears away some that no longer count. Returns its id. */
export async function insertGuess(tx: Tx, { source, subjectHash, accountId }: NewGuess): Promise<string> {
  const id = newId()
  await tx.query(sql`
    with gone as (
      delete from guess where id in (
        select id from guess where made_at < now() - ${perSource.windowS} * interval '1 second'
        limit 100 for update skip locked
      )
    )
    insert into guess (id, source, subject_hash, account_id)
    values (${id}, ${source}, ${subjectHash}, ${accountId ?? null})`)
  return id
}

/** Notes that a guess was wrong; returns how many wrong ones of the last hour are about the same account. */
export async function failGuess(on: Queryable, id: string): Promise<number> {
  const row = await one<{ failures: number }>(
    on,
    sql`
      with failed as (update guess set failed_at = now() where id = ${id} returning account_id)
      select count(*) + 1 as failures from failed join guess using (account_id)
      where failed_at is not null and made_at > now() - ${perSource.windowS} * interval '1 second'`,
  )
  return row?.failures ?? 0
}

/** Forgets a guess that came to nothing. */
export async function deleteGuess(on: Queryable, id: string): Promise<void> {
  await on.query(sql`delete from guess where id = ${id}`)
}

/**
 * Forgets what a source guessed at one thing: it turned out to know it. The account must agree as well: other emails
 * with the same bytes of a hash are easily found.
 */
export async function deleteGuesses(
  on: Queryable,
  { source, subjectHash, accountId }: NewGuess,
): Promise<void> {
  await on.query(sql`
    delete from guess
    where source = ${source} and subject_hash = ${subjectHash} and account_id is not distinct from ${accountId ?? null}`)
}
