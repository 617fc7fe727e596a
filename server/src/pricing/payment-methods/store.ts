import sql from 'sql-template-tag'
import type { Queryable } from '../../platform/db/pool.ts'
import type { DevToken } from './catalogue.ts'

/** Returns the test tokens on one dev chain, by default those on all dev chains. */
export function readDevTokens(on: Queryable, network?: string): Promise<readonly DevToken[]> {
  return on.query<DevToken>(sql`
    select network, symbol, contract from dev_token
    where network = ${network ?? null} or ${network ?? null}::text is null order by network, symbol`)
}

export async function saveDevTokens(on: Queryable, tokens: readonly DevToken[]): Promise<void> {
  await on.query(sql`
    insert into dev_token (network, symbol, contract)
    select network, symbol, contract
    from jsonb_to_recordset(${JSON.stringify(tokens)}::jsonb) as token (network text, symbol text, contract text)
    on conflict (network, symbol) do update set contract = excluded.contract`)
}
