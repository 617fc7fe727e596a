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
import { type AddressMacKeys, assertGenuine, type InvoiceAddress } from './address.ts'
import type { AddressPool } from './address-pool.ts'
import { type Assignment, assertAssigned } from './assignment-mac.ts'
import { findGiven, type GivenInvoice, giveFirstAddress } from './checkout-store.ts'
import { type Checkout, type PaymentAddress, planCheckout, showQuote } from './payment-address.ts'
import { type Quote, quoteExpiry } from './quote.ts'
import { type MacedQuote, withQuoteMac } from './quote-mac.ts'
import { insertQuote } from './quote-store.ts'

/** The transactions of invoices as their rules see them, in the order of inclusion; `transactions/` supplies it. */
export type PaymentsOf = (
  on: Queryable,
  invoiceIds: readonly string[],
  detail: PaymentDetail,
) => Promise<ReadonlyMap<string, readonly Payment[]>>

export interface PaymentAddressParts extends AddressMacKeys {
  readonly db: Db
  readonly methods: PaymentMethods
  /** Of the network's addresses. */
  poolOf(network: string): AddressPool
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

/** Addresses for all methods of an invoice that can be given one now; a method without a rate leaves the rest be. */
export async function givePaymentAddresses(
  parts: PaymentAddressParts,
  invoice: GivenInvoice,
): Promise<readonly PaymentAddress[]> {
  const paid = await withPayments(parts, parts.db, invoice)
  const given: PaymentAddress[] = []
  const refusals: Problem[] = []
  for (const id of invoice.invoice.paymentMethodIds) {
    const method = parts.methods.enabledById(id)
    if (method === undefined) continue
    try {
      given.push(await giveForMethod(parts, paid, method))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refusals.push(error)
    }
  }
  const [refusal] = refusals
  if (given.length === 0 && refusal !== undefined) throw refusal
  return given
}

/** An invoice with everything that was given and paid. */
type PaidInvoice = GivenInvoice & Pick<Checkout, 'payments'>

/**
 * Nothing was paid where no address was given, and what was paid of a reusable invoice is not deducted. Anyone may ask for
 * an address, and an invoice may have been paid any number of times: payments come summed.
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
    throw fail('rate-unavailable', `No fresh price of ${method.symbol}. Try again shortly.`, {
      retryAfterS: 10,
    })
  }
  if (checkout.address === undefined) {
    refuseBelowMinimum(checkout, method, rate)
    const first = await issueFirst(parts, checkout, rate)
    if (first !== undefined) return first
  }
  return issueInTurn(parts, paid.invoice.id, method, rate)
}

/** A crowd that empties the pool waits for addresses to be derived, as long as they are. */
async function issueInTurn(
  parts: PaymentAddressParts,
  invoiceId: string,
  method: PaymentMethod,
  rate: Rate,
): Promise<PaymentAddress> {
  const giveUpAtMs = performance.now() + limits.addressWaitMs
  for (let hasHope = true; ; ) {
    const issued = await issue(parts, invoiceId, method, rate)
    if (issued !== undefined) return issued
    if (!hasHope || performance.now() >= giveUpAtMs) {
      throw fail('too-busy', 'No address is ready. Try again shortly.', { retryAfterS: 1 })
    }
    hasHope = await parts.poolOf(method.network).awaitTurn()
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
 * The usual case in one statement, which is a transaction of its own: an invoice that has no address for the method yet
 * gets one. Undefined when anything stands in the way; `issue` finds out what. A row that was tampered with stays with
 * the invoice, which nobody can pay then, and out of the way of all others.
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
    const wish = assignmentOf(checkout, method)
    const address = await poolOf(method.network).give((place) =>
      giveFirstAddress(db, place, wish, quote, rate),
    )
    if (address === undefined) return undefined
    assertOwn(parts, address, checkout.invoice)
    noteAddress(db, address, wish)
    noteQuote(db, { quote, rate }, wish.merchantId)
    return showQuote(checkout, address, quote)
  } catch (error) {
    // Another request was first, and committed after this statement's view of the data was taken.
    if (violatedConstraint(error) === 'address_invoice_method_unique') return undefined
    throw error
  }
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
    const given = context && (await findGiven(tx, invoiceId))
    if (given === undefined) throw fail('not-found', 'No such invoice.')
    const checkout = checkoutOf(parts, await withPayments(parts, tx, given), method)
    const plan = planCheckout(checkout)
    if (plan.type === 'show') return plan.shown
    if (plan.type === 'refuse') throw notPayable(checkout.invoice)
    const wish = assignmentOf(checkout, method)
    const address = checkout.address ?? (await parts.poolOf(method.network).assign(tx, wish))
    if (address === undefined) return undefined
    assertOwn(parts, address, checkout.invoice)
    if (checkout.address === undefined) noteAddress(tx, address, wish)
    const quote = newQuote(parts.db, checkout, method, rate)
    await insertQuote(tx, quote, rate)
    noteQuote(tx, { quote, rate }, wish.merchantId)
    return showQuote(checkout, address, quote)
  })
}

function noteAddress(on: Queryable, address: InvoiceAddress, assignment: Assignment): void {
  const { family, branch, index, mac } = address
  const place = { family, address: address.address, branch, index, mac }
  const fact = { id: address.address, merchantId: assignment.merchantId, content: { place, assignment } }
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

/** What is shown to a payer is an address that we derived, given to this invoice by us. @throws AlertError */
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
    `The invoice asks for less than ${minimum} ${method.symbol}, the least that is credited.`,
  )
}

function notPayable({ type }: Invoice): Problem {
  const detail =
    type === 'withdraw'
      ? 'The invoice pays out and takes no payments. Whoever is to be paid claims it at the claimURL that creating it answered.'
      : 'The invoice can no longer be paid, and was never given an address.'
  return fail('invoice-not-payable', detail)
}
