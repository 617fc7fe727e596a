/**
 * An outgoing source for tests: transfer requests in a table, which records what the engine reports about
 * them.
 */
import sql from 'sql-template-tag'
import type { OutgoingSource, Proposal } from '../../src/outgoing/engine/outgoing-source.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'
import { type Intent, intentText, readIntentText } from '../../src/signing/intent.ts'
import type { TestDatabase } from './database.ts'

export interface TransferRequest {
  readonly id: string
  /** Every report of the engine, in order. */
  readonly moves: readonly string[]
  readonly txHash: string | null
  /** The outcome, or null until it is final. */
  readonly isSuccess: boolean | null
  readonly reason: string | null
}

export async function createTransferRequestTable({ owner }: TestDatabase): Promise<void> {
  await owner.query(sql`
    create table if not exists transfer_request (
      ordinal bigint generated always as identity, id uuid primary key, intent text not null, spends text,
      moves text[] not null default '{}', tx_hash text, is_success boolean, reason text)`)
  await owner.query(sql`grant all on transfer_request to public`)
}

export async function addTransferRequest(
  on: Queryable,
  transferRequest: Pick<Proposal, 'id' | 'intent' | 'spends'>,
): Promise<void> {
  await on.query(sql`
    insert into transfer_request (id, intent, spends) values (${transferRequest.id}, ${intentText(transferRequest.intent)}, ${intentText(transferRequest.spends)})`)
}

export function readTransferRequests(
  on: Queryable,
  ids: readonly string[],
): Promise<readonly TransferRequest[]> {
  return on.query<TransferRequest>(sql`
    select id, moves, tx_hash as "txHash", is_success as "isSuccess", reason from transfer_request
    where id = any(${[...ids]}::uuid[]) order by ordinal`)
}

/** The outgoing source. A request that is missing, as in a restored database, is created again. */
export const transferRequests: OutgoingSource = {
  kinds: ['withdrawal', 'deploy', 'sweep', 'top_up', 'direct_sweep', 'rebalance'],
  propose: async (on, network, max) => {
    const rows = await on.query<{ id: string; intent: string; spends: string | null }>(
      sql`select id, intent, spends from transfer_request where moves = '{}' order by ordinal limit ${max}`,
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
      const { id, intent } = move.to === 'refused' ? move.proposal : move.outgoingTransaction
      const txHash = move.to === 'broadcast' ? move.txHash : null
      const success = move.to === 'final' ? move.inclusion.isSuccess : null
      const reason = move.to === 'refused' ? move.reason : null
      await tx.query(sql`
        insert into transfer_request (id, intent, moves, tx_hash, is_success, reason)
        values (${id}, ${intentText(intent)}, array[${move.to}], ${txHash}, ${success}, ${reason})
        on conflict (id) do update set moves = transfer_request.moves || excluded.moves,
          tx_hash = coalesce(excluded.tx_hash, transfer_request.tx_hash), is_success = coalesce(excluded.is_success, transfer_request.is_success),
          reason = excluded.reason`)
    }
  },
}
