/**
 * Decides how much coin an address holds beyond the books. Pure. All amounts are in the coin's smallest unit, and
 * count what happened up to one final block.
 */
import { max, min, sum } from '../../core/money.ts'

/** What the books contain about the coin of one address. */
export interface CoinBooks {
  /** All deposits in blocks, whatever their state: also pending deposits and those in quarantine. */
  readonly bookedMinor: bigint
  /** What our own addresses sent to the address, such as top-ups. */
  readonly ownMinor: bigint
  /** What finished sweeps took from the address, also if it was not booked. */
  readonly sweptMinor: bigint
  /** The fees of the transactions that the address sent itself. */
  readonly feesMinor: bigint
}

/**
 * Returns how much the address received beyond the books. Never less than zero: an address that holds less than
 * the books say is reported by the solvency check.
 * @param beforeMinor the balance at the first followed block, which pays no invoice
 */
export function excessOf(balanceMinor: bigint, beforeMinor: bigint, books: CoinBooks): bigint {
  const { bookedMinor, ownMinor, sweptMinor, feesMinor } = books
  return max(0n, balanceMinor + sweptMinor + feesMinor - bookedMinor - ownMinor - beforeMinor)
}

/** Coin that a sweep took from the address beyond the deposits that it took. */
export interface SweptSurplus {
  readonly sweepId: string
  /** The height of the sweep's block. */
  readonly height: number
  readonly surplusMinor: bigint
}

/** An amount to book, at a block. `sweepId` is the sweep that has taken it; undefined if it is still there. */
export interface FoundAmount {
  readonly height: number
  readonly amountMinor: bigint
  readonly sweepId: string | undefined
}

/** The excess of an address at one block. */
export interface ExcessAt {
  readonly height: number
  readonly excessMinor: bigint
}

/**
 * Divides the excess of an address into amounts to book. What sweeps have taken is booked at the blocks of the
 * sweeps, because it no longer lies at the address. The rest is booked at the block of the pass.
 * @param surpluses what sweeps have taken, each with the excess at its block, lowest block first
 * @param last the excess at the block of the pass
 */
export function divideExcess(
  surpluses: readonly (SweptSurplus & { readonly excessMinor: bigint })[],
  last: ExcessAt,
): readonly FoundAmount[] {
  const found: FoundAmount[] = []
  const foundMinor = () => sum(found.map(({ amountMinor }) => amountMinor))
  for (const { sweepId, height, surplusMinor, excessMinor } of surpluses) {
    const amountMinor = min(surplusMinor, excessMinor - foundMinor())
    if (amountMinor > 0n) found.push({ height, amountMinor, sweepId })
  }
  const restMinor = last.excessMinor - foundMinor()
  return restMinor > 0n
    ? [...found, { height: last.height, amountMinor: restMinor, sweepId: undefined }]
    : found
}
