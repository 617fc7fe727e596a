/** What the signer refused for its price: when it is tried again. */
import { assertLease } from '../../../platform/db/lease.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { SignerAwayError } from '../../../signing/signer-port.ts'
import type { Refused } from '../check-answers.ts'
import type { PayoutParts } from '../machine.ts'
import type { MachineMemory } from '../machine-memory.ts'
import { type Fees, maxCostMinor } from '../payout.ts'
import { feeMaxMinor } from '../signer-client/attested-limits.ts'
import type { PayoutWay } from '../way.ts'
import { retryOverLimit } from './refusal-store.ts'

/** Limits over 24 hours pass; what is above them is tried again as often, and earlier where the price falls. */
export const overLimitRetryS = 600

/**
 * Has what the signer refused for its price tried again once the network asks for less, by an eighth or more.
 * @throws NodeError
 */
export async function retryCheaper(
  { db, network, way }: PayoutParts,
  memory: MachineMemory,
  signal: AbortSignal,
): Promise<void> {
  const { refusedPrice } = memory
  if (refusedPrice === undefined) return
  const priceMinor = await way.readPrice?.(signal)
  const isCheaper = priceMinor !== undefined && 8n * priceMinor <= 7n * refusedPrice.maxFeeMinor
  if (!isCheaper && performance.now() < refusedPrice.untilMs) return
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await retryOverLimit(tx, network.name)
  })
  memory.refusedPrice = undefined
}

/**
 * After a refusal the signer is asked what it allows now. What is above that by itself is planned within it from then on; all
 * else that was refused has used up a day's limit at its price.
 */
export async function noteOverLimit(
  way: Pick<PayoutWay, 'attest'>,
  memory: MachineMemory,
  refused: readonly Refused[],
): Promise<void> {
  const over = refused.filter(([, { code }]) => code === 'over-limit')
  if (over.length === 0) return
  await attestAgain(way, memory)
  for (const [{ network, intent, fees }] of over) {
    if (isAbove(fees, feeMaxMinor(memory.limits, network))) continue
    const ofSweep = intent.kind === 'sweep' || memory.refusedPrice?.ofSweep === true
    const untilMs = performance.now() + overLimitRetryS * 1_000
    memory.refusedPrice = { maxFeeMinor: fees.maxFeeMinor, untilMs, ofSweep }
  }
}

/** What was signed meanwhile is kept, whatever becomes of the question. */
async function attestAgain(way: Pick<PayoutWay, 'attest'>, memory: MachineMemory): Promise<void> {
  try {
    await way.attest(memory)
  } catch (error) {
    if (!(error instanceof SignerAwayError)) throw error
    memory.isAttested = false
  }
}

/** Whether a transaction can cost more than it may; undefined: as much as it wants. */
export function isAbove(fees: Fees, mostMinor: bigint | undefined): boolean {
  return mostMinor !== undefined && maxCostMinor(fees) > mostMinor
}
