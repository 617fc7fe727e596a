import { isNetworkName, networks } from '../../chains/networks.ts'
import { formatDecimal } from '../../core/money.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import type { Language } from '../languages/language.ts'

/** An amount as its payer reads it: digits that can be typed again, in every language. */
export function coinAmount({ symbol, decimals }: PaymentMethod, amountMinor: bigint): string {
  return `${formatDecimal(amountMinor, decimals)} ${symbol}`
}

export function networkTitle({ network }: Pick<PaymentMethod, 'network'>): string {
  return isNetworkName(network) ? networks[network].title : network
}

/**
 * In a right-to-left language as in English, since "10.00 US$" is torn apart there.
 * @param amount a decimal string, which is formatted as it is: no digit is lost to a number
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

/** For whoever has no script that counts down. */
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
