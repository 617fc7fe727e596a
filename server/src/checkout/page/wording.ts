import { networkTitle } from '../../chains/networks.ts'
import { formatDecimal } from '../../core/money.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import type { Language } from '../languages/language.ts'
import { type Html, html } from './html.ts'

/** Formats an amount for the payer. Every language uses the digits 0 to 9, so that payers can type them. */
export function coinAmount({ symbol, decimals }: PaymentMethod, amountMinor: bigint): string {
  return `${formatDecimal(amountMinor, decimals)} ${symbol}`
}

/** Returns the titles of networks as a list in words, such as "Ethereum or Base". */
export function networkList({ code }: Language, methods: readonly PaymentMethod[]): string {
  const titles = [...new Set(methods.map(({ network }) => networkTitle(network)))]
  return new Intl.ListFormat(code, { type: 'disjunction' }).format(titles)
}

/**
 * Formats an amount in USD. Right-to-left languages use the English format, because their text direction
 * would reorder "10.00 US$".
 * @param amount a decimal string. It is not converted to a float, which could lose digits.
 */
export function usdAmount({ code, direction }: Language, amount: string): string {
  const format = new Intl.NumberFormat(direction === 'rtl' ? 'en' : `${code}-u-nu-latn`, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 8,
  })
  return format.format(amount as `${number}`)
}

/**
 * Formats a length of time, such as "20 seconds". The number is isolated from the text direction around it
 * (`bdi`).
 */
export function duration(
  { code }: Language,
  { count, unit }: { readonly count: number; readonly unit: 'second' | 'minute' | 'hour' },
): Html {
  const format = new Intl.NumberFormat(`${code}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' })
  const parts = format.formatToParts(count)
  return html`${parts.map(({ type, value }) => (type === 'integer' ? html`<bdi>${value}</bdi>` : value))}`
}

/** Formats a time in UTC. Browsers without the script show this time instead of a countdown. */
export function utcTime({ code }: Language, at: Date): string {
  const format = new Intl.DateTimeFormat(`${code}-u-nu-latn`, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
    hourCycle: 'h23',
  })
  return format.format(at)
}
