import { stepsOf } from './steps.ts'
import type { Trace, TraceFacts } from './trace.ts'
import { verdictOf } from './verdict.ts'

/**
 * Returns the steps of a payment up to now, and the verdict: that the payment was credited, or the rule that
 * stopped it.
 */
export function traceOf(facts: TraceFacts): Trace {
  return { steps: stepsOf(facts), verdict: verdictOf(facts) }
}
