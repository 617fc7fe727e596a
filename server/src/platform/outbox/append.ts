import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { piecesOf } from '../../core/pieces.ts'
import type { Tx } from '../db/transaction.ts'
import { countByMerchant, type NewEvent, numberEvents } from './event.ts'
import { eventFacts } from './event-facts.ts'
import { insertEvents, raiseCounters } from './store.ts'

/**
 * Writes events, each with one pending delivery, in the transaction that changes the state they tell of. Two round
 * trips, and one more for each further `rowsPerStatement` of them. The counters stay locked until the commit: a
 * merchant's events commit in the order of their numbers, and a rollback gives the numbers back. Append late in a
 * transaction to keep that short.
 * Merchants that are deleted are told nothing, and get no numbers.
 * @throws the database's unique violation of `event_subject_unique` when one of them was written before.
 */
export async function appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const lastSequences = await raiseCounters(tx, countByMerchant(events))
  const told = events.filter(({ merchantId }) => lastSequences.has(merchantId))
  const numbered = numberEvents(told, lastSequences, newId)
  for (const piece of piecesOf(numbered, limits.rowsPerStatement)) await insertEvents(tx, piece)
  for (const { id, merchantId, sequence, type } of numbered)
    tx.facts?.note(eventFacts, { id, merchantId, content: { sequence, type } })
}
