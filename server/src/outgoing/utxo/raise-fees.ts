import { required } from '../../core/assert.ts'
import { max } from '../../core/money.ts'
import { type Fees, raised } from '../engine/payout.ts'
import type { StoredPayout } from '../engine/store.ts'
import type { CoinParts } from './coin-parts.ts'
import { readInputs } from './coin-store.ts'
import { wantedBlocks } from './plan-coins.ts'
import { type PayoutInput, shapeOf } from './shape.ts'

/**
 * A dearer offer for each payout, with the same coins: what it costs more is taken from what comes back (BIP 125). Undefined
 * where nodes replace nothing, and where too little comes back.
 * @throws NodeError
 */
export async function raiseFees(
  { db, network, sender }: CoinParts,
  payouts: readonly StoredPayout[],
  signal: AbortSignal,
): Promise<readonly (Fees | undefined)[]> {
  const { chain } = network
  if (!chain.canReplace) return payouts.map(() => undefined)
  const { rateMinor } = await sender.readFeeRate(wantedBlocks, signal)
  const inputs = await readInputs(
    db,
    payouts.map(({ id }) => id),
  )
  return payouts.map((payout) =>
    raiseOf(payout, required(inputs.get(payout.id), 'its coins'), {
      rate: (rateMinor + 999n) / 1_000n,
      most: chain.feeRateMax / 1_000n,
      dustMinor: chain.dustMinor,
    }),
  )
}

/** Rates are for one virtual byte. What would be left below dust goes to the fee. */
export function raiseOf(
  payout: Pick<StoredPayout, 'intent' | 'from' | 'fees'>,
  inputs: readonly PayoutInput[],
  { rate, most, dustMinor }: { readonly rate: bigint; readonly most: bigint; readonly dustMinor: bigint },
): Fees | undefined {
  const { gas, maxFeeMinor, tipMinor } = payout.fees
  const wanted = max(raised(maxFeeMinor), rate)
  const backMinor = shapeOf(payout, inputs).change?.amountMinor ?? 0n
  const moreMinor = wanted * gas - tipMinor
  if (wanted > most || moreMinor > backMinor) return undefined
  if (backMinor - moreMinor >= dustMinor) return { gas, maxFeeMinor: wanted, tipMinor: wanted * gas }
  const feeMinor = tipMinor + backMinor
  return { gas, maxFeeMinor: (feeMinor + gas - 1n) / gas, tipMinor: feeMinor }
}
