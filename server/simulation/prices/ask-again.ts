/** Requests of payers who ask again for the payment address of an invoice. */
import { Problem } from '../../src/core/errors.ts'
import { givePaymentAddress } from '../../src/payments/invoices/addresses/give-payment-address.ts'
import type { ShownAddress } from '../model/model.ts'
import { type Called, request } from '../world/call-api.ts'
import type { Installation } from '../world/installation.ts'
import type { AskedQuote } from './price-reading.ts'

export function callAskAgain(
  world: Installation,
  { invoiceId, methodId }: Pick<ShownAddress, 'invoiceId' | 'methodId'>,
): Promise<Called> {
  const { model, time } = world
  return request(world, 'ask for an address again', async (parts, answered) => {
    const asked: AskedQuote = { invoiceId, requestedMs: time.trueMs, answer: undefined }
    model.askedQuotes.push(asked)
    try {
      const { amountMinor, expiresAt } = await givePaymentAddress(parts, invoiceId, methodId)
      await answered()
      asked.answer = { amountMinor, expiresMs: expiresAt.getTime(), answeredMs: time.trueMs }
    } catch (error) {
      // A request that is rejected makes no quote.
      if (error instanceof Problem) model.askedQuotes.splice(model.askedQuotes.indexOf(asked), 1)
      throw error
    }
  })
}
