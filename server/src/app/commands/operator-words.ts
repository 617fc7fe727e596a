import { isId } from '../../core/ids.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { UsageError } from './command.ts'

/** Options that say what an operator's figure applies to. */
export const targetOptions = { merchant: { type: 'string' }, method: { type: 'string' } } as const

/** @throws UsageError for what is no id of a merchant, or names no payment method or several */
export function readTarget(
  methods: PaymentMethods,
  { merchant, method }: { readonly merchant?: string | undefined; readonly method?: string | undefined },
): { readonly merchantId: string | undefined; readonly paymentMethodId: number | undefined } {
  if (merchant !== undefined && !isId(merchant)) throw new UsageError(`"${merchant}" is no id of a merchant`)
  return {
    merchantId: merchant?.toLowerCase(),
    paymentMethodId: method === undefined ? undefined : findMethod(methods, method).id,
  }
}

/** A text that a merchant chose, as a terminal may be given it: nothing in it moves the cursor or hides what stands beside it. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}')
}

/** By number, or by a symbol that only one network has. */
function findMethod(methods: PaymentMethods, text: string): PaymentMethod {
  const found = methods.all.filter(
    ({ id, symbol }) => String(id) === text || symbol.toLowerCase() === text.toLowerCase(),
  )
  const [method] = found
  if (method !== undefined && found.length === 1) return method
  const known = methods.all.map(({ id, symbol, network }) => `${id} (${symbol} on ${network})`).join(', ')
  throw new UsageError(`"${text}" names ${found.length} payment methods; there are ${known}`)
}

/** What a stored figure applies to, for people. */
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
