import type { KeyObject } from 'node:crypto'
import { Batches } from '../../core/concurrency/batches.ts'
import { fail, failField } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { formatDecimal, parseDecimal, usdDecimals } from '../../core/money.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { type LimitType, minimumUsdFor } from '../../pricing/limits/limit.ts'
import { readLimits } from '../../pricing/limits/read-limits.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { claimHash, claimToken } from './claims/claim.ts'
import type { Invoice, InvoiceType, NewInvoice } from './invoice.ts'
import { checkRedirect } from './redirect.ts'
import { findInTheWay, insertInvoices } from './store.ts'

export interface InvoiceRequest {
  readonly id: string
  readonly merchantId: string
  readonly type: InvoiceType
  /** USD, as the merchant typed it. */
  readonly amount: string
  readonly paymentMethodId: number
  /** Further methods the payer may choose. */
  readonly paymentMethodIds?: readonly number[] | undefined
  readonly description?: string | undefined
  readonly reference?: string | undefined
  readonly redirectUrl?: string | undefined
  readonly expiresInMinutes?: number | undefined
}

export interface CreateInvoiceParts {
  readonly db: Queryable
  readonly inserts: InvoiceInserts
  readonly methods: PaymentMethods
  readonly claimKey: KeyObject
  /** Whether a payer may be sent back over plain HTTP, as to a shop under development. */
  readonly allowHttpRedirect: boolean
}

/** Stores new invoices, those that come at the same time in one commit; false when its id or reference is in use. */
export type InvoiceInserts = Batches<NewInvoice, boolean>

export function openInserts(db: Queryable): InvoiceInserts {
  return new Batches({
    lanes: 2,
    itemsMax: 100,
    run: async (invoices) => {
      const stored = await insertInvoices(db, invoices)
      return ({ id }) => stored.has(id)
    },
  })
}

interface Life {
  /** Undefined: it does not expire unless its merchant says so. */
  readonly defaultMinutes: number | undefined
  readonly maxMinutes: number
}

const dayMinutes = 24 * 60

const lives: Readonly<Record<InvoiceType, Life>> = {
  onetime: { defaultMinutes: 60, maxMinutes: limits.invoiceLifeMinutes },
  reusable: { defaultMinutes: undefined, maxMinutes: limits.invoiceLifeMinutes },
  collect: { defaultMinutes: 30 * dayMinutes, maxMinutes: limits.invoiceLifeMinutes },
  withdraw: { defaultMinutes: 7 * dayMinutes, maxMinutes: 90 * dayMinutes },
}

/**
 * Creates an invoice and returns its id. The same reference with the same body returns the same invoice, and so does
 * the same id, with which a request comes that is run again.
 * @throws Problem invalid-request for a field that cannot be; below-minimum for too small a collection or payout;
 * reference-taken for another body under a reference
 */
export async function createInvoice(parts: CreateInvoiceParts, request: InvoiceRequest): Promise<string> {
  const invoice = toNewInvoice(parts, request)
  const { type } = invoice
  if (type === 'collect' || type === 'withdraw') await refuseBelowMinimum(parts, type, invoice)
  if (await parts.inserts.do(invoice)) return invoice.id
  const existing = await findInTheWay(parts.db, invoice)
  if (existing?.id === invoice.id) return existing.id
  if (existing === undefined || !isSame(existing, invoice)) {
    throw fail('reference-taken', `An invoice with reference "${invoice.reference}" and another body exists.`)
  }
  return existing.id
}

function toNewInvoice(parts: CreateInvoiceParts, request: InvoiceRequest): NewInvoice {
  const { id, type } = request
  const amountUsd = parseDecimal(request.amount, usdDecimals)
  if (amountUsd === undefined || amountUsd === 0n) {
    throw failField('/amount', 'must be a decimal above 0 with at most 8 places, such as "10.50"')
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
    lifeMinutes: lifeOf(request),
    collectState: type === 'collect' ? 'collecting' : undefined,
    claimHash: type === 'withdraw' ? claimHash(claimToken(parts.claimKey, id)) : undefined,
  }
}

function offeredMethods(
  methods: PaymentMethods,
  { type, paymentMethodId, paymentMethodIds = [] }: InvoiceRequest,
): readonly number[] {
  const ids = [...new Set([paymentMethodId, ...paymentMethodIds])]
  for (const [place, id] of ids.entries()) {
    if (methods.enabledById(id) !== undefined) continue
    const pointer = place === 0 ? '/paymentMethodID' : '/paymentMethodIDs'
    throw failField(pointer, `${id} is no enabled payment method; see GET /payment-methods`)
  }
  if (type === 'withdraw' && ids.length > 1) {
    throw failField('/paymentMethodIDs', 'a withdraw invoice is paid out in its paymentMethodID alone')
  }
  return ids
}

function lifeOf({ type, expiresInMinutes }: InvoiceRequest): number | undefined {
  const { defaultMinutes, maxMinutes } = lives[type]
  if (expiresInMinutes !== undefined && expiresInMinutes > maxMinutes) {
    throw failField('/expiresInMinutes', `must be at most ${maxMinutes} for type "${type}"`)
  }
  return expiresInMinutes ?? defaultMinutes
}

/**
 * The minimum in USD, as it was set for the method. What a claim is worth in the asset is known when it is made, and held to
 * the minimum again.
 */
async function refuseBelowMinimum(
  { db, methods }: CreateInvoiceParts,
  type: LimitType,
  { merchantId, amountUsd, paymentMethodIds }: NewInvoice,
): Promise<void> {
  const minimumUsd = minimumUsdFor(await readLimits(db, methods, merchantId), type, paymentMethodIds)
  if (amountUsd >= minimumUsd) return
  const asked = type === 'collect' ? 'a collection must ask for' : 'a withdraw invoice must pay out'
  throw fail('below-minimum', `/amount: ${asked} at least ${formatDecimal(minimumUsd, usdDecimals)} USD.`)
}

function isSame(existing: Invoice, asked: NewInvoice): boolean {
  return (
    existing.type === asked.type &&
    existing.amount === asked.amount &&
    existing.description === asked.description &&
    existing.redirectUrl === asked.redirectUrl &&
    existing.paymentMethodIds.join() === asked.paymentMethodIds.join() &&
    lifeMinutesOf(existing) === asked.lifeMinutes
  )
}

function lifeMinutesOf({ createdAt, expiresAt }: Invoice): number | undefined {
  return expiresAt && Math.round((expiresAt.getTime() - createdAt.getTime()) / 60_000)
}
