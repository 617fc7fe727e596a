/** The steps for every asset: create an invoice, show its payment address, and wait for its events. */
import { textOf } from './client.ts'
import type { ReceivedEvent } from './receiver.ts'
import { type DemoParts, expectField, type Session, type Shop } from './session.ts'

export interface Lot {
  readonly methodId: number
  readonly symbol: string
  /** The price in USD. */
  readonly price: string
  readonly description: string
}

export interface Due {
  readonly invoiceId: string
  readonly address: string
  readonly amount: string
}

/** Creates an invoice for a lot (one item that the shop sells) and shows the payment address. */
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
  return narrator.step('Show the payment address', async () => {
    const path = `/public/invoices/${invoiceId}/method/${methodId}/address`
    const answer = await client.call(200, 'GET', path)
    const address = textOf(answer, 'address')
    const amount = textOf(answer, 'amount')
    const lines = [address, `${amount} ${symbol}, valid until ${textOf(answer, 'expiresAt')}`]
    return { lines, value: { invoiceId, address, amount } }
  })
}

export interface SentPayment extends Due {
  readonly symbol: string
  readonly txHash: string
  /** The value of `performance.now()` when the payment was sent. */
  readonly sentAt: number
}

/**
 * Waits for the first event of this type about the payment's invoice, and returns the event.
 * @throws Error if the event names another transaction, or if no event comes within `patienceMs`
 */
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

/** Waits for the event `invoice.paid`. @throws Error if the event does not match `payment` */
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
