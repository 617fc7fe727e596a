/** Which deposits are brought in now: a pure rule. */
import { divide, max } from '../../core/money.ts'
import { addressesPerSweep, type Deposited, type SweepGas, type SweepPolicy } from './sweep.ts'

/** What the rule looks at beside the deposits themselves; all of one asset on one network. */
export interface DueContext {
  readonly policy: SweepPolicy
  readonly now: Date
  readonly gas: SweepGas
  /** What a unit of gas costs now, in the coin's smallest unit. */
  readonly gasPriceMinor: bigint
  /** Whether that is low for this network. */
  readonly isCheap: boolean
  /** Whether a withdrawal waits for more of the asset than the lanes hold. */
  readonly isNeeded: boolean
  /** When an operator last asked that everything be brought in. */
  readonly orderedAt: Date | undefined
  /** The worth of an amount in the coin's smallest unit; undefined without prices. */
  worthOf(amountMinor: bigint): bigint | undefined
  /** The least that is collected for a merchant; of nobody's money: nothing. */
  minimumOf(merchantId: string | undefined): bigint
}

/** Why a deposit is brought in. */
export type DueReason = 'needed' | 'ordered' | 'aged' | 'worth it'

export interface Due {
  readonly deposited: Deposited
  readonly reason: DueReason
  /** Its share of the fee, in the coin's smallest unit. */
  readonly shareMinor: bigint
}

/**
 * Picks what one transaction brings in, dearest first; empty where nothing is worth its share of the fee, which falls as
 * more share it. A withdrawal that waits comes before the merchant's minimum, before waiting for others, and before a
 * collection's end; nothing comes before being worth the fee.
 */
export function pickDue(deposits: readonly Deposited[], context: DueContext): readonly Due[] {
  const ready = deposits.flatMap((deposited) => {
    const reason = reasonOf(deposited, context)
    return reason === undefined ? [] : [{ deposited, reason, stands: standingOf(deposited, reason, context) }]
  })
  const ordered = ready.toSorted(byStanding).slice(0, addressesPerSweep)
  const count = ordered.findLastIndex(({ stands }, place) => covers(stands, shareOf(context, place + 1))) + 1
  const shareMinor = count === 0 ? 0n : shareOf(context, count)
  const due = ordered.slice(0, count).map(({ deposited, reason }) => ({ deposited, reason, shareMinor }))
  return mayGo(due, context) ? due : []
}

/** As `pickDue` for as many transactions as it takes. */
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
 * From which amount on what lies on an address would be brought in for an order that waits; 0 where all of it would. What is
 * below covers no order: it would wait for money that stays where it is.
 */
export function spendFloorOf(deposits: readonly Deposited[], context: DueContext): bigint {
  const picked = pickAllDue(deposits, { ...context, isNeeded: true }).flat()
  const taken = new Set(picked.map(({ deposited }) => deposited.addressId))
  const left = deposits.filter(({ addressId }) => !taken.has(addressId))
  return left.reduce((floorMinor, { amountMinor }) => max(floorMinor, amountMinor + 1n), 0n)
}

/** What each of `count` addresses pays of one transaction. */
export function shareOf(
  { gas, gasPriceMinor }: Pick<DueContext, 'gas' | 'gasPriceMinor'>,
  count: number,
): bigint {
  return divide((gas.baseGas + gas.addressGas * BigInt(count)) * gasPriceMinor, BigInt(count), 'up')
}

function reasonOf(deposited: Deposited, context: DueContext): DueReason | undefined {
  const { merchantId, merchantMinor, confirmedAt, isCollecting } = deposited
  if (context.isNeeded) return 'needed'
  if (isCollecting || merchantMinor < context.minimumOf(merchantId)) return undefined
  if (context.orderedAt !== undefined && confirmedAt <= context.orderedAt) return 'ordered'
  return ageS(confirmedAt, context.now) >= context.policy.ageS ? 'aged' : 'worth it'
}

/** What an amount may cost at most; undefined: anything, since nobody knows what it is worth and it cannot wait. */
function standingOf(
  { amountMinor }: Deposited,
  reason: DueReason,
  { policy, worthOf }: DueContext,
): bigint | undefined {
  const worthMinor = worthOf(amountMinor)
  if (reason !== 'worth it') return worthMinor
  return worthMinor === undefined ? 0n : worthMinor / policy.worthFactor
}

function covers(standing: bigint | undefined, shareMinor: bigint): boolean {
  return standing === undefined || standing >= shareMinor
}

function byStanding(a: { stands: bigint | undefined }, b: { stands: bigint | undefined }): number {
  if (a.stands === b.stands) return 0
  if (a.stands === undefined) return -1
  if (b.stands === undefined) return 1
  return a.stands > b.stands ? -1 : 1
}

/** Those that nobody waits for wait for others, until one has waited long enough, the network is cheap or all places are taken. */
function mayGo(due: readonly Due[], { policy, now, isCheap }: DueContext): boolean {
  if (due.length === 0 || isCheap || due.length === addressesPerSweep) return true
  return due.some(
    ({ reason, deposited }) => reason !== 'worth it' || ageS(deposited.confirmedAt, now) >= policy.mergeS,
  )
}

function ageS(since: Date, now: Date): number {
  return (now.getTime() - since.getTime()) / 1000
}

/** Fee levels of so many hours are kept, and so many are needed to say what is low. */
export const feeHoursKept = 7 * 24
const feeHoursNeeded = 24

/** Whether a base fee is at most the middle of those of the last days. */
export function isCheap(baseFeeMinor: bigint, past: readonly bigint[]): boolean {
  if (past.length < feeHoursNeeded) return false
  const sorted = past.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return baseFeeMinor <= (sorted[Math.floor(sorted.length / 2)] ?? 0n)
}
