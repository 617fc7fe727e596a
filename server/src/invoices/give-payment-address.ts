import type { KeyObject } from 'node:crypto'
import { assert } from '../core/assert.ts'
import { fail, Problem } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { formatDecimal } from '../core/money.ts'
import type { Db, Queryable } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { PaymentMethod, PaymentMethods } from '../payment-methods/payment-method.ts'
import { fullAmountMinor, type Rate } from '../rates/rate.ts'
import { freshRate } from '../rates/store.ts'
import { type InvoiceAddress, isGenuine } from './address.ts'
import type { AddressPool } from './address-pool.ts'
import { readAddresses } from './address-store.ts'
import type { Payment } from './invoice.ts'
import { type Checkout, type PaymentAddress, planCheckout, showQuote } from './payment-address.ts'
import { type Quote, quoteExpiry } from './quote.ts'
import { insertQuote, readQuotes } from './quote-store.ts'
import { findInvoice, type InvoiceInContext, lockInvoice } from './store.ts'

/** The transactions of invoices as their rules see them, in the order of inclusion; `transactions/` supplies it. */
export type PaymentsOf = (
  on: Queryable,
  invoiceIds: readonly string[],
) => Promise<ReadonlyMap<string, readonly Payment[]>>

export interface PaymentAddressParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly pool: AddressPool
  readonly macKey: KeyObject
  readonly paymentsOf: PaymentsOf
}

/**
 * The address, amount and time for one method of an invoice: for ever the same address, a quote renewed when it is
 * over. However many ask at once, one address and one quote are made.
 * @throws Problem not-found, method-not-offered, invoice-not-payable, below-minimum, rate-unavailable, too-busy
 */
export async function givePaymentAddress(
  parts: PaymentAddressParts,
  invoiceId: string,
  methodId: number,
): Promise<PaymentAddress> {
  const context = await findInvoice(parts.db, invoiceId)
  if (context === undefined) throw fail('not-found', 'No such invoice.')
  const method = parts.methods.enabledById(methodId)
  if (method === undefined) throw fail('not-found', 'No such payment method.')
  if (!context.invoice.paymentMethodIds.includes(method.id)) {
    throw fail(
      'method-not-offered',
      `The invoice offers the payment methods ${context.invoice.paymentMethodIds}.`,
    )
  }
  return giveForMethod(parts, context, method)
}

/** Addresses for all methods of an invoice that can be given one now; a method without a rate leaves the rest be. */
export async function givePaymentAddresses(
  parts: PaymentAddressParts,
  context: InvoiceInContext,
): Promise<readonly PaymentAddress[]> {
  const given: PaymentAddress[] = []
  const refusals: Problem[] = []
  for (const id of context.invoice.paymentMethodIds) {
    const method = parts.methods.enabledById(id)
    if (method === undefined) continue
    try {
      given.push(await giveForMethod(parts, context, method))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refusals.push(error)
    }
  }
  const [refusal] = refusals
  if (given.length === 0 && refusal !== undefined) throw refusal
  return given
}

async function giveForMethod(
  parts: PaymentAddressParts,
  context: InvoiceInContext,
  method: PaymentMethod,
): Promise<PaymentAddress> {
  const checkout = await readCheckout(parts, parts.db, context, method)
  const plan = planCheckout(checkout)
  if (plan.type === 'show') return plan.shown
  if (plan.type === 'refuse') throw notPayable()
  const rate = await freshRate(parts.db, method.symbol)
  if (rate === undefined) {
    throw fail('rate-unavailable', `No fresh price of ${method.symbol}. Try again shortly.`, {
      retryAfterS: 10,
    })
  }
  // An address that was given out is paid to, whatever prices do.
  if (checkout.address === undefined) refuseBelowMinimum(context, method, rate)
  const issued = await issue(parts, context.invoice.id, method, rate)
  if (issued !== undefined) return issued
  await parts.pool.refill()
  const again = await issue(parts, context.invoice.id, method, rate)
  if (again === undefined)
    throw fail('too-busy', 'No address is ready. Try again shortly.', { retryAfterS: 1 })
  return again
}

/** Makes what is missing under the invoice's lock; undefined when the pool has no address to give. */
function issue(
  parts: PaymentAddressParts,
  invoiceId: string,
  method: PaymentMethod,
  rate: Rate,
): Promise<PaymentAddress | undefined> {
  return inTransaction(parts.db, async (tx) => {
    const context = await lockInvoice(tx, invoiceId)
    if (context === undefined) throw fail('not-found', 'No such invoice.')
    const checkout = await readCheckout(parts, tx, context, method)
    const plan = planCheckout(checkout)
    if (plan.type === 'show') return plan.shown
    if (plan.type === 'refuse') throw notPayable()
    const address = checkout.address ?? (await assign(parts, tx, context, method))
    if (address === undefined) return undefined
    const quote = newQuote(context, method, rate)
    await insertQuote(tx, quote, rate)
    return showQuote(checkout, address, quote)
  })
}

async function assign(
  { pool, macKey }: PaymentAddressParts,
  tx: Tx,
  { invoice }: InvoiceInContext,
  method: PaymentMethod,
): Promise<InvoiceAddress | undefined> {
  const address = await pool.assign(tx, {
    invoiceId: invoice.id,
    merchantId: invoice.merchantId,
    paymentMethodId: method.id,
    network: method.network,
  })
  if (address !== undefined) assertGenuine(macKey, address)
  return address
}

async function readCheckout(
  { paymentsOf, macKey }: PaymentAddressParts,
  on: Queryable,
  context: InvoiceInContext,
  method: PaymentMethod,
): Promise<Checkout> {
  const { id } = context.invoice
  const addresses = await readAddresses(on, id)
  const address = addresses.find(({ paymentMethodId }) => paymentMethodId === method.id)
  if (address === undefined) return { ...context, method, address, quotes: [], payments: [] }
  assertGenuine(macKey, address)
  const quotes = await readQuotes(on, [id])
  const payments = await paymentsOf(on, [id])
  return {
    ...context,
    method,
    address,
    quotes: quotes.filter(({ paymentMethodId }) => paymentMethodId === method.id),
    payments: payments.get(id) ?? [],
  }
}

function newQuote({ invoice, now }: InvoiceInContext, method: PaymentMethod, rate: Rate): Quote {
  return {
    id: newId(),
    invoiceId: invoice.id,
    paymentMethodId: method.id,
    priceUsd: rate.priceUsd,
    fullMinor: fullAmountMinor(invoice.amountUsd, rate.priceUsd, method.decimals),
    quotedAt: now,
    expiresAt: quoteExpiry(now, method.isStable, invoice.expiresAt),
  }
}

function refuseBelowMinimum({ invoice }: InvoiceInContext, method: PaymentMethod, rate: Rate): void {
  const fullMinor = fullAmountMinor(invoice.amountUsd, rate.priceUsd, method.decimals)
  if (fullMinor >= method.minimumMinor) return
  const minimum = formatDecimal(method.minimumMinor, method.decimals)
  throw fail(
    'below-minimum',
    `The invoice asks for less than ${minimum} ${method.symbol}, the least that is credited.`,
  )
}

/** Fails closed: money sent to an address that is not ours is gone. */
function assertGenuine(macKey: KeyObject, address: InvoiceAddress): void {
  assert(isGenuine(macKey, address), `address ${address.address} does not carry our MAC`)
}

function notPayable(): Problem {
  return fail('invoice-not-payable', 'The invoice can no longer be paid, and was never given an address.')
}
