/** What a transaction that is not mined offers next. */
import type { FeeLevel } from '../chains/port.ts'
import type { Fees } from './payout.ts'
import { greatest, least, type PricePolicy, pricePolicy } from './plan.ts'

/** After so many raises only an operator decides. */
export const bumpsMax = 6

/** A replacement offers at least an eighth more of both; nodes ask for a tenth (geth's txpool.pricebump). */
export function raised(minor: bigint): bigint {
  return (minor * 9n + 7n) / 8n
}

/** The next offer, at the same nonce; undefined where the ceiling leaves no room for one that nodes would take. */
export function bumped(
  { gas, maxFeeMinor, tipMinor }: Fees,
  level: FeeLevel,
  policy: PricePolicy = pricePolicy,
): Fees | undefined {
  const tip = greatest(raised(tipMinor), least(level.tipMinor, policy.tipMinorMax))
  const floor = raised(maxFeeMinor)
  if (floor > policy.maxFeeMinorMax || tip > policy.maxFeeMinorMax) return undefined
  const wanted = greatest(floor, 2n * level.baseFeeMinor + tip)
  return { gas, maxFeeMinor: greatest(least(wanted, policy.maxFeeMinorMax), tip), tipMinor: tip }
}
