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
import { admitDestination, chargeFee, type WithdrawalParts } from '../create-withdrawal.ts'
import { placeWithdrawal } from '../place-withdrawal.ts'
import { readDestination } from '../read-destination.ts'
import { readWithdrawalTerms } from '../read-terms.ts'
import { listed, recordRefusal } from '../refuse-listed.ts'
import { findByClaim } from '../store.ts'
import type { Withdrawal } from '../withdrawal.ts'
import { findStandingClaim } from './claim-history-store.ts'

export interface ClaimRequest {
  /** Of the withdrawal that is to pay it. */
  readonly id: string
  readonly invoiceId: string
  readonly token: string
  /** As the payee typed it. */
  readonly address: string
}

/**
 * Pays a withdraw invoice out to whoever holds its token: the whole amount at this moment's price, the fee on top, held
 * on the merchant's balance. Whatever is refused leaves the claim open. Asked again with the same address it answers the
 * payout that is under way.
 * @throws Problem not-found for a wrong token as for a missing invoice, before anything else is looked at;
 *   invoice-not-payable, invalid-address, listed-address, rate-unavailable, below-minimum, fee-exceeds-amount, insufficient-balance
 * @throws AlertError where the claim is not as it was made, or was taken before
 */
export async function claimPullPayment(parts: WithdrawalParts, request: ClaimRequest): Promise<Withdrawal> {
  try {
    return await inTransaction(parts.db, (tx) => claimIn(parts, tx, request))
  } catch (error) {
    if (isProblem(error, 'listed-address')) await recordRefusedClaim(parts.db, request)
    throw error
  }
}

async function claimIn(parts: WithdrawalParts, tx: Tx, request: ClaimRequest): Promise<Withdrawal> {
  try {
    const invoice = await takeClaim(tx, request.invoiceId, request.token)
    await requireUntaken(tx, invoice)
    return await payClaim(parts, tx, invoice, request)
  } catch (error) {
    const repeated = isProblem(error, 'invoice-not-payable') && (await findSame(parts, tx, request))
    if (repeated) return repeated
    throw isOfTheMerchant(error) ? tooLittle() : error
  }
}

/** @throws AlertError where the invoice says that its claim is open, and the books say that it was paid or is being paid */
async function requireUntaken(tx: Tx, { id }: Invoice): Promise<void> {
  const standing = await findStandingClaim(tx, id)
  if (standing === undefined) return
  const detail = `the claim of invoice ${id} is said to be open, and withdrawal ${standing} took it`
  throw new AlertError('claim-tampered', detail)
}

/** In a transaction of its own, as that of the claim is rolled back: nothing was held. */
async function recordRefusedClaim(db: Db, { id, invoiceId, address }: ClaimRequest): Promise<void> {
  const merchantId = (await findInvoice(db, invoiceId))?.invoice.merchantId
  await recordRefusal(db, { id, merchantId, address, accountId: undefined })
}

async function payClaim(
  parts: WithdrawalParts,
  tx: Tx,
  invoice: Invoice,
  { id, address: text }: ClaimRequest,
): Promise<Withdrawal> {
  const { merchantId } = invoice
  const method = parts.methods.enabledById(invoice.paymentMethodId)
  if (method === undefined) throw fail('invoice-not-payable', 'Its payment method is switched off.')
  const { address } = await admitDestination(parts, tx, { id, merchantId, address: text }, method)
  // What only the oracle knows comes out before the payout is approved, which opens the claim again.
  if ((await parts.screening.screenStored(tx, method.network, address)) === 'listed') throw listed()
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
  return placeWithdrawal(parts, tx, method, wanted, undefined)
}

/** What the invoice is in the asset now; the quote is kept, as for whoever pays one. */
async function quote(tx: Tx, invoice: Invoice, method: PaymentMethod): Promise<bigint> {
  const { id, amountUsd, expiresAt } = invoice
  const rate = await freshRate(tx, method.symbol)
  if (rate === undefined) {
    const detail = `No fresh price of ${method.symbol}. Try again shortly.`
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

/** The payout of a claim that was taken with the same address: whoever asks again has proven to hold the token. */
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

/** A payee learns that the merchant cannot pay, and nothing of its balance. */
function tooLittle(): Problem {
  const detail = 'There is not enough to pay this at the moment. The claim stays open; try again later.'
  return fail('insufficient-balance', detail)
}

function isOfTheMerchant(error: unknown): boolean {
  const codes = ['insufficient-balance', 'payouts-frozen', 'too-many-withdrawals'] as const
  return codes.some((code) => isProblem(error, code))
}

function isProblem(error: unknown, code: ProblemCode): boolean {
  return error instanceof Problem && error.code === code
}
