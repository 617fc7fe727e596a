import { fail, failField } from '../../core/errors.ts'
import { formatDecimal, roundToDecimals } from '../../core/money.ts'
import {
  givePaymentAddress,
  type PaymentAddressParts,
} from '../../payments/invoices/addresses/give-payment-address.ts'
import { findInvoice } from '../../payments/invoices/store.ts'
import { type PaymentMethod, payerDecimals } from '../../pricing/payment-methods/payment-method.ts'
import { type DevNodes, payFromFaucet } from '../../sandbox/faucet.ts'

export const paidHow = ['exact', 'short', 'over'] as const

export interface SandboxPayment {
  readonly invoiceId: string
  /** The payment method; if undefined, the first payment method of the invoice is used. */
  readonly paymentMethodId: number | undefined
  readonly how: (typeof paidHow)[number]
}

export interface SandboxParts extends PaymentAddressParts, DevNodes {}

/** The part of the due amount that is paid, in percent. */
const shares: Readonly<Record<SandboxPayment['how'], bigint>> = { exact: 100n, short: 60n, over: 130n }

/**
 * Pays an invoice as a customer would: to the address that the invoice's address route returns. `how` decides
 * whether the due amount, less or more is paid. A payment of an expired invoice is late.
 * @throws Problem invalid-request, not-found, not-ready, and the errors of `givePaymentAddress`
 */
export async function payInSandbox(
  parts: SandboxParts,
  { invoiceId, paymentMethodId, how }: SandboxPayment,
  signal: AbortSignal,
) {
  const methodId = paymentMethodId ?? (await firstMethodOf(parts, invoiceId))
  const { method, address, amountMinor } = await givePaymentAddress(parts, invoiceId, methodId)
  if (method.network === 'litecoin' && parts.litecoinUrl === undefined)
    throw failField('/paymentMethodID', 'belongs to a chain that this sandbox does not have')
  const sentMinor = shareOf(method, amountMinor, shares[how])
  const payment = { ...method, to: address, amountMinor: sentMinor }
  const txHash = await onDevChain(payFromFaucet(parts, payment, signal))
  return { txHash, amount: formatDecimal(sentMinor, method.decimals), currency: method.symbol }
}

/**
 * Awaits a request to the dev chain. The error contains the node's own message, because the users of a
 * sandbox are developers.
 * @throws Problem not-ready if the dev chain fails
 */
export async function onDevChain<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw fail('not-ready', `The request to the dev chain failed: ${reason}.`)
  }
}

async function firstMethodOf({ db }: SandboxParts, invoiceId: string): Promise<number> {
  const invoice = await findInvoice(db, invoiceId)
  if (invoice === undefined) throw fail('not-found', 'No such invoice.')
  return invoice.invoice.paymentMethodId
}

function shareOf(method: PaymentMethod, amountMinor: bigint, percent: bigint): bigint {
  return roundToDecimals((amountMinor * percent) / 100n, method.decimals, payerDecimals(method), 'up')
}
