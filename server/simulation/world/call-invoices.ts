/** Requests of merchants to delete or archive their invoices. */
import { archiveInvoice } from '../../src/payments/invoices/archive-invoice.ts'
import { deleteInvoice } from '../../src/payments/invoices/delete-invoice.ts'
import type { ShownAddress } from '../model/model.ts'
import { type Called, caller, requestOf } from './call-api.ts'
import type { Installation } from './installation.ts'

type ModelInvoice = Pick<ShownAddress, 'merchantId' | 'invoiceId'>

export function callArchiveInvoice(
  world: Installation,
  { merchantId, invoiceId }: ModelInvoice,
): Promise<Called> {
  return requestOf(world, { merchantId }, 'archive an invoice', async ({ db }, answered) => {
    await archiveInvoice(db, merchantId, invoiceId)
    await answered()
  })
}

/** Deletes an invoice. The API rejects the request while a payment to the invoice is pending. */
export function callDeleteInvoice(
  world: Installation,
  { merchantId, invoiceId }: ModelInvoice,
): Promise<Called> {
  return requestOf(world, { merchantId }, 'delete an invoice', async (parts, answered) => {
    await deleteInvoice(parts, { caller, merchantId, invoiceId })
    await answered()
    world.model.deleted.add(invoiceId)
  })
}
