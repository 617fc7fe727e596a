import { stepsOf } from './steps.ts'
import type { Trace, TraceFacts } from './trace.ts'
import { verdictOf } from './verdict.ts'

/** The steps a payment takes, as far as this one came, and the rule that stopped it. */
export function traceOf(facts: TraceFacts): Trace {
  return { steps: stepsOf(facts), verdict: verdictOf(facts) }
}
