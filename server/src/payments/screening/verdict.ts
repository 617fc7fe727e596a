/** Defines the verdicts of screening an address. All functions of this file are pure. */

/**
 * `passed`: no configured source names the address. `listed`: at least one source names it. `unknown`: no
 * source names it, but at least one source could not be asked or is too old. Money from or to an unknown
 * address waits.
 */
export const verdicts = ['passed', 'listed', 'unknown'] as const
export type Verdict = (typeof verdicts)[number]

/** State of the sanctions list: recent (`fresh`), too old or not read (`stale`), not configured (`off`). */
export type ListState = 'off' | 'stale' | 'fresh'

/** The facts about one address that decide its verdict. */
export interface ScreeningInput {
  readonly list: ListState
  readonly isOnList: boolean
  readonly hasOracle: boolean
  /** Undefined if the oracle has no recent answer. */
  readonly oracleSays: boolean | undefined
}

/**
 * Combines the answers of the sources. A stale list still counts for addresses that it names, but no other
 * address passes.
 */
export function verdictOf({ list, isOnList, hasOracle, oracleSays }: ScreeningInput): Verdict {
  if (isOnList || oracleSays === true) return 'listed'
  const isAnswered = list !== 'stale' && (!hasOracle || oracleSays === false)
  return isAnswered ? 'passed' : 'unknown'
}
