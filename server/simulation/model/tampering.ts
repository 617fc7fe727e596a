/** The rows that an attacker changed in the database, and the orders, invoices and balances that they concern. */
import type { ModelAsset } from './asset.ts'

/** A change of one row that the attacker made with the rights of the service. */
export interface Tampering {
  /** What the attacker did, such as "approves an order". */
  readonly what: string
  readonly table: string
  /** The primary key of the row. */
  readonly id: string
  /** The values that the attacker wrote, by column, as JSON text. */
  readonly written: string
  /** The merchants whose money the row is about, before and after the change. */
  readonly merchantIds: readonly string[]
  /** The payment method of the money that the row is about; undefined if it may be any. */
  readonly methodId: number | undefined
  readonly invoiceId: string | undefined
  /**
   * Invariants of `verify`, at least one of which must report the change as long as it remains. If there are none, an
   * active halt is enough.
   */
  readonly foundBy: readonly string[]
  /** A condition on the row, in SQL, under which nothing needs to report the change; undefined if there is none. */
  readonly harmlessIf: string | undefined
  /** Whether the change itself raises a balance that the API shows. */
  readonly raisesBalance: boolean
}

/** The part of the model that knows the changes. */
interface Tampered {
  readonly tamperings: readonly Tampering[]
}

export function isTamperedOrder({ tamperings }: Tampered, orderId: string): boolean {
  return tamperings.some(({ table, id }) => table === 'withdrawal' && id === orderId)
}

export function isTamperedInvoice({ tamperings }: Tampered, invoice: string): boolean {
  return tamperings.some(({ invoiceId }) => invoiceId === invoice)
}

/** Returns whether the attacker wrote the state of a payment, which then says nothing about when it was credited. */
export function isMarkedPayment({ tamperings }: Tampered, depositId: string): boolean {
  return tamperings.some(
    ({ table, id, written }) =>
      table === 'deposit' && id === depositId && 'state' in (JSON.parse(written) as object),
  )
}

/** Returns whether a changed row is about the money of a merchant in an asset. */
export function isTamperedPurse(model: Tampered, merchantId: string, asset: ModelAsset): boolean {
  return tamperingsOf(model, merchantId, asset).length > 0
}

/** Returns whether the attacker's own change raised the balance of a merchant in an asset. */
export function isRaisedPurse(model: Tampered, merchantId: string, asset: ModelAsset): boolean {
  return tamperingsOf(model, merchantId, asset).some(({ raisesBalance }) => raisesBalance)
}

function tamperingsOf({ tamperings }: Tampered, merchantId: string, asset: ModelAsset) {
  return tamperings.filter(
    ({ merchantIds, methodId }) =>
      merchantIds.includes(merchantId) && (methodId === undefined || methodId === asset.methodId),
  )
}
