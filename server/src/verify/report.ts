import type { Outcome } from './invariant.ts'

export interface VerifyEntry extends Outcome {
  readonly id: string
  readonly title: string
  readonly unit: string
  readonly ok: boolean
}

export interface VerifyReport {
  /** Whether every invariant that could be looked at holds. */
  readonly ok: boolean
  readonly entries: readonly VerifyEntry[]
}

/** An entry for a terminal: one line, and one more for each finding. */
export function reportLines({
  id,
  title,
  unit,
  ok,
  examined,
  findings,
  skipped,
}: VerifyEntry): readonly string[] {
  const head = (verdict: string, remark: string) =>
    `${id.padEnd(9)} ${verdict.padEnd(4)}  ${title} (${remark})`
  if (skipped !== undefined) return [head('SKIP', skipped)]
  const remark = `${examined.toLocaleString('en-US')} ${unit}`
  return [head(ok ? 'OK' : 'FAIL', remark), ...findings.map((finding) => `${' '.repeat(16)}${finding}`)]
}
