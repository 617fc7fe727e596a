import type { Tx } from '../../platform/db/transaction.ts'
import { raiseSetbacks, type SetbackPlace, scheduleRetries } from './setback-store.ts'
import { retryAfterS } from './sweep.ts'

/** Lets what could not be taken rest, longer each time; after some times until an operator asks. */
export async function recordSetbacks(tx: Tx, places: readonly SetbackPlace[]): Promise<void> {
  if (places.length === 0) return
  const raised = await raiseSetbacks(tx, places)
  await scheduleRetries(
    tx,
    raised.map((one) => ({ ...one, retryAfterS: retryAfterS(one.tries) ?? null })),
  )
}
