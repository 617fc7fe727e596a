import sql from 'sql-template-tag'
import { broadcastEvent } from '../../src/outgoing/withdrawals/events.ts'
import { lockWithdrawals } from '../../src/outgoing/withdrawals/store.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import type { Shop } from './shop.ts'

/**
 * Marks pending withdrawals as broadcast and emits their events, as their outgoing transactions would.
 * Withdrawals that cannot be sent stay as they are.
 * @returns the ids of those that were sent by this call
 */
export async function sendWithdrawals(
  { db, methods }: Pick<Shop, 'db' | 'methods'>,
  ids: readonly string[],
  txHashOf: (id: string) => string = (id) => `0x${id}`,
): Promise<readonly string[]> {
  return inTransaction(db, async (tx) => {
    const rows = await tx.query<{ id: string }>(sql`
      update withdrawal set stage = 'broadcast', tx_hash = sent.tx_hash
      from unnest(${[...ids]}::uuid[], ${ids.map(txHashOf)}::text[]) as sent (id, tx_hash)
      where withdrawal.id = sent.id and state = 'pending' and withdrawal.tx_hash is null
      returning withdrawal.id`)
    const sentIds = rows.map(({ id }) => id)
    const sent = await lockWithdrawals(tx, sentIds)
    await appendEvents(
      tx,
      sent.map((withdrawal) => broadcastEvent(methods, withdrawal, new Date())),
    )
    return sentIds
  })
}
