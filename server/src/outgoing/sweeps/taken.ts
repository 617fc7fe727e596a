/** What a sweep that is final has taken, and which deposits that was: a pure rule. */

/** A deposit that lay on a swept address, or may have come too late. */
export interface SweptDeposit {
  readonly transactionId: string
  readonly addressId: number
  readonly asset: string
  readonly amountMinor: bigint
  /** Whether it is in a block up to the sweep's. */
  readonly isThere: boolean
  /** Whether it was to be taken by this sweep. */
  readonly isMarked: boolean
}

/** What left one address in one asset. */
export interface Taken {
  readonly addressId: number
  readonly asset: string
  readonly amountMinor: bigint
}

export interface TakenDeposits {
  readonly takenIds: readonly string[]
  /** Marked, and still where they were. */
  readonly leftIds: readonly string[]
  /** Where deposits were marked and nothing left. */
  readonly setbacks: readonly Pick<Taken, 'addressId' | 'asset'>[]
}

/**
 * An address is emptied in the order of the chain: what left it was its first deposits, those among them that came after
 * the sweep was planned too. What came later in the sweep's own block lies there still.
 * @param deposits in the order of the chain
 */
export function matchTaken(deposits: readonly SweptDeposit[], taken: readonly Taken[]): TakenDeposits {
  const leftToMatch = new Map(taken.map((one) => [placeOf(one), one.amountMinor]))
  const takenIds: string[] = []
  const leftIds: string[] = []
  const marked = new Map<string, SweptDeposit>()
  for (const deposit of deposits) {
    const place = placeOf(deposit)
    const rest = leftToMatch.get(place) ?? 0n
    if (deposit.isMarked && deposit.isThere) marked.set(place, deposit)
    if (deposit.isThere && deposit.amountMinor <= rest) {
      leftToMatch.set(place, rest - deposit.amountMinor)
      takenIds.push(deposit.transactionId)
    } else {
      // Whatever came after one that was not taken was not taken either.
      if (deposit.isThere) leftToMatch.set(place, 0n)
      if (deposit.isMarked) leftIds.push(deposit.transactionId)
    }
  }
  const emptied = new Set(taken.map(placeOf))
  const setbacks = [...marked.values()].filter((deposit) => !emptied.has(placeOf(deposit)))
  return { takenIds, leftIds, setbacks: setbacks.map(({ addressId, asset }) => ({ addressId, asset })) }
}

function placeOf({ addressId, asset }: Pick<Taken, 'addressId' | 'asset'>): string {
  return `${addressId}/${asset}`
}
