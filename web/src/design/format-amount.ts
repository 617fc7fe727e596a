/** Amounts as the API gives them, made easy to read: digits in groups, never another figure. */

/** "1234567.50" as "1,234,567.50". */
export function groupDigits(amount: string): string {
  const [whole = '', fraction] = amount.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Dollars with at least their cents: "12.5" as "$12.50". */
export function dollars(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const isNegative = whole.startsWith('-')
  return `${isNegative ? '−' : ''}$${groupDigits(`${whole.replace('-', '')}.${fraction.padEnd(2, '0')}`)}`
}

/** Whether an amount is anything but zero. */
export function isSomething(amount: string): boolean {
  return /[1-9]/.test(amount)
}

/** Whether a decimal that is not below zero is another one or more. */
export function isAtLeast(amount: string, least: string): boolean {
  const places = Math.max(placesOf(amount), placesOf(least))
  return minorOf(amount, places) >= minorOf(least, places)
}

function placesOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}

function minorOf(amount: string, places: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(places, '0'))
}
