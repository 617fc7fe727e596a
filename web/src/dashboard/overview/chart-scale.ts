/** From amounts to lengths on a screen, where a double is exact enough: a chart is looked at, never added up. */
export function lengthOf(amount: string): number {
  return Number(amount)
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** The marks of an axis: 1500 as "$1.5K". */
export function shortDollars(length: number): string {
  return `$${short.format(length)}`
}

const marks = 4

/** The marks of an axis up to a length: a few round figures, the last one not below it. */
export function marksUpTo(longest: number): readonly number[] {
  const least = longest / marks
  const magnitude = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 2.5, 5, 10].map((one) => one * magnitude).find((one) => one >= least) ?? least
  return Array.from({ length: marks + 1 }, (_, place) => place * step)
}

/** Of so many days those that are named, so far apart that they have room in a hand; the last one always. */
export function namedDays<T>(days: readonly T[]): readonly T[] {
  const apart = Math.ceil(days.length / 5)
  return days.filter((_, place) => (days.length - 1 - place) % apart === 0)
}
