/** Reads and formats the overview of a merchant: volume, conversion, payment methods and balances. */
import { required } from '../../core/assert.ts'
import { decimal, formatDecimal, sum } from '../../core/money.ts'
import { readFunds } from '../../payments/balances/read-funds.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { recentPrices } from '../../pricing/rates/store.ts'
import {
  changeText,
  type DayOfInvoices,
  type DayOfMethod,
  type DayRange,
  daysBefore,
  daysOf,
  dayText,
  percentText,
  usdOfWorth,
  usdText,
} from './overview.ts'
import { countInvoices, sumPayments } from './store.ts'

export interface OverviewParts {
  readonly db: Queryable
  readonly methods: PaymentMethods
}

/**
 * Returns what a merchant received in a range of days, and the merchant's present balances, formatted for
 * display. For comparison, the result also has figures of the preceding range of equal length.
 */
export async function readOverview(parts: OverviewParts, merchantId: string, range: DayRange) {
  const { db } = parts
  const before = daysBefore(range)
  const both = { from: before.from, to: range.to }
  const [allPayments, allInvoices, balances] = await Promise.all([
    sumPayments(db, merchantId, both),
    countInvoices(db, merchantId, both),
    readBalances(parts, merchantId),
  ])
  const isAsked = ({ day }: { readonly day: string }) => day >= dayText(range.from)
  const isEarlier = (one: { readonly day: string }) => !isAsked(one)
  const payments = allPayments.filter(isAsked)
  const invoices = allInvoices.filter(isAsked)
  return {
    volumeUsd: usdText(usdOf(parts, payments)),
    payments: total(payments, 'payments'),
    unpricedPayments: total(payments, 'unpriced'),
    conversion: conversionOf(invoices),
    before: {
      dateFrom: dayText(before.from),
      dateTo: dayText(before.to),
      ...comparison(parts, payments, allPayments.filter(isEarlier)),
      conversionPercent: conversionOf(allInvoices.filter(isEarlier)).percent,
    },
    days: daysOf(range).map((day) => {
      const paid = payments.filter((one) => one.day === day)
      const made = invoices.find((one) => one.day === day)
      const counts = { payments: total(paid, 'payments'), invoicesCreated: made?.created ?? 0 }
      return { day, volumeUsd: usdText(usdOf(parts, paid)), ...counts, invoicesPaid: made?.paid ?? 0 }
    }),
    methods: methodsOf(parts, payments),
    balances,
  }
}

function conversionOf(invoices: readonly DayOfInvoices[]) {
  const created = total(invoices, 'created')
  const paid = total(invoices, 'paid')
  const expired = total(invoices, 'expired')
  const percent = percentText(BigInt(paid), BigInt(created))
  return { created, paid, expired, pending: created - paid - expired, percent }
}

function comparison(parts: OverviewParts, now: readonly DayOfMethod[], before: readonly DayOfMethod[]) {
  const volume = usdOf(parts, before)
  const payments = total(before, 'payments')
  return {
    volumeUsd: usdText(volume),
    payments,
    volumeChangePercent: changeText(usdOf(parts, now), volume),
    paymentsChangePercent: changeText(BigInt(total(now, 'payments')), BigInt(payments)),
  }
}

function methodsOf(parts: OverviewParts, payments: readonly DayOfMethod[]) {
  const whole = usdOf(parts, payments)
  return parts.methods.all.flatMap(({ id, symbol, network, decimals }) => {
    const own = payments.filter(({ paymentMethodId }) => paymentMethodId === id)
    if (own.length === 0) return []
    const volume = usdOf(parts, own)
    const amount = formatDecimal(sum(own.map(({ amountMinor }) => amountMinor)), decimals)
    const shown = { paymentMethodID: id, symbol, network, amount, payments: total(own, 'payments') }
    return [{ ...shown, volumeUsd: usdText(volume), volumePercent: percentText(volume, whole) }]
  })
}

/** Returns the volume of these payments in units of 10^-8 USD. */
function usdOf(parts: OverviewParts, some: readonly DayOfMethod[]): bigint {
  return sum(some.map(({ worth, paymentMethodId }) => usdOfWorth(worth, decimalsOf(parts, paymentMethodId))))
}

/**
 * Returns a merchant's available balances with their value in USD, at the newest exchange rate of the past
 * hour. `usd` is null if there is no rate from the past hour.
 */
async function readBalances({ db, methods }: OverviewParts, merchantId: string) {
  const funds = (await readFunds(db, methods, [merchantId])).get(merchantId) ?? []
  const prices = await recentPrices(db, [...new Set(funds.map(({ symbol }) => symbol))])
  const valued = funds.map((entry) => {
    const { decimals } = required(methods.byId(entry.paymentMethodID), 'the method of a balance')
    const price = prices.get(entry.symbol)
    const usdMinor =
      price === undefined ? undefined : usdOfWorth(decimal(entry.balance, decimals) * price, decimals)
    return { entry, usdMinor }
  })
  return {
    totalUsd: usdText(sum(valued.flatMap(({ usdMinor }) => usdMinor ?? []))),
    entries: valued.map(({ entry, usdMinor }) => ({
      ...entry,
      usd: usdMinor === undefined ? null : usdText(usdMinor),
    })),
  }
}

function decimalsOf({ methods }: OverviewParts, paymentMethodId: number): number {
  return required(methods.byId(paymentMethodId), 'the method of a payment').decimals
}

function total<K extends string>(rows: readonly { readonly [name in K]: number }[], name: K): number {
  return rows.reduce((before, row) => before + row[name], 0)
}
