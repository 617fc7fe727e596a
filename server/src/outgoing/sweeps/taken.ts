/** Decides which deposits a final sweep has taken. Everything here is pure. */

/** A deposit on a swept address. The deposit may have come after the sweep. */
export interface SweptDeposit {
  readonly depositId: string
  readonly addressId: number
  readonly asset: string
  readonly amountMinor: bigint
  /** Whether the deposit is in the sweep's block or an earlier one. */
  readonly isThere: boolean
  /** Whether the sweep was planned to take the deposit. */
  readonly isMarked: boolean
}

/** The amount of one asset that left one address. */
export interface Taken {
  readonly addressId: number
  readonly asset: string
  readonly amountMinor: bigint
}

export interface TakenDeposits {
  readonly takenIds: readonly string[]
  /** Deposits that were marked for the sweep and are still on their address. */
  readonly leftIds: readonly string[]
  /**
   * Assets on addresses for which the sweep must be retried. Their deposits were marked, but nothing left the
   * address.
   */
  readonly retries: readonly Pick<Taken, 'addressId' | 'asset'>[]
}

/**
 * Matches the amount that left each address with the deposits on the address, in chain order. The sweep took
 * the first deposits, including deposits that came after it was planned. Deposits that came after the sweep,
 * but in the same block, are still on their address.
 * @param deposits in chain order
 */
export function matchTaken(deposits: readonly SweptDeposit[], taken: readonly Taken[]): TakenDeposits {
  const leftToMatch = new Map(taken.map((one) => [holdingKeyOf(one), one.amountMinor]))
  const takenIds: string[] = []
  const leftIds: string[] = []
  const marked = new Map<string, SweptDeposit>()
  for (const deposit of deposits) {
    const index = holdingKeyOf(deposit)
    const rest = leftToMatch.get(index) ?? 0n
    if (deposit.isMarked && deposit.isThere) marked.set(index, deposit)
    if (deposit.isThere && deposit.amountMinor <= rest) {
      leftToMatch.set(index, rest - deposit.amountMinor)
      takenIds.push(deposit.depositId)
    } else {
      // If the sweep did not take a deposit, it did not take any later deposit on the address either.
      if (deposit.isThere) leftToMatch.set(index, 0n)
      if (deposit.isMarked) leftIds.push(deposit.depositId)
    }
  }
  const emptied = new Set(taken.map(holdingKeyOf))
  const retries = [...marked.values()].filter((deposit) => !emptied.has(holdingKeyOf(deposit)))
  return { takenIds, leftIds, retries: retries.map(({ addressId, asset }) => ({ addressId, asset })) }
}

function holdingKeyOf({ addressId, asset }: Pick<Taken, 'addressId' | 'asset'>): string {
  return `${addressId}/${asset}`
}
