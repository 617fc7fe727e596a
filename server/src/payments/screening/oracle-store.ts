/**
 * Stores recent answers of the on-chain oracles. Oracles are therefore not asked about the same address each
 * time.
 */
import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'

export interface OracleQuestion {
  readonly network: string
  readonly addresses: readonly string[]
}

/** Returns the stored answers by address, except those older than `maxAgeS` (seconds). */
export async function readAnswers(
  on: Queryable,
  { network, addresses }: OracleQuestion,
  maxAgeS: number,
): Promise<ReadonlyMap<string, boolean>> {
  const rows = await on.query<{ address: string; is_listed: boolean }>(sql`
    select address, is_listed from oracle_answer
    where network = ${network} and address = any(${[...addresses]})
      and asked_at > coffer_now() - ${maxAgeS} * interval '1 second'`)
  return new Map(rows.map((row) => [row.address, row.is_listed]))
}

/** Stores answers and deletes up to 1,000 answers that are older than a day. */
export async function saveAnswers(
  on: Queryable,
  network: string,
  answers: ReadonlyMap<string, boolean>,
): Promise<void> {
  await on.query(sql`
    with old as (
      delete from oracle_answer where (network, address) in (
        select network, address from oracle_answer where asked_at < coffer_now() - interval '1 day'
        order by asked_at, network, address limit 1000 for update skip locked
      ) and not (network = ${network} and address = any(${[...answers.keys()]}))
    )
    insert into oracle_answer (network, address, is_listed)
    select ${network}, address, said
    from unnest(${[...answers.keys()]}::text[], ${[...answers.values()]}::boolean[]) answer (address, said)
    order by address
    on conflict (network, address) do update set is_listed = excluded.is_listed, asked_at = excluded.asked_at`)
}
