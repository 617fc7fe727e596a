/** A purpose of payouts for tests: wishes in a table, which note what they are told. */
import sql from 'sql-template-tag'
import type { PayoutPurpose, Proposal } from '../../src/outgoing/engine/purpose.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'
import { type Intent, intentText, readIntentText } from '../../src/signing/intent.ts'
import type { TestDatabase } from './database.ts'

export interface Wish {
  readonly id: string
  /** All that it was told of, in order. */
  readonly moves: readonly string[]
  readonly txHash: string | null
  /** Undefined until it is final. */
  readonly isSuccess: boolean | null
  readonly reason: string | null
}

export async function makeWishTable({ owner }: TestDatabase): Promise<void> {
  await owner.query(sql`
    create table if not exists wish (
      place bigint generated always as identity, id uuid primary key, intent text not null, spends text,
      moves text[] not null default '{}', tx_hash text, is_success boolean, reason text)`)
  await owner.query(sql`grant all on wish to public`)
}

export async function addWish(
  on: Queryable,
  wish: Pick<Proposal, 'id' | 'intent' | 'spends'>,
): Promise<void> {
  await on.query(sql`
    insert into wish (id, intent, spends) values (${wish.id}, ${intentText(wish.intent)}, ${intentText(wish.spends)})`)
}

export function readWishes(on: Queryable, ids: readonly string[]): Promise<readonly Wish[]> {
  return on.query<Wish>(sql`
    select id, moves, tx_hash as "txHash", is_success as "isSuccess", reason from wish
    where id = any(${[...ids]}::uuid[]) order by place`)
}

/** A wish that is not there, as in a database that was restored, is made anew. */
export const wishes: PayoutPurpose = {
  kinds: ['withdrawal', 'deploy', 'sweep', 'top_up', 'forward', 'rebalance'],
  propose: async (on, network, max) => {
    const rows = await on.query<{ id: string; intent: string; spends: string | null }>(
      sql`select id, intent, spends from wish where moves = '{}' order by place limit ${max}`,
    )
    return rows.map(({ id, intent, spends }) => ({
      id,
      network,
      intent: readIntentText(intent) as Intent,
      spends: spends === null ? undefined : (readIntentText(spends) as Proposal['spends']),
    }))
  },
  moved: async (tx, moves) => {
    for (const move of moves) {
      const { id, intent } = move.to === 'refused' ? move.proposal : move.payout
      const txHash = move.to === 'broadcast' ? move.txHash : null
      const success = move.to === 'final' ? move.inclusion.isSuccess : null
      const reason = move.to === 'refused' ? move.reason : null
      await tx.query(sql`
        insert into wish (id, intent, moves, tx_hash, is_success, reason)
        values (${id}, ${intentText(intent)}, array[${move.to}], ${txHash}, ${success}, ${reason})
        on conflict (id) do update set moves = wish.moves || excluded.moves,
          tx_hash = coalesce(excluded.tx_hash, wish.tx_hash), is_success = coalesce(excluded.is_success, wish.is_success),
          reason = excluded.reason`)
    }
  },
}
