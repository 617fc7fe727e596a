/** What of all that is held is the operator's own, and how much of it may leave. Everything here is pure. */
import { max, min } from '../../core/money.ts'

/** The accounts of the books from which an operator takes money out. */
export const takeOutSources = ['capital', 'fees', 'forfeited'] as const
export type TakeOutSource = (typeof takeOutSources)[number]

/** One asset in the books, all in its smallest unit and on each account's normal side. */
export interface AssetBooks {
  readonly asset: string
  readonly custodyMinor: bigint
  readonly availableMinor: bigint
  readonly heldMinor: bigint
  readonly quarantineMinor: bigint
  readonly belowMinimumMinor: bigint
  readonly unattributedMinor: bigint
  readonly capitalMinor: bigint
  readonly feesMinor: bigint
  readonly networkFeesMinor: bigint
  readonly forfeitedMinor: bigint
  /** What merchants owe. */
  readonly suspenseMinor: bigint
  /** Of what is forfeited, what merchants left who can still be restored, and what is in quarantine undecided. */
  readonly restorableMinor: bigint
  /** Ordered to be taken out and not gone yet. */
  readonly takingOutMinor: Readonly<Record<TakeOutSource, bigint>>
  /** What of each account stays whatever becomes of blocks that are not final. */
  readonly finalMinor: Readonly<Record<TakeOutSource, bigint>>
  /** The most that transactions under way can cost, in the coin they cost. */
  readonly openCostMinor: bigint
}

/** What belongs to merchants and payers. */
export function liabilitiesMinor(books: AssetBooks): bigint {
  const { availableMinor, heldMinor, quarantineMinor, belowMinimumMinor, unattributedMinor } = books
  return availableMinor + heldMinor + quarantineMinor + belowMinimumMinor + unattributedMinor
}

/**
 * The operator's own money that nothing has a claim on. What merchants owe is missing from custody, so the operator's
 * money stands in for it until they repay; what came by a deposit is nobody's before its block is final.
 */
export function freeMinor(books: AssetBooks): bigint {
  const { finalMinor, networkFeesMinor, suspenseMinor, takingOutMinor, openCostMinor } = books
  const ownMinor = finalMinor.capital + finalMinor.fees - networkFeesMinor - suspenseMinor
  return ownMinor - takingOutMinor.capital - takingOutMinor.fees - openCostMinor
}

/** The most that may be taken out of one account now. */
export function takeableMinor(books: AssetBooks, source: TakeOutSource): bigint {
  const { finalMinor, restorableMinor, takingOutMinor } = books
  const onAccountMinor = finalMinor[source] - takingOutMinor[source]
  if (source === 'forfeited') return max(0n, onAccountMinor - restorableMinor)
  return max(0n, min(onAccountMinor, freeMinor(books)))
}

/** Whether what is held covers what is owed to others; the operator's own money is what is left. */
export function isSolvent(books: AssetBooks): boolean {
  return books.custodyMinor >= liabilitiesMinor(books)
}
