import { AlertError, fail, Problem, type ProblemCode } from '../../../core/errors.ts'
import { newId } from '../../../core/ids.ts'
import { quoteExpiry } from '../../../payments/invoices/addresses/quote.ts'
import { withQuoteMac } from '../../../payments/invoices/addresses/quote-mac.ts'
import { insertQuote } from '../../../payments/invoices/addresses/quote-store.ts'
import { takeClaim } from '../../../payments/invoices/claims/settle-claim.ts'
import type { Invoice } from '../../../payments/invoices/invoice.ts'
import { findInvoice } from '../../../payments/invoices/store.ts'
import { type Db, macsOf } from '../../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethod } from '../../../pricing/payment-methods/payment-method.ts'
import { fullAmountMinor } from '../../../pricing/rates/rate.ts'
import { freshRate } from '../../../pricing/rates/store.ts'
import { admitDestination } from '../admit-destination.ts'
import { chargeFee, type WithdrawalParts } from '../create-withdrawal.ts'
import {
  type NetworkDestination,
  refuseForeignContract,
} from '../foreign-contracts/refuse-foreign-contract.ts'
import { orderWithdrawal } from '../order-withdrawal.ts'
import { readDestination } from '../read-destination.ts'
import { readWithdrawalTerms } from '../read-terms.ts'
import { listed, recordRejection } from '../refuse-listed.ts'
import { findByClaim } from '../store.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { findActiveClaim } from './claim-history-store.ts'

export interface ClaimRequest {
  /** The id of the withdrawal that is to pay the invoice. */
  readonly id: string
  readonly invoiceId: string
  readonly token: string
  /** The address as the payee typed it. */
  readonly address: string
  /** Whether the payee confirms the address although it is a contract on another network only. */
  readonly confirmsNetwork?: boolean | undefined
}

/**
 * Orders the withdrawal that pays a `withdraw` invoice to the payee, who has the invoice's token. The payee
 * gets the whole amount at the current price. The amount and the fee are held on the merchant's balance. If
 * the request is rejected, the invoice can be claimed again. A repeated call with the same address returns
 * the withdrawal that is in progress. The networks are asked about the address between two database transactions:
 * the first one checks the token, so that nobody without the token makes Coffer ask them.
 * @throws Problem not-found if the token is wrong or the invoice does not exist, before anything else is
 * checked; invoice-not-payable, invalid-address, listed-address, contract-elsewhere, rate-unavailable,
 * below-minimum, fee-exceeds-amount, insufficient-balance
 * @throws AlertError if the stored data of the claim was changed, or if a withdrawal already pays the invoice
 */
export async function claimPullPayment(parts: WithdrawalParts, request: ClaimRequest): Promise<Withdrawal> {
  try {
    const made = await inTransaction(parts.db, (tx) => claimIn(parts, tx, request, false)).catch(asUnchecked)
    if (!(made instanceof UncheckedDestination)) return made
    await refuseForeignContract(parts, { ...made.destination, isConfirmed: request.confirmsNetwork === true })
    return await inTransaction(parts.db, (tx) => claimIn(parts, tx, request, true))
  } catch (error) {
    if (isProblem(error, 'listed-address')) await recordRefusedClaim(parts.db, request)
    throw error
  }
}

/** Ends the transaction of a claim whose destination must be checked on other networks first. */
class UncheckedDestination extends Error {
  override readonly name = 'UncheckedDestination'
  readonly destination: Omit<NetworkDestination, 'isConfirmed'>

  constructor(destination: Omit<NetworkDestination, 'isConfirmed'>) {
    super(`${destination.address} is not checked on other networks yet`)
    this.destination = destination
  }
}

function asUnchecked(error: unknown): UncheckedDestination {
  if (error instanceof UncheckedDestination) return error
  throw error
}

async function claimIn(
  parts: WithdrawalParts,
  tx: Tx,
  request: ClaimRequest,
  isChecked: boolean,
): Promise<Withdrawal> {
  try {
    const invoice = await takeClaim(tx, request.invoiceId, request.token)
    await requireUntaken(tx, invoice)
    return await payClaim(parts, tx, invoice, { ...request, isChecked })
  } catch (error) {
    const repeated = isProblem(error, 'invoice-not-payable') && (await findSame(parts, tx, request))
    if (repeated) return repeated
    throw isOfTheMerchant(error) ? tooLittle() : error
  }
}

/**
 * Checks that no earlier withdrawal has paid the invoice or is paying it.
 * @throws AlertError if the invoice can be claimed according to its row, but the audit log names such a
 * withdrawal
 */
