/** Decides which deposits are swept now. Everything here is pure. */
import { divide, max } from '../../core/money.ts'
import {
  type AddressedFee,
  addressesPerSweep,
  type Deposited,
  type SweepGas,
  type SweepPolicy,
} from './sweep.ts'

/** The facts that decide which deposits of one asset on one network are swept now. */
export interface DueContext {
  readonly policy: SweepPolicy
  readonly now: Date
  readonly gas: SweepGas
  /** The current cost of one unit of gas, in the coin's smallest unit. */
  readonly gasPriceMinor: bigint
  /** The current cost of the bytes of a sweep; undefined on networks that charge for gas alone. */
  readonly dataCost?: AddressedFee | undefined
  /** Whether the gas price is low for this network. */
  readonly isCheap: boolean
  /** Whether a withdrawal needs more of the asset than the hot wallets hold. */
  readonly isNeeded: boolean
  /** When an operator last ordered a sweep of all money on the network. */
  readonly orderedAt: Date | undefined
  /** Returns the worth of an amount in the coin's smallest unit. Returns undefined if a price is missing. */
  worthOf(amountMinor: bigint): bigint | undefined
  /**
   * Returns the smallest sum of a merchant's deposits that is swept; 0 for money that belongs to no merchant.
   */
  minimumOf(merchantId: string | undefined): bigint
}

/** Why a deposit is swept. */
export type DueReason = 'needed' | 'ordered' | 'aged' | 'worth it'

export interface Due {
  readonly deposited: Deposited
  readonly reason: DueReason
  /** The deposit's share of the network fee, in the coin's smallest unit. */
  readonly shareMinor: bigint
}

/**
 * Returns the deposits that one transaction is to sweep now; empty if no deposit is worth its share of the
 * network fee, or if the deposits wait for others to share the fee. The more addresses share the fee, the smaller each share. For each deposit, there is a highest
 * share at which it is swept (`acceptableCostOf`). The deposits with the highest limits come first. A deposit
 * whose worth is known is never swept if it is worth less than its share. If a withdrawal waits for the
 * asset, the merchant's minimum does not apply. The deposits then wait neither for other deposits nor for the
 * end of a `collect` invoice.
 */
export function pickDue(deposits: readonly Deposited[], context: DueContext): readonly Due[] {
  const ready = deposits.flatMap((deposited) => {
    const reason = reasonOf(deposited, context)
    return reason === undefined
      ? []
      : [{ deposited, reason, acceptableMinor: acceptableCostOf(deposited, reason, context) }]
  })
  const ordered = ready.toSorted(byAcceptableCost).slice(0, addressesPerSweep)
  const count =
    ordered.findLastIndex(({ acceptableMinor }, index) =>
      covers(acceptableMinor, shareOf(context, index + 1)),
    ) + 1
  const shareMinor = count === 0 ? 0n : shareOf(context, count)
  const due = ordered.slice(0, count).map(({ deposited, reason }) => ({ deposited, reason, shareMinor }))
  return mayGo(due, context) ? due : []
}

/** Returns the deposits to sweep now, one list for each transaction. Each list is a result of `pickDue`. */
export function pickAllDue(deposits: readonly Deposited[], context: DueContext): readonly (readonly Due[])[] {
  const picked: (readonly Due[])[] = []
  let rest = deposits
  for (;;) {
    const due = pickDue(rest, context)
    if (due.length === 0) return picked
    picked.push(due)
    const taken = new Set(due.map(({ deposited }) => deposited.addressId))
    rest = rest.filter(({ addressId }) => !taken.has(addressId))
  }
}

/**
 * Returns the smallest amount on an address that would be swept for a waiting withdrawal, or 0 if every
 * amount would be swept. A smaller amount must not cover a withdrawal, because the amount would stay on its
 * address.
 */
export function spendFloorOf(deposits: readonly Deposited[], context: DueContext): bigint {
  const picked = pickAllDue(deposits, { ...context, isNeeded: true }).flat()
  const taken = new Set(picked.map(({ deposited }) => deposited.addressId))
  const left = deposits.filter(({ addressId }) => !taken.has(addressId))
  return left.reduce((floorMinor, { amountMinor }) => max(floorMinor, amountMinor + 1n), 0n)
}

/** Returns the share of one transaction's fee that each of `count` addresses pays. */
export function shareOf(
  { gas, gasPriceMinor, dataCost }: Pick<DueContext, 'gas' | 'gasPriceMinor' | 'dataCost'>,
  count: number,
): bigint {
  const addresses = BigInt(count)
  const gasMinor = (gas.baseGas + gas.addressGas * addresses) * gasPriceMinor
  const dataMinor = dataCost === undefined ? 0n : dataCost.baseMinor + dataCost.addressMinor * addresses
  return divide(gasMinor + dataMinor, addresses, 'up')
}

function reasonOf(deposited: Deposited, context: DueContext): DueReason | undefined {
  const { merchantId, merchantMinor, confirmedAt, isCollecting } = deposited
  if (context.isNeeded) return 'needed'
  if (isCollecting || merchantMinor < context.minimumOf(merchantId)) return undefined
  if (context.orderedAt !== undefined && confirmedAt <= context.orderedAt) return 'ordered'
  return ageS(confirmedAt, context.now) >= context.policy.ageS ? 'aged' : 'worth it'
}

/**
 * Returns the highest share of the fee at which a deposit is swept. Undefined means any share: the worth of
 * the deposit is unknown, and the deposit cannot wait.
 */
function acceptableCostOf(
  { amountMinor }: Deposited,
  reason: DueReason,
  { policy, worthOf }: DueContext,
): bigint | undefined {
  const worthMinor = worthOf(amountMinor)
  if (reason !== 'worth it') return worthMinor
  return worthMinor === undefined ? 0n : worthMinor / policy.worthFactor
}

function covers(acceptableMinor: bigint | undefined, shareMinor: bigint): boolean {
  return acceptableMinor === undefined || acceptableMinor >= shareMinor
}

function byAcceptableCost(
  a: { acceptableMinor: bigint | undefined },
  b: { acceptableMinor: bigint | undefined },
): number {
  if (a.acceptableMinor === b.acceptableMinor) return 0
  if (a.acceptableMinor === undefined) return -1
  if (b.acceptableMinor === undefined) return 1
  return a.acceptableMinor > b.acceptableMinor ? -1 : 1
}

/**
 * Decides whether picked deposits are swept now. Deposits with the reason `worth it` wait for other deposits.
 * The wait ends when one deposit has waited long enough, the network is cheap or the transaction is full.
 */
function mayGo(due: readonly Due[], { policy, now, isCheap }: DueContext): boolean {
  if (due.length === 0 || isCheap || due.length === addressesPerSweep) return true
  return due.some(
    ({ reason, deposited }) => reason !== 'worth it' || ageS(deposited.confirmedAt, now) >= policy.mergeS,
  )
}

function ageS(since: Date, now: Date): number {
  return (now.getTime() - since.getTime()) / 1000
}

/** The number of hours for which fee levels are kept: a week. */
export const feeHoursKept = 7 * 24
/** The number of hourly fee levels that are needed to decide whether a fee is low. */
const feeHoursNeeded = 24

/**
 * Returns whether a base fee is at most the median of the past fee levels; false if there are too few levels.
 */
export function isCheap(baseFeePerGas: bigint, past: readonly bigint[]): boolean {
  if (past.length < feeHoursNeeded) return false
  const sorted = past.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return baseFeePerGas <= (sorted[Math.floor(sorted.length / 2)] ?? 0n)
}
