/**
 * Decides how much of the money in custody is the operator's own, and how much of the operator's money may
 * leave. Everything here is pure.
 */
import { max, min } from '../../core/money.ts'

/** The ledger accounts from which an operator can withdraw. */
export const treasuryWithdrawalSources = ['capital', 'fees', 'forfeited'] as const
export type TreasuryWithdrawalSource = (typeof treasuryWithdrawalSources)[number]

/**
 * The balances of one asset in the books, in its smallest unit. Each balance is positive on the normal side
 * of its account.
 */
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
  /** The amount that merchants owe. */
  readonly receivableMinor: bigint
  /**
   * The part of `forfeited` that may not leave: the money of deleted merchants that can still be restored,
   * and deposits in quarantine on which no operator has decided.
   */
  readonly restorableMinor: bigint
  /** The sum of the treasury withdrawals that are pending. */
  readonly withdrawingMinor: Readonly<Record<TreasuryWithdrawalSource, bigint>>
  /** The balance that stays on each account even if blocks that are not final are reversed. */
  readonly finalMinor: Readonly<Record<TreasuryWithdrawalSource, bigint>>
  /**
   * The maximum cost of all unfinished outgoing transactions, if this asset is the coin that pays for them;
   * otherwise 0.
   */
  readonly openCostMinor: bigint
}

/** Returns the amount that belongs to merchants and payers. */
export function liabilitiesMinor(books: AssetBooks): bigint {
  const { availableMinor, heldMinor, quarantineMinor, belowMinimumMinor, unattributedMinor } = books
  return availableMinor + heldMinor + quarantineMinor + belowMinimumMinor + unattributedMinor
}

/**
 * Returns the part of the operator's own money that is not reserved for treasury withdrawals or network fees.
 * The amounts that merchants owe are subtracted, because the operator's money covers them until the merchants
 * repay. Money from a deposit counts only once the deposit's block is final.
 */
export function freeMinor(books: AssetBooks): bigint {
  const { finalMinor, networkFeesMinor, receivableMinor, withdrawingMinor, openCostMinor } = books
  const ownMinor = finalMinor.capital + finalMinor.fees - networkFeesMinor - receivableMinor
  return ownMinor - withdrawingMinor.capital - withdrawingMinor.fees - openCostMinor
}

/** Returns the most that may be withdrawn from one account now. */
export function withdrawableMinor(books: AssetBooks, source: TreasuryWithdrawalSource): bigint {
  const { finalMinor, restorableMinor, withdrawingMinor } = books
  const onAccountMinor = finalMinor[source] - withdrawingMinor[source]
  if (source === 'forfeited') return max(0n, onAccountMinor - restorableMinor)
  return max(0n, min(onAccountMinor, freeMinor(books)))
}

/**
 * Returns whether custody covers everything that is owed to merchants and payers. The rest of custody is the
 * operator's own money.
 */
export function isSolvent(books: AssetBooks): boolean {
  return books.custodyMinor >= liabilitiesMinor(books)
}
