/** What is the same whatever a customer pays in: the invoice, where to pay it, and what is told of it. */
import { textOf } from './client.ts'
import type { ReceivedEvent } from './receiver.ts'
import { type DemoParts, expectField, type Session, type Shop } from './session.ts'

export interface Lot {
  readonly methodId: number
  readonly symbol: string
  /** In USD. */
  readonly price: string
  readonly description: string
}

export interface Due {
  readonly invoiceId: string
  readonly address: string
  readonly amount: string
}

/** Creates the invoice of a lot and shows its customer where to pay. */
export async function askForPayment(parts: DemoParts, session: Session, shop: Shop, lot: Lot): Promise<Due> {
  return showAddress(parts, session, lot, await createInvoice(parts, session, shop, lot))
}

function createInvoice(
  { narrator }: DemoParts,
  { client }: Session,
  { key, merchantId }: Shop,
  { methodId, symbol, price, description }: Lot,
): Promise<string> {
  return narrator.step('Create an invoice', async () => {
    const body = { amount: price, type: 'onetime', paymentMethodID: methodId, description }
    const answer = await client.call(201, 'POST', `/merchants/${merchantId}/invoices`, { key, body })
    const id = textOf(answer, 'id')
    return { lines: [`${price} USD, to be paid in ${symbol}, ${id}`], value: id }
  })
}

function showAddress(
  { narrator }: DemoParts,
  { client }: Session,
  { methodId, symbol }: Lot,
  invoiceId: string,
): Promise<Due> {
  return narrator.step('Show the customer where', async () => {
    const path = `/public/invoices/${invoiceId}/method/${methodId}/address`
    const answer = await client.call(200, 'GET', path)
    const address = textOf(answer, 'address')
    const amount = textOf(answer, 'amount')
    const lines = [address, `${amount} ${symbol}, until ${textOf(answer, 'expiresAt')}`]
    return { lines, value: { invoiceId, address, amount } }
  })
}

export interface SentPayment extends Due {
  readonly symbol: string
  readonly txHash: string
  /** `performance.now()` when it was sent. */
  readonly sentAt: number
}

/** The next event of that type, which must be of the payment. */
export async function nextOf(
  { patienceMs }: DemoParts,
  { receiver }: Session,
  type: string,
  { invoiceId, txHash }: SentPayment,
): Promise<ReceivedEvent> {
  const event = await receiver.next(type, patienceMs, invoiceId)
  expectField(event, 'txHash', txHash)
  return event
}

/** The event that says the invoice is paid, by this payment and in full. */
export async function nextPaid(
  parts: DemoParts,
  session: Session,
  payment: SentPayment,
): Promise<ReceivedEvent> {
  const event = await nextOf(parts, session, 'invoice.paid', payment)
  expectField(event, 'amount', payment.amount)
  expectField(event, 'currency', payment.symbol)
  return event
}
