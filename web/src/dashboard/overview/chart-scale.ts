/**
 * Converts an amount to a length in a chart. A double is precise enough here, because a length is never used
 * as an amount of money.
 */
export function lengthOf(amount: string): number {
  return Number(amount)
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Returns the label of an axis, such as "$1.5K" for 1500. */
export function shortDollars(length: number): string {
  return `$${short.format(length)}`
}

const ticks = 4

/** Returns five round tick values for an axis that starts at zero. The last value is at least `longest`. */
export function ticksUpTo(longest: number): readonly number[] {
  const least = longest / ticks
  const magnitude = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 2.5, 5, 10].map((one) => one * magnitude).find((one) => one >= least) ?? least
  return Array.from({ length: ticks + 1 }, (_, index) => index * step)
}

/**
 * Returns the days that get a label: at most five, so that they fit on a phone. The last day always has a
 * label.
 */
export function namedDays<T>(days: readonly T[]): readonly T[] {
  const apart = Math.ceil(days.length / 5)
  return days.filter((_, index) => (days.length - 1 - index) % apart === 0)
}
