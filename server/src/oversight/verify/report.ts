import type { Outcome } from './invariant.ts'

export interface VerifyEntry extends Outcome {
  readonly id: string
  readonly title: string
  readonly unit: string
  readonly ok: boolean
}

export interface VerifyReport {
  /** Whether every invariant that could be checked holds. */
  readonly ok: boolean
  readonly entries: readonly VerifyEntry[]
  /** The time of the proof from which this run continued; undefined if it checked everything. */
  readonly since: Date | undefined
}

/** Formats an entry for a terminal: one line, and one more for each finding and remark. */
export function reportLines({
  id,
  title,
  unit,
  ok,
  examined,
  findings,
  remarks = [],
  skipped,
}: VerifyEntry): readonly string[] {
  const head = (verdict: string, remark: string) =>
    `${id.padEnd(9)} ${verdict.padEnd(4)}  ${title} (${remark})`
  if (skipped !== undefined) return [head('SKIP', skipped)]
  const counted = `${examined.toLocaleString('en-US')} ${unit}`
  return [
    head(ok ? 'OK' : 'FAIL', counted),
    ...[...findings, ...remarks].map((sentence) => `${' '.repeat(16)}${sentence}`),
  ]
}
