/** The request for an invoice, and the rules of its fields. */
import { failField } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { InvoiceType } from './invoice.ts'

export interface InvoiceRequest {
  readonly id: string
  readonly merchantId: string
  readonly type: InvoiceType
  /** In USD, as the merchant sent the amount. */
  readonly amount: string
  readonly paymentMethodId: number
  /** More methods, besides `paymentMethodId`, that the payer may choose. */
  readonly paymentMethodIds?: readonly number[] | undefined
  readonly description?: string | undefined
  readonly reference?: string | undefined
  readonly redirectUrl?: string | undefined
  readonly expiresInMinutes?: number | undefined
}

interface LifetimeLimits {
  /** The lifetime if the merchant sets none. If undefined, the invoice does not expire. */
  readonly defaultMinutes: number | undefined
  readonly maxMinutes: number
}

const dayMinutes = 24 * 60

const lifetimes: Readonly<Record<InvoiceType, LifetimeLimits>> = {
  onetime: { defaultMinutes: 60, maxMinutes: limits.invoiceLifetimeMinutes },
  reusable: { defaultMinutes: undefined, maxMinutes: limits.invoiceLifetimeMinutes },
  collect: { defaultMinutes: 30 * dayMinutes, maxMinutes: limits.invoiceLifetimeMinutes },
  withdraw: { defaultMinutes: 7 * dayMinutes, maxMinutes: 90 * dayMinutes },
}

/**
 * Rejects URLs to which the checkout must not redirect a payer. Only plain web addresses are allowed, not
 * `javascript:` or `data:`. A URL with a user name is rejected, because `https://bank.example@evil.example`
 * looks like the bank's URL.
 * @throws Problem invalid-request
 */
export function checkRedirect(text: string | undefined, allowHttp: boolean): void {
  if (text === undefined) return
  const pointer = '/redirectURL'
  // `new URL` removes tabs, line ends and outer blanks, reads a backslash as a slash, and adds slashes to
  // "https:claim". Such text is rejected before it is parsed.
  if (/[\s\\\p{Cc}]/u.test(text) || /^https?:(?!\/\/[^/])/i.test(text) || !URL.canParse(text)) {
    throw failField(pointer, 'must be an absolute URL such as "https://shop.example/thanks"')
  }
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) {
    throw failField(pointer, 'must begin with "https://"')
  }
  if (username !== '' || password !== '') throw failField(pointer, 'must not contain a user name or password')
}

/**
 * Returns the ids of the methods that the payer may choose, each once, in the order of the request.
 * @throws Problem invalid-request, if one of them is not enabled
 */
export function offeredMethods(
  methods: PaymentMethods,
  { type, paymentMethodId, paymentMethodIds = [] }: InvoiceRequest,
): readonly number[] {
  const ids = [...new Set([paymentMethodId, ...paymentMethodIds])]
  for (const [index, id] of ids.entries()) {
    if (methods.enabledById(id) !== undefined) continue
    const pointer = index === 0 ? '/paymentMethodID' : '/paymentMethodIDs'
    throw failField(pointer, `must be an enabled payment method, not ${id}; see GET /payment-methods`)
  }
  if (type === 'withdraw' && ids.length > 1) {
    throw failField(
      '/paymentMethodIDs',
      'must contain no method other than paymentMethodID, because a withdraw invoice is paid out in that method',
    )
  }
  return ids
}

/**
 * Returns the lifetime of the invoice in minutes; undefined if the invoice does not expire.
 * @throws Problem invalid-request, if the requested lifetime is too long for the type
 */
export function lifetimeOf({ type, expiresInMinutes }: InvoiceRequest): number | undefined {
  const { defaultMinutes, maxMinutes } = lifetimes[type]
  if (expiresInMinutes !== undefined && expiresInMinutes > maxMinutes) {
    throw failField('/expiresInMinutes', `must be at most ${maxMinutes} for type "${type}"`)
  }
  return expiresInMinutes ?? defaultMinutes
}
