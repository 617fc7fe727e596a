import { chunksOf } from '../../core/chunks.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import type { Tx } from '../db/transaction.ts'
import { countByMerchant, type NewEvent, numberEvents, storedSubject } from './event.ts'
import { eventFacts } from './event-facts.ts'
import { findSubjects, insertEvents, raiseCounters } from './store.ts'

/**
 * Writes events, each with one pending delivery, in the transaction that changes what the events report.
 * Takes two round trips, and one more for each further `rowsPerStatement` events.
 *
 * The counters of the merchants stay locked until the commit. A merchant's events therefore commit in the
 * order of their numbers, and a rollback frees the numbers. Call this late in a transaction to keep the locks
 * short. Deleted merchants get no events and no numbers.
 * @throws the database's unique violation of `event_subject_unique` if one of the events was written before
 */
export async function appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const lastSequences = await raiseCounters(tx, countByMerchant(events))
  const emitted = events.filter(({ merchantId }) => lastSequences.has(merchantId))
  const numbered = numberEvents(emitted, lastSequences, newId)
  for (const chunk of chunksOf(numbered, limits.rowsPerStatement)) await insertEvents(tx, chunk)
  for (const { id, merchantId, sequence, type } of numbered)
    tx.facts?.note(eventFacts, { id, merchantId, content: { sequence, type } })
}

/** Returns the events that were not written before. */
export async function withoutWritten(tx: Tx, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  const written = await findSubjects(tx, events.map(storedSubject))
  return events.filter((event) => !written.has(storedSubject(event)))
}
