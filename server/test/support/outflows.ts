/** Books payments of outflows as an operator does. */
import { type OutflowPayment, readUnbooked } from '../../src/outgoing/engine/recovery/outflow-store.ts'
import { type BookOutflowParts, bookOutflow } from '../../src/outgoing/treasury/book-outflow.ts'

/**
 * Books all payments whose orders the database does not have, and returns how many there were.
 * @param ownerOf returns the merchant that had ordered a payment; the operator's capital is charged if it returns
 *   undefined
 */
export async function bookOutflows(
  parts: BookOutflowParts,
  ownerOf: (payment: OutflowPayment) => string | undefined = () => undefined,
): Promise<number> {
  const payments = await readUnbooked(parts.db)
  for (const payment of payments)
    await bookOutflow(parts, { paymentId: payment.id, merchantId: ownerOf(payment), reason: 'a test' })
  return payments.length
}
