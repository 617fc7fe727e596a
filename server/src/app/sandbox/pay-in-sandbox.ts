import { fail, failField } from '../../core/errors.ts'
import { formatDecimal, roundToPlaces } from '../../core/money.ts'
import {
  givePaymentAddress,
  type PaymentAddressParts,
} from '../../payments/invoices/addresses/give-payment-address.ts'
import { findInvoice } from '../../payments/invoices/store.ts'
import { type PaymentMethod, payerPlaces } from '../../pricing/payment-methods/payment-method.ts'
import { type DevNodes, payAsOutsider } from '../../sandbox/outsider.ts'

export const paidHow = ['exact', 'short', 'over'] as const

export interface SandboxPayment {
  readonly invoiceId: string
  /** The invoice's first one when absent. */
  readonly paymentMethodId: number | undefined
  readonly how: (typeof paidHow)[number]
}

export interface SandboxParts extends PaymentAddressParts, DevNodes {}

/** In hundredths of what is due. */
const shares: Readonly<Record<SandboxPayment['how'], bigint>> = { exact: 100n, short: 60n, over: 130n }

/**
 * Pays an invoice as a customer would: where and as much as its address route says, or less, or more. One that is over is
 * paid late.
 * @throws Problem invalid-request, not-found, not-ready, and those of `givePaymentAddress`
 */
export async function payInSandbox(
  parts: SandboxParts,
  { invoiceId, paymentMethodId, how }: SandboxPayment,
  signal: AbortSignal,
) {
  const methodId = paymentMethodId ?? (await firstMethodOf(parts, invoiceId))
  const { method, address, amountMinor } = await givePaymentAddress(parts, invoiceId, methodId)
  if (method.network === 'litecoin' && parts.litecoinUrl === undefined)
    throw failField('/paymentMethodID', 'is of a chain that this sandbox does not have')
  const sentMinor = shareOf(method, amountMinor, shares[how])
  const payment = { ...method, to: address, amountMinor: sentMinor }
  const txHash = await onDevChain(payAsOutsider(parts, payment, signal))
  return { txHash, amount: formatDecimal(sentMinor, method.decimals), currency: method.symbol }
}

/** What the node says when it refuses is for whoever tries the sandbox out. @throws Problem not-ready */
export async function onDevChain<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw fail('not-ready', `The dev chain did not do it: ${reason}.`)
  }
}

async function firstMethodOf({ db }: SandboxParts, invoiceId: string): Promise<number> {
  const invoice = await findInvoice(db, invoiceId)
  if (invoice === undefined) throw fail('not-found', 'No such invoice.')
  return invoice.invoice.paymentMethodId
}

function shareOf(method: PaymentMethod, amountMinor: bigint, percent: bigint): bigint {
  return roundToPlaces((amountMinor * percent) / 100n, method.decimals, payerPlaces(method), 'up')
}
