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
