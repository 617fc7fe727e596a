import type { Tx } from '../../platform/db/transaction.ts'
import { retryAfterS } from './sweep.ts'
import { countSweepRetries, type SweepRetryKey, scheduleSweepRetries } from './sweep-retry-store.ts'

/**
 * Schedules retries for assets that a sweep could not move from their address, with growing delays. After the
 * last delay, only an operator can start another try.
 */
export async function recordSweepRetries(tx: Tx, retryKeys: readonly SweepRetryKey[]): Promise<void> {
  if (retryKeys.length === 0) return
  const counted = await countSweepRetries(tx, retryKeys)
  await scheduleSweepRetries(
    tx,
    counted.map((one) => ({ ...one, retryAfterS: retryAfterS(one.tries) ?? null })),
  )
}
