import { fail, failField } from '../core/errors.ts'
import { parseDecimal, usdDecimals } from '../core/money.ts'
import type { Queryable } from '../db/pool.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import type { Invoice, InvoiceType } from './invoice.ts'
import { findByReference, insertInvoice, type NewInvoice } from './store.ts'

export interface InvoiceRequest {
  readonly id: string
  readonly merchantId: string
  readonly type: InvoiceType
  /** USD, as the merchant typed it. */
  readonly amount: string
  readonly paymentMethodId: number
  /** Further methods the payer may choose. */
  readonly paymentMethodIds: readonly number[]
  readonly description: string | undefined
  readonly reference: string | undefined
  readonly expiresInMinutes: number | undefined
}

export interface CreateInvoiceParts {
  readonly db: Queryable
  readonly methods: PaymentMethods
}

const onetimeLifeMinutes = 60

/**
 * Creates an invoice and returns its id. The same reference with the same body returns the same invoice.
 * @throws Problem invalid-request for a field that cannot be; reference-taken for another body under a reference
 */
export async function createInvoice(
  { db, methods }: CreateInvoiceParts,
  request: InvoiceRequest,
): Promise<string> {
  const invoice = toNewInvoice(methods, request)
  if (await insertInvoice(db, invoice)) return invoice.id
  const existing = await findByReference(db, invoice.merchantId, invoice.reference ?? '')
  if (existing === undefined || !isSame(existing, invoice)) {
    throw fail('reference-taken', `An invoice with reference "${invoice.reference}" and another body exists.`)
  }
  return existing.id
}

function toNewInvoice(methods: PaymentMethods, request: InvoiceRequest): NewInvoice {
  const amountUsd = parseDecimal(request.amount, usdDecimals)
  if (amountUsd === undefined || amountUsd === 0n) {
    throw failField('/amount', 'must be a decimal above 0 with at most 8 places, such as "10.50"')
  }
  if (request.type !== 'onetime') {
    throw failField('/type', `"${request.type}" is not offered by this version; send "onetime"`)
  }
  const paymentMethodIds = [...new Set([request.paymentMethodId, ...request.paymentMethodIds])]
  for (const [place, id] of paymentMethodIds.entries()) {
    if (methods.enabledById(id) !== undefined) continue
    const pointer = place === 0 ? '/paymentMethodID' : '/paymentMethodIDs'
    throw failField(pointer, `${id} is no enabled payment method; see GET /payment-methods`)
  }
  return {
    id: request.id,
    merchantId: request.merchantId,
    type: request.type,
    amount: request.amount,
    amountUsd,
    paymentMethodIds,
    description: request.description,
    reference: request.reference,
    lifeMinutes: request.expiresInMinutes ?? onetimeLifeMinutes,
  }
}

function isSame(existing: Invoice, asked: NewInvoice): boolean {
  return (
    existing.type === asked.type &&
    existing.amount === asked.amount &&
    existing.description === asked.description &&
    existing.paymentMethodIds.join() === asked.paymentMethodIds.join() &&
    lifeMinutesOf(existing) === asked.lifeMinutes
  )
}

function lifeMinutesOf({ createdAt, expiresAt }: Invoice): number | undefined {
  return expiresAt && Math.round((expiresAt.getTime() - createdAt.getTime()) / 60_000)
}
