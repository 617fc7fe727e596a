/** Decides when transactions that the signer refused because of their cost are tried again. */
import { monotonicMs } from '../../../core/clock.ts'
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { SignerAwayError } from '../../../signing/signer-port.ts'
import type { Refused } from '../check-answers.ts'
import type { EngineMemory } from '../engine-memory.ts'
import type { EngineParts } from '../engine-parts.ts'
import type { FamilyStrategy } from '../family-strategy.ts'
import { type Fees, maxCostMinor, unitPriceMinor } from '../outgoing-transaction.ts'
import { feeMaxMinor } from '../signer-client/attested-limits.ts'
import { retryOverLimit } from './refusal-store.ts'

/**
 * Seconds until a transaction that exceeded a limit of the signer is tried again. A later try may succeed,
 * because some limits cover 24 hours. If the price falls, the transaction is tried earlier.
 */
export const overLimitRetryS = 600

/**
 * Sets the retry time to now for transactions that the signer refused because of a limit. Does so only if the
 * network's price is at least one eighth lower, or if `overLimitRetryS` has passed since the refusal.
 * @throws NodeError if a node does not answer
 */
export async function retryCheaper(
  { db, network, strategy }: EngineParts,
  memory: EngineMemory,
  signal: AbortSignal,
): Promise<void> {
  const { refusedPrice } = memory
  if (refusedPrice === undefined) return
  const priceMinor = await strategy.readPrice?.(signal)
  const isCheaper = priceMinor !== undefined && 8n * priceMinor <= 7n * refusedPrice.unitPriceMinor
  if (!isCheaper && monotonicMs() < refusedPrice.untilMs) return
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await retryOverLimit(tx, network.name)
  })
  memory.refusedPrice = undefined
}

/**
 * Asks the signer for its current limits if the signer refused a transaction because of a limit, or because its policy
 * does not allow it. Planning then keeps within the limit for one transaction, and waits if the policy is for
 * transactions of another type. If a transaction above a limit was within the limit for one transaction, it must
 * have exceeded the limit for 24 hours. Its price is then stored, because the transaction may succeed at a
 * lower price.
 */
export async function noteLimits(
  strategy: Pick<FamilyStrategy, 'attest'>,
  memory: EngineMemory,
  refused: readonly Refused[],
): Promise<void> {
  const over = refused.filter(([, { code }]) => code === 'over-limit')
  if (over.length === 0 && refused.every(([, { code }]) => code !== 'not-allowed')) return
  await attestAgain(strategy, memory)
  for (const [{ network, intent, fees }] of over) {
    if (isAbove(fees, feeMaxMinor(memory.limits, network))) continue
    const ofSweep = intent.kind === 'sweep' || memory.refusedPrice?.ofSweep === true
    const untilMs = monotonicMs() + overLimitRetryS * 1_000
    memory.refusedPrice = { unitPriceMinor: unitPriceMinor(fees), untilMs, ofSweep }
  }
}

/**
 * Asks the signer to attest again. If the signer does not answer, no error is thrown, so that the caller can
 * store the bytes that the signer has just signed.
 */
async function attestAgain(strategy: Pick<FamilyStrategy, 'attest'>, memory: EngineMemory): Promise<void> {
  try {
    await strategy.attest(memory)
  } catch (error) {
    if (!(error instanceof SignerAwayError)) throw error
    memory.isAttested = false
  }
}

/**
 * Returns true if a transaction can cost more than `mostMinor`; if `mostMinor` is undefined, returns false.
 */
export function isAbove(fees: Fees, mostMinor: bigint | undefined): boolean {
  return mostMinor !== undefined && maxCostMinor(fees) > mostMinor
}
