/** What screening says of an address. Everything here is pure. */

/**
 * passed: nothing that is asked knows it. listed: at least one names it. unknown: nothing names it, and not everything
 * could be asked, or what was asked is too old to count. Money waits for an unknown one.
 */
export const verdicts = ['passed', 'listed', 'unknown'] as const
export type Verdict = (typeof verdicts)[number]

/** How far the sanctions list can be relied on; `off` where none is configured. */
export type ListState = 'off' | 'stale' | 'fresh'

/** What is known of one address. */
export interface Sight {
  readonly list: ListState
  readonly isOnList: boolean
  readonly hasOracle: boolean
  /** Undefined where the oracle has not answered lately. */
  readonly oracleSays: boolean | undefined
}

/** An old list that names an address still names it; one that does not says nothing. */
export function judge({ list, isOnList, hasOracle, oracleSays }: Sight): Verdict {
  if (isOnList || oracleSays === true) return 'listed'
  const isAnswered = list !== 'stale' && (!hasOracle || oracleSays === false)
  return isAnswered ? 'passed' : 'unknown'
}
