import type { KeyObject } from 'node:crypto'
import { Batches } from '../../core/concurrency/batches.ts'
import { fail, failField } from '../../core/errors.ts'
import { formatDecimal, parseDecimal, usdDecimals } from '../../core/money.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type LimitType, minimumUsdFor } from '../../pricing/limits/limit.ts'
import { readLimits } from '../../pricing/limits/read-limits.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { claimHash, claimToken } from './claims/claim.ts'
import type { Invoice, NewInvoice } from './invoice.ts'
import { checkRedirect, type InvoiceRequest, lifetimeOf, offeredMethods } from './invoice-request.ts'
import { findConflicting, insertInvoices } from './store.ts'

export interface CreateInvoiceParts {
  readonly db: Queryable
  readonly inserts: InvoiceInserts
  readonly methods: PaymentMethods
  readonly claimKey: KeyObject
  /** Whether a payer may be redirected over plain HTTP, for shops under development. */
  readonly allowHttpRedirect: boolean
}

/**
 * Stores new invoices. Invoices that are requested at the same time share one commit. The result is false for
 * an invoice whose id or reference is in use.
 */
export type InvoiceInserts = Batches<NewInvoice, boolean>

export function openInserts(db: Queryable): InvoiceInserts {
  return new Batches({
    concurrency: 2,
    itemsMax: 100,
    run: async (invoices) => {
      const stored = await insertInvoices(db, invoices)
      return ({ id }) => stored.has(id)
    },
  })
}

/**
 * Creates an invoice and returns its id. Repeating a request with the same invoice id changes nothing and
 * returns the id again. If another invoice with the same reference and the same body exists, its id is
 * returned.
 * @throws Problem invalid-request for an invalid field; below-minimum if a collect or withdraw invoice is too
 * small; reference-taken if the reference exists with another body
 */
export async function createInvoice(parts: CreateInvoiceParts, request: InvoiceRequest): Promise<string> {
  const invoice = toNewInvoice(parts, request)
  const { type } = invoice
  if (type === 'collect' || type === 'withdraw') await refuseBelowMinimum(parts, type, invoice)
  if (await parts.inserts.do(invoice)) return invoice.id
  const existing = await findConflicting(parts.db, invoice)
  if (existing?.id === invoice.id) return existing.id
  if (existing === undefined || !isSame(existing, invoice)) {
    throw fail(
      'reference-taken',
      `An invoice with reference "${invoice.reference}" and a different body already exists.`,
    )
  }
  return existing.id
}

function toNewInvoice(parts: CreateInvoiceParts, request: InvoiceRequest): NewInvoice {
  const { id, type } = request
  const amountUsd = parseDecimal(request.amount, usdDecimals)
  if (amountUsd === undefined || amountUsd === 0n) {
    throw failField('/amount', 'must be a decimal above 0 with at most 8 decimal places, such as "10.50"')
  }
  checkRedirect(request.redirectUrl, parts.allowHttpRedirect)
  return {
    id,
    merchantId: request.merchantId,
    type,
    amount: request.amount,
    amountUsd,
    paymentMethodIds: offeredMethods(parts.methods, request),
    description: request.description,
    reference: request.reference,
    redirectUrl: request.redirectUrl,
    lifetimeMinutes: lifetimeOf(request),
    collectState: type === 'collect' ? 'collecting' : undefined,
    claimHash: type === 'withdraw' ? claimHash(claimToken(parts.claimKey, id)) : undefined,
  }
}

/**
 * Throws if the amount is below the merchant's minimum in USD for the methods. A withdraw invoice is checked
 * again when it is claimed, because its amount in the asset is known only then.
 */
async function refuseBelowMinimum(
  { db, methods }: CreateInvoiceParts,
  type: LimitType,
  { merchantId, amountUsd, paymentMethodIds }: NewInvoice,
): Promise<void> {
  const minimumUsd = minimumUsdFor(await readLimits(db, methods, merchantId), type, paymentMethodIds)
  if (amountUsd >= minimumUsd) return
  const asked = type === 'collect' ? 'a collect invoice must request' : 'a withdraw invoice must pay out'
  throw fail('below-minimum', `/amount: ${asked} at least ${formatDecimal(minimumUsd, usdDecimals)} USD.`)
}

function isSame(existing: Invoice, asked: NewInvoice): boolean {
  return (
    existing.type === asked.type &&
    existing.amount === asked.amount &&
    existing.description === asked.description &&
    existing.redirectUrl === asked.redirectUrl &&
    existing.paymentMethodIds.join() === asked.paymentMethodIds.join() &&
    lifetimeMinutesOf(existing) === asked.lifetimeMinutes
  )
}

function lifetimeMinutesOf({ createdAt, expiresAt }: Invoice): number | undefined {
  return expiresAt && Math.round((expiresAt.getTime() - createdAt.getTime()) / 60_000)
}
