import { required } from '../core/assert.ts'
import { decimal, formatDecimal, sum } from '../core/money.ts'
import type { Queryable } from '../db/pool.ts'
import { readFunds } from '../funds/read-funds.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { recentPrices } from '../rates/store.ts'
import {
  type DayOfInvoices,
  type DayOfMethod,
  type DayRange,
  daysOf,
  percentText,
  usdOfWorth,
  usdText,
} from './overview.ts'
import { countInvoices, sumPayments } from './store.ts'

export interface OverviewParts {
  readonly db: Queryable
  readonly methods: PaymentMethods
}

/** What a merchant took in and has, as it is shown. */
export async function readOverview(parts: OverviewParts, merchantId: string, range: DayRange) {
  const { db } = parts
  const [payments, invoices, balances] = await Promise.all([
    sumPayments(db, merchantId, range),
    countInvoices(db, merchantId, range),
    readBalances(parts, merchantId),
  ])
  const usdOf = (some: readonly DayOfMethod[]) =>
    usdText(
      sum(some.map(({ worth, paymentMethodId }) => usdOfWorth(worth, decimalsOf(parts, paymentMethodId)))),
    )
  return {
    volumeUsd: usdOf(payments),
    payments: total(payments, 'payments'),
    unpricedPayments: total(payments, 'unpriced'),
    conversion: conversionOf(invoices),
    days: daysOf(range).map((day) => {
      const paid = payments.filter((one) => one.day === day)
      const made = invoices.find((one) => one.day === day)
      const counts = { payments: total(paid, 'payments'), invoicesCreated: made?.created ?? 0 }
      return { day, volumeUsd: usdOf(paid), ...counts, invoicesPaid: made?.paid ?? 0 }
    }),
    methods: methodsOf(parts, payments, usdOf),
    balances,
  }
}

function conversionOf(invoices: readonly DayOfInvoices[]) {
  const created = total(invoices, 'created')
  const paid = total(invoices, 'paid')
  const expired = total(invoices, 'expired')
  return { created, paid, expired, pending: created - paid - expired, percent: percentText(paid, created) }
}

function methodsOf(
  { methods }: OverviewParts,
  payments: readonly DayOfMethod[],
  usdOf: (some: readonly DayOfMethod[]) => string,
) {
  return methods.all.flatMap(({ id, symbol, network, decimals }) => {
    const own = payments.filter(({ paymentMethodId }) => paymentMethodId === id)
    if (own.length === 0) return []
    const amount = formatDecimal(sum(own.map(({ amountMinor }) => amountMinor)), decimals)
    const shown = { paymentMethodID: id, symbol, network, amount }
    return [{ ...shown, payments: total(own, 'payments'), volumeUsd: usdOf(own) }]
  })
}

/** What is available, at the last price of the last hour; `usd` is null where there is none. */
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
