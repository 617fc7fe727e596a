/** Formats decimal amounts of the API. Formatting never changes a value. */

/** Groups the digits of an amount: "1234567.50" becomes "1,234,567.50". */
export function groupDigits(amount: string): string {
  const [whole = '', fraction] = amount.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Formats dollars with at least two decimal places: "12.5" becomes "$12.50". */
export function dollars(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const isNegative = whole.startsWith('-')
  return `${isNegative ? '−' : ''}$${groupDigits(`${whole.replace('-', '')}.${fraction.padEnd(2, '0')}`)}`
}

/** Returns whether an amount is not zero. */
export function isSomething(amount: string): boolean {
  return /[1-9]/.test(amount)
}

/** Returns whether `amount` is at least `least`. Both must be decimals that are not negative. */
export function isAtLeast(amount: string, least: string): boolean {
  const decimals = Math.max(decimalsOf(amount), decimalsOf(least))
  return minorOf(amount, decimals) >= minorOf(least, decimals)
}

function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}

function minorOf(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}
