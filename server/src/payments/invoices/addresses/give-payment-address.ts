/** Gives payers an address and a quote when they choose a payment method, and renews expired quotes. */

import { monotonicMs } from '../../../core/clock.ts'
import { fail, Problem } from '../../../core/errors.ts'
import { newId } from '../../../core/ids.ts'
import { limits } from '../../../core/limits.ts'
import { formatDecimal } from '../../../core/money.ts'
import { type Db, macsOf, type Queryable } from '../../../platform/db/pool.ts'
import { inTransaction, violatedConstraint } from '../../../platform/db/transaction.ts'
import type { PaymentMethod, PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { fullAmountMinor, type Rate } from '../../../pricing/rates/rate.ts'
import { freshRate } from '../../../pricing/rates/store.ts'
import type { Invoice, Payment, PaymentDetail } from '../invoice.ts'
import { addressFacts, type PromisedQuote, quoteFacts } from '../invoice-facts.ts'
import { type InvoiceInContext, lockInvoice } from '../store.ts'
import { assertTerms } from '../terms/terms-mac.ts'
import { type AddressMacKeys, assertGenuine, type InvoiceAddress } from './address.ts'
import type { AddressPool } from './address-pool.ts'
import { type Assignment, assertAssigned } from './assignment-mac.ts'
import { findGiven, type GivenInvoice, giveFirstAddress } from './checkout-store.ts'
import { type Checkout, type PaymentAddress, planCheckout, showQuote } from './payment-address.ts'
import { type Quote, quoteExpiry } from './quote.ts'
import { type MacedQuote, withQuoteMac } from './quote-mac.ts'
import { insertQuote } from './quote-store.ts'

/**
 * Returns the payments of some invoices by invoice id, in the order of inclusion. `deposits/` supplies this
 * function.
 */
export type PaymentsOf = (
  on: Queryable,
  invoiceIds: readonly string[],
  detail: PaymentDetail,
) => Promise<ReadonlyMap<string, readonly Payment[]>>

export interface PaymentAddressParts extends AddressMacKeys {
  readonly db: Db
  readonly methods: PaymentMethods
  /** Returns the address pool of the network's address family. */
  poolOf(network: string): AddressPool
  readonly paymentsOf: PaymentsOf
}

/**
 * Returns address, amount and expiry for one method of an invoice. The address never changes. An expired
 * quote is replaced by a new quote. Concurrent requests create only one address and one quote.
 * @throws Problem not-found, method-not-offered, invoice-not-payable, below-minimum, rate-unavailable,
 * too-busy
 */
export async function givePaymentAddress(
  parts: PaymentAddressParts,
  invoiceId: string,
  methodId: number,
): Promise<PaymentAddress> {
  const given = await findGiven(parts.db, invoiceId)
  if (given === undefined) throw fail('not-found', 'No such invoice.')
  const method = parts.methods.enabledById(methodId)
  if (method === undefined) throw fail('not-found', 'No such payment method.')
  if (!given.invoice.paymentMethodIds.includes(method.id)) {
    throw fail(
      'method-not-offered',
      `The invoice offers the payment methods ${given.invoice.paymentMethodIds}.`,
    )
  }
  return giveForMethod(parts, await withPayments(parts, parts.db, given), method)
}

/**
 * Returns the addresses of an invoice for all its enabled methods. A method that fails, for example because
 * it has no rate, is left out.
 * @throws Problem of the first method that failed, if all methods failed
 */
export async function givePaymentAddresses(
  parts: PaymentAddressParts,
  invoice: GivenInvoice,
): Promise<readonly PaymentAddress[]> {
  const paid = await withPayments(parts, parts.db, invoice)
  const given: PaymentAddress[] = []
  const problems: Problem[] = []
  for (const id of invoice.invoice.paymentMethodIds) {
    const method = parts.methods.enabledById(id)
    if (method === undefined) continue
    try {
      given.push(await giveForMethod(parts, paid, method))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problems.push(error)
    }
  }
  const [problem] = problems
  if (given.length === 0 && problem !== undefined) throw problem
  return given
}

/** An invoice with its addresses, quotes and payments. */
type PaidInvoice = GivenInvoice & Pick<Checkout, 'payments'>

/**
 * Adds the payments to an invoice. No payments are read if the invoice has no address, because nobody can
 * have paid. No payments are read for a reusable invoice either, because they are not deducted from the
 * amount. For other invoices, sums of payments are read. Reading each payment would cost too much, because
 * anyone may request an address.
 */
async function withPayments(
  { paymentsOf }: PaymentAddressParts,
  on: Queryable,
  given: GivenInvoice,
): Promise<PaidInvoice> {
  const { id, type } = given.invoice
  const isPooled = given.addresses.length > 0 && type !== 'reusable'
  const payments = isPooled ? (await paymentsOf(on, [id], 'summed')).get(id) : undefined
  return { ...given, payments: payments ?? [] }
}

async function giveForMethod(
  parts: PaymentAddressParts,
  paid: PaidInvoice,
  method: PaymentMethod,
): Promise<PaymentAddress> {
  const checkout = checkoutOf(parts, paid, method)
  const plan = planCheckout(checkout)
  if (plan.type === 'show') return plan.shown
  if (plan.type === 'refuse') throw notPayable(checkout.invoice)
  const rate = await freshRate(parts.db, method.symbol)
  if (rate === undefined) {
    throw fail('rate-unavailable', `There is no recent price of ${method.symbol}. Try again shortly.`, {
      retryAfterS: 10,
    })
  }
  if (checkout.address === undefined) {
    assertTerms(parts.db, checkout.invoice, paid.termsMac)
    refuseBelowMinimum(checkout, method, rate)
    const first = await issueFirst(parts, checkout, rate)
    if (first !== undefined) return first
  }
  return issueInOrder(parts, paid.invoice.id, method, rate)
}

/**
 * Issues an address or a quote in a transaction that locks the invoice. If the pool is empty, waits for more
 * addresses and tries again, for at most `addressWaitMs`.
 */
async function issueInOrder(
  parts: PaymentAddressParts,
  invoiceId: string,
  method: PaymentMethod,
  rate: Rate,
): Promise<PaymentAddress> {
  const giveUpAtMs = monotonicMs() + limits.addressWaitMs
  for (let hasHope = true; ; ) {
    const issued = await issue(parts, invoiceId, method, rate)
    if (issued !== undefined) return issued
    if (!hasHope || monotonicMs() >= giveUpAtMs) {
      throw fail('too-busy', 'No address is ready. Try again shortly.', { retryAfterS: 1 })
    }
    hasHope = await parts.poolOf(method.network).awaitFree()
  }
}

function checkoutOf(parts: PaymentAddressParts, paid: PaidInvoice, method: PaymentMethod): Checkout {
  const { invoice, rules, now, payments } = paid
  const isOwn = ({ paymentMethodId }: { paymentMethodId: number }) => paymentMethodId === method.id
  const address = paid.addresses.find(isOwn)
  if (address !== undefined) assertOwn(parts, address, invoice)
  return { invoice, rules, now, method, address, quote: paid.quotes.find(isOwn), payments }
}

/**
 * Handles the usual case in one statement: an invoice without an address for the method gets an address.
 * Returns undefined if this is not possible; the caller then finds the reason with `issue`. If the assigned
 * row was tampered with, it stays assigned and its invoice cannot be paid. Other invoices are not affected.
 */
async function issueFirst(
  parts: PaymentAddressParts,
  checkout: Checkout,
  rate: Rate,
): Promise<PaymentAddress | undefined> {
  const { db, poolOf } = parts
  const { method } = checkout
  const quote = newQuote(parts.db, checkout, method, rate)
  try {
    const assignment = assignmentOf(checkout, method)
    const address = await poolOf(method.network).give((derived) =>
      giveFirstAddress(db, derived, assignment, quote, rate),
    )
    if (address === undefined) return undefined
    assertOwn(parts, address, checkout.invoice)
    noteAddress(db, address, assignment)
    noteQuote(db, { quote, rate }, assignment.merchantId)
    return showQuote(checkout, address, quote)
  } catch (error) {
    // Another request assigned an address first, and committed after the snapshot of this statement was
    // taken.
    if (violatedConstraint(error) === 'address_invoice_method_unique') return undefined
    throw error
  }
}

/**
 * Creates the missing address or quote while the invoice is locked. Returns undefined if the pool has no
 * address.
 */
function issue(
  parts: PaymentAddressParts,
  invoiceId: string,
  method: PaymentMethod,
  rate: Rate,
): Promise<PaymentAddress | undefined> {
  return inTransaction(parts.db, async (tx) => {
    const context = await lockInvoice(tx, invoiceId)
    const given = context && (await findGiven(tx, invoiceId))
    if (given === undefined) throw fail('not-found', 'No such invoice.')
    const checkout = checkoutOf(parts, await withPayments(parts, tx, given), method)
    const plan = planCheckout(checkout)
    if (plan.type === 'show') return plan.shown
    if (plan.type === 'refuse') throw notPayable(checkout.invoice)
    if (checkout.address === undefined) assertTerms(tx, checkout.invoice, given.termsMac)
    const assignment = assignmentOf(checkout, method)
    const address = checkout.address ?? (await parts.poolOf(method.network).assign(tx, assignment))
    if (address === undefined) return undefined
    assertOwn(parts, address, checkout.invoice)
    if (checkout.address === undefined) noteAddress(tx, address, assignment)
    const quote = newQuote(parts.db, checkout, method, rate)
    await insertQuote(tx, quote, rate)
    noteQuote(tx, { quote, rate }, assignment.merchantId)
    return showQuote(checkout, address, quote)
  })
}

function noteAddress(on: Queryable, address: InvoiceAddress, assignment: Assignment): void {
  const { family, branch, index, mac } = address
  const derived = { family, address: address.address, branch, index, mac }
  const fact = { id: address.address, merchantId: assignment.merchantId, content: { derived, assignment } }
  on.facts?.note(addressFacts, fact)
}

function noteQuote(on: Queryable, content: PromisedQuote, merchantId: string): void {
  on.facts?.note(quoteFacts, { id: content.quote.id, merchantId, content })
}

function assignmentOf({ invoice }: InvoiceInContext, method: PaymentMethod): Assignment {
  return {
    invoiceId: invoice.id,
    merchantId: invoice.merchantId,
    amountUsd: invoice.amountUsd,
    paymentMethodId: method.id,
    network: method.network,
  }
}

/**
 * Checks that we derived the address and assigned it to this invoice, before a payer sees the address.
 * @throws AlertError if a MAC does not match
 */
function assertOwn(parts: PaymentAddressParts, address: InvoiceAddress, invoice: Invoice): void {
  assertGenuine(parts, address)
  assertAssigned(parts.db, address, invoice)
}

function newQuote(
  on: Queryable,
  { invoice, now }: InvoiceInContext,
  method: PaymentMethod,
  rate: Rate,
): MacedQuote {
  const quote: Quote = {
    id: newId(),
    invoiceId: invoice.id,
    paymentMethodId: method.id,
    priceUsd: rate.priceUsd,
    fullMinor: fullAmountMinor(invoice.amountUsd, rate.priceUsd, method.decimals),
    quotedAt: now,
    expiresAt: quoteExpiry(now, method.isStable, invoice.expiresAt),
  }
  return withQuoteMac(macsOf(on), quote, invoice)
}

function refuseBelowMinimum({ invoice }: InvoiceInContext, method: PaymentMethod, rate: Rate): void {
  const fullMinor = fullAmountMinor(invoice.amountUsd, rate.priceUsd, method.decimals)
  if (fullMinor >= method.minimumMinor) return
  const minimum = formatDecimal(method.minimumMinor, method.decimals)
  throw fail(
    'below-minimum',
    `The invoice amount is below the minimum payment of ${minimum} ${method.symbol}. Use another payment method, or create an invoice with a larger amount.`,
  )
}

function notPayable({ type }: Invoice): Problem {
  const detail =
    type === 'withdraw'
      ? 'The invoice pays out and accepts no payments. Its recipient claims it at the claimURL that was returned when it was created.'
      : 'The invoice can no longer be paid, and it never had a payment address.'
  return fail('invoice-not-payable', detail)
}
