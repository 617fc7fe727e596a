/** Requests of merchants to delete or archive their invoices. */
import { Problem } from '../../src/core/errors.ts'
import { archiveInvoice } from '../../src/payments/invoices/archive-invoice.ts'
import { deleteInvoice } from '../../src/payments/invoices/delete-invoice.ts'
import type { Deletion } from '../model/deletion.ts'
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
    const deletion: Deletion = { invoiceId, answer: undefined }
    world.model.deletions.push(deletion)
    try {
      await deleteInvoice(parts, { caller, merchantId, invoiceId })
    } catch (error) {
      if (error instanceof Problem) deletion.answer = 'rejected'
      throw error
    }
    await answered()
    deletion.answer = 'deleted'
  })
}
