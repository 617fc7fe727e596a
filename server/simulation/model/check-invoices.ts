/** Compares the states of invoices with the payments on the chain. */
import { type FullAmounts, fullAmountsOf } from '../prices/valuation.ts'
import type { ModelAsset } from './asset.ts'
import type { CheckedWorld } from './checked-world.ts'
import { invoiceLifetimeMs, isOf, type ShownAddress } from './model.ts'
import { paymentTimesOn, type TimeOf } from './payment-times.ts'
import { shareOf, whole } from './share.ts'
import type { TrueTransfer } from './true-transfer.ts'

export interface InvoiceAnswers {
  /** The states of the invoices that are not deleted. */
  readonly states: ReadonlyMap<string, string>
  /** The time of the comparison. */
  readonly nowMs: number
}

/** Time after the end of an invoice in which the service notices it. */
const noticedMs = 60_000
/** A smaller part of the amount does not pay an invoice. The amount that a payer sees is rounded up. */
export const neededPercent = 95n

/**
 * Checks that an invoice is paid if the whole amount was mined before its end, and expires if less than 95 % of it
 * may count. Each payment counts at its own price (`prices/valuation.ts`). Both states are accepted in between, and on
 * UTXO networks for late payments, because the model does not know when a node first had them. Invoices with a payment
 * of a listed sender are not checked, because such a payment counts only after its release.
 */
export function findWrongStates(world: CheckedWorld, { states, nowMs }: InvoiceAnswers): readonly string[] {
  return rightStates(world, nowMs).flatMap(({ shown, asset, right }) => {
    const state = states.get(shown.invoiceId)
    if (state === undefined || right.includes(state)) return []
    return [
      `an invoice for ${shown.amountMinor} ${asset.name} is ${state}, and should be ${right.join(' or ')}`,
    ]
  })
}

/**
 * Checks that no event reports an invoice as expired if blocks that were mined before its end contain its whole amount.
 * These blocks existed when the invoice ended, even if the service had not booked them yet. Do not call this function
 * if nodes fork, because they can hide such blocks for a time.
 * @param reported the invoices that were reported as expired, and are not deleted
 */
export function findWronglyExpired(
  world: CheckedWorld,
  reported: ReadonlySet<string>,
  nowMs: number,
): readonly string[] {
  return rightStates(world, nowMs)
    .filter(({ shown, right }) => reported.has(shown.invoiceId) && right.every((state) => state === 'paid'))
    .map(
      ({ shown, asset }) =>
        `an invoice for ${shown.amountMinor} ${asset.name} was told as expired, although it was paid in time`,
    )
}

interface RightState {
  readonly shown: ShownAddress
  readonly asset: ModelAsset
  /** The states that the invoice may have. */
  readonly right: readonly string[]
}

/** Returns the states that invoices may have, except those with a payment of a listed sender. */
function rightStates(world: CheckedWorld, nowMs: number): readonly RightState[] {
  const { model, assets, chains, transfers } = world
  const timesOf = new Map(chains.map((chain) => [chain.network, paymentTimesOn(chain)]))
  return model.shown.flatMap((shown) => {
    const asset = assets.find(({ methodId }) => methodId === shown.methodId)
    const timeOf = asset && timesOf.get(asset.network)
    const paid = transfers.filter(({ recipient, isFromUs }) => recipient === shown.address && !isFromUs)
    const isListed = paid.some(({ sender }) => model.listed.has(sender))
    if (asset === undefined || timeOf === undefined || isListed) return []
    const right = statesOf(shown, {
      own: paid.filter((transfer) => isOf(asset, transfer)),
      timeOf,
      fullAmounts: (transfer) => fullAmountsOf(model, asset, shown, timeOf(transfer)),
      nowMs,
    })
    return [{ shown, asset, right }]
  })
}

interface Payments {
  readonly own: readonly TrueTransfer[]
  readonly timeOf: TimeOf
  /** The amounts that could pay the whole invoice at the price of a transfer. */
  fullAmounts(transfer: TrueTransfer): FullAmounts
  readonly nowMs: number
}

/** Returns the states that an invoice may have. Its end lies between two times, because its creation took time. */
function statesOf(
  { requestedMs, answeredMs }: ShownAddress,
  { own, timeOf, fullAmounts, nowMs }: Payments,
): readonly string[] {
  const endsMs = requestedMs + invoiceLifetimeMs
  const endedMs = answeredMs + invoiceLifetimeMs
  const inTime = own.filter((one) => timeOf(one).toMs < endsMs)
  // Each share is rounded down.
  const paid = shareOf(inTime, (one) => fullAmounts(one).mostMinor) + BigInt(inTime.length)
  if (paid >= whole) return ['paid']
  const mayCount =
    shareOf(
      own.filter((one) => timeOf(one).fromMs < endedMs),
      (one) => fullAmounts(one).leastMinor,
    ) *
      100n >=
    whole * neededPercent
  const unpaid =
    nowMs < endsMs ? ['pending'] : nowMs < endedMs + noticedMs ? ['pending', 'expired'] : ['expired']
  return mayCount ? ['paid', ...unpaid] : unpaid
}
