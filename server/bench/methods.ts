import { devPaymentMethods } from '../src/pricing/payment-methods/catalogue.ts'
import { type PaymentMethods, paymentMethods } from '../src/pricing/payment-methods/payment-method.ts'

/** Returns the payment methods of the sandbox, with two confirmations each. */
export function methodsWith(tokens: { readonly USDT: string; readonly USDC: string }): PaymentMethods {
  const { USDT, USDC } = tokens
  const contracts = [
    { network: 'ethereum', symbol: 'USDT', contract: USDT },
    { network: 'ethereum', symbol: 'USDC', contract: USDC },
  ]
  return paymentMethods(devPaymentMethods(contracts), new Set(['ethereum']))
}
