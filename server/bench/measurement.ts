/** A measured value and its target. */
export interface Measurement {
  readonly bar: string
  /** The target; undefined if the value is only for information. */
  readonly must?: { readonly atMost: number } | { readonly atLeast: number }
  readonly measured: number
  readonly unit: string
  /** Facts that are necessary to judge the value, such as the spread and the sizes. */
  readonly remark: string
}

export function isMet({ must, measured }: Measurement): boolean {
  if (Number.isNaN(measured)) return false
  if (must === undefined) return true
  return 'atMost' in must ? measured <= must.atMost : measured >= must.atLeast
}

/** Returns a measurement that represents a failure. It counts as a missed target. */
export function failureOf(part: string, error: unknown): Measurement {
  const reason = error instanceof Error ? error.message : String(error)
  return { bar: part, measured: Number.NaN, unit: '', remark: reason.split('\n', 1)[0] ?? '' }
}

/** Formats measurements as a table in GitHub Flavored Markdown, for docs/benchmarks.md. */
export function tableOf(measurements: readonly Measurement[]): string {
  const rows = measurements.map((one) => [one.bar, mustOf(one), figureOf(one), verdictOf(one), one.remark])
  const cells = [['bar', 'must', 'measured', 'verdict', 'remark'], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

/** Returns the percentile `share` (0 to 1) of the samples, by the nearest-rank method. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5)
}

/**
 * Formats a value with about three significant digits. Further digits would be noise, because they change
 * from run to run.
 */
export function figure(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

export function spreadOf(samples: readonly number[], unit: string): string {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => figure(percentile(samples, share)))
  return `p50 ${p50}, p95 ${p95}, p99 ${p99}, max ${figure(Math.max(...samples))} ${unit} of ${samples.length}`
}

function mustOf({ must, unit }: Measurement): string {
  if (must === undefined) return ''
  return 'atMost' in must ? `<= ${figure(must.atMost)} ${unit}` : `>= ${figure(must.atLeast)} ${unit}`
}

function figureOf({ measured, unit }: Measurement): string {
  if (Number.isNaN(measured)) return ''
  return `${figure(measured)} ${unit}`
}

function verdictOf(measurement: Measurement): string {
  if (Number.isNaN(measurement.measured)) return 'FAILED'
  if (measurement.must === undefined) return ''
  return isMet(measurement) ? 'met' : 'MISSED'
}