async function requireUntaken(tx: Tx, { id }: Invoice): Promise<void> {
  const active = await findActiveClaim(tx, id)
  if (active === undefined) return
  const detail = `the claim of invoice ${id} is marked as open, but withdrawal ${active} has paid or is paying it`
  throw new AlertError('claim-tampered', detail)
}

/**
 * Records in the audit log that the request to pay an invoice was rejected. The record needs a database
 * transaction of its own, because the transaction of the request is rolled back.
 */
async function recordRefusedClaim(db: Db, { id, invoiceId, address }: ClaimRequest): Promise<void> {
  const merchantId = (await findInvoice(db, invoiceId))?.invoice.merchantId
  await recordRejection(db, { id, merchantId, address, accountId: undefined })
}

async function payClaim(
  parts: WithdrawalParts,
  tx: Tx,
  invoice: Invoice,
  { id, address: text, isChecked }: ClaimRequest & { readonly isChecked: boolean },
): Promise<Withdrawal> {
  const { merchantId } = invoice
  const method = parts.methods.followedById(invoice.paymentMethodId)
  if (method === undefined)
    throw fail('invoice-not-payable', 'The payment method of the invoice is disabled.')
  const { address } = await admitDestination(parts, tx, { id, merchantId, address: text }, method)
  // Only lists and answers in the database are used here; no node is asked. The network's sanctions oracle
  // may list the address although its answer is not stored yet. The check before approval then rejects the
  // withdrawal, and the invoice can be claimed again.
  if ((await parts.screening.screenStored(tx, method.network, address)) === 'listed') throw listed()
  if (!isChecked && parts.foreignContracts.mustAsk(method.network))
    throw new UncheckedDestination({ id, merchantId, network: method.network, address, accountId: undefined })
  const payoutMinor = await quote(tx, invoice, method)
  const terms = await readWithdrawalTerms(parts, tx, merchantId, method)
  const feeMinor = chargeFee(payoutMinor, terms, method)
  const wanted = {
    id,
    merchantId,
    address,
    amountMinor: payoutMinor + feeMinor,
    feeMinor,
    invoiceId: invoice.id,
  }
  return orderWithdrawal(parts, tx, method, wanted, undefined)
}

/**
 * Returns the invoice's amount in the asset at the current price. The quote is stored, just like the quote of
 * a payer.
 */
async function quote(tx: Tx, invoice: Invoice, method: PaymentMethod): Promise<bigint> {
  const { id, amountUsd, expiresAt } = invoice
  const rate = await freshRate(tx, method.symbol)
  if (rate === undefined) {
    const detail = `There is no recent price of ${method.symbol}. Try again shortly.`
    throw fail('rate-unavailable', detail, { retryAfterS: 10 })
  }
  const context = await findInvoice(tx, id)
  if (context === undefined) throw fail('not-found', 'No such invoice.')
  const fullMinor = fullAmountMinor(amountUsd, rate.priceUsd, method.decimals)
  const made = {
    id: newId(),
    invoiceId: id,
    paymentMethodId: method.id,
    priceUsd: rate.priceUsd,
    fullMinor,
    quotedAt: context.now,
    expiresAt: quoteExpiry(context.now, method.isStable, expiresAt),
  }
  await insertQuote(tx, withQuoteMac(macsOf(tx), made, invoice), rate)
  return fullMinor
}

/**
 * Returns the withdrawal that pays the invoice to the same address. The token is not checked here, because it
 * was checked before.
 */
async function findSame(
  { methods, codecOf }: WithdrawalParts,
  tx: Tx,
  { invoiceId, address }: ClaimRequest,
): Promise<Withdrawal | undefined> {
  const paying = await findByClaim(tx, invoiceId)
  const method = paying && methods.byId(paying.paymentMethodId)
  if (method === undefined) return undefined
  return readDestination(methods, codecOf(method.network), method, address) === paying?.address
    ? paying
    : undefined
}

/**
 * Returns the problem that tells a payee that the merchant cannot pay now, without revealing the merchant's
 * balance.
 */
function tooLittle(): Problem {
  const detail =
    'There is not enough money to pay this claim at the moment. The claim stays open; try again later.'
  return fail('insufficient-balance', detail)
}

function isOfTheMerchant(error: unknown): boolean {
  const codes = ['insufficient-balance', 'payouts-frozen', 'too-many-withdrawals'] as const
  return codes.some((code) => isProblem(error, code))
}

function isProblem(error: unknown, code: ProblemCode): boolean {
  return error instanceof Problem && error.code === code
}
