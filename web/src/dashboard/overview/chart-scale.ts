/** From amounts to lengths on a screen, where a double is exact enough: a chart is looked at, never added up. */
export function lengthOf(amount: string): number {
  return Number(amount)
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** The marks of an axis: 1500 as "$1.5K". */
export function shortDollars(length: number): string {
  return `$${short.format(length)}`
}
