import { isId } from '../../core/ids.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { UsageError } from './command.ts'

/** The options that select the merchant and payment method to which a value applies. */
export const targetOptions = { merchant: { type: 'string' }, method: { type: 'string' } } as const

/**
 * Returns the merchant and the payment method that the options select.
 * @throws UsageError if `merchant` is not an id, or if `method` matches no payment method or more than one
 */
export function readTarget(
  methods: PaymentMethods,
  { merchant, method }: { readonly merchant?: string | undefined; readonly method?: string | undefined },
): { readonly merchantId: string | undefined; readonly paymentMethodId: number | undefined } {
  if (merchant !== undefined && !isId(merchant))
    throw new UsageError(`"${merchant}" is not the id of a merchant`)
  return {
    merchantId: merchant?.toLowerCase(),
    paymentMethodId: method === undefined ? undefined : findMethod(methods, method).id,
  }
}

/**
 * Makes a merchant's text safe for a terminal. Control and format characters are replaced, because they could
 * move the cursor or hide other text.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}')
}

/**
 * Finds a payment method by its number, its asset such as base/ETH, or its symbol. If several networks have the
 * symbol, the one that this Coffer follows is meant. If it follows several of them, the symbol is not accepted.
 */
function findMethod(methods: PaymentMethods, text: string): PaymentMethod {
  const wanted = text.toLowerCase()
  const found = methods.all.filter(({ id, asset, symbol }) =>
    [String(id), asset.toLowerCase(), symbol.toLowerCase()].includes(wanted),
  )
  const followed = found.filter(({ id }) => methods.followedById(id) !== undefined)
  const [method] = found.length === 1 ? found : followed
  if (method !== undefined && (found.length === 1 || followed.length === 1)) return method
  const known = methods.all.map(({ id, symbol, network }) => `${id} (${symbol} on ${network})`).join(', ')
  throw new UsageError(`"${text}" matches ${found.length} payment methods; available: ${known}`)
}

/** Returns a text that names the merchant and payment method to which a stored value applies. */
export function describeTarget(
  methods: Pick<PaymentMethods, 'byId'>,
  {
    merchantID,
    paymentMethodID,
  }: { readonly merchantID: string | null; readonly paymentMethodID: number | null },
): string {
  const method =
    paymentMethodID === null
      ? 'every method'
      : `${paymentMethodID} ${methods.byId(paymentMethodID)?.symbol ?? ''}`.trim()
  return `${(merchantID ?? 'every merchant').padEnd(36)}  ${method.padEnd(12)}`
}
