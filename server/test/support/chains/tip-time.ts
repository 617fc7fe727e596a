import sql from 'sql-template-tag'
import type { Queryable } from '../../../src/platform/db/pool.ts'

/** Gives the last followed block of each chain this mining time. */
export async function setTipTime(on: Queryable, minedAt: Date): Promise<void> {
  await on.query(sql`
    insert into block (network, height, hash, parent_hash, mined_at)
    select network, height, hash, '', ${minedAt} from chain_cursor
    on conflict (network, height) do update set mined_at = excluded.mined_at`)
}
