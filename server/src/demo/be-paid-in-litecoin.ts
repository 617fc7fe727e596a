/** The same on a chain of another kind: seen while it waits, paid by its block, credited by the next. */
import { formatDecimal, parseDecimal } from '../core/money.ts'
import { callLitecoin, outsidersWallet, walletUrl } from '../sandbox/litecoin-call.ts'
import { textOf } from './client.ts'
import {
  balanceOf,
  type DemoParts,
  expectField,
  expectSame,
  type Session,
  type Shop,
  seconds,
  verified,
} from './session.ts'

const litecoinMethodId = 5
const litecoinPlaces = 8
const price = '25'

export async function bePaidInLitecoin(parts: DemoParts, session: Session, shop: Shop): Promise<void> {
  const { litecoin, narrator } = parts
  if (litecoin === undefined) return
  if ('missing' in litecoin) return narrator.skip('Be paid in litecoin', litecoin.missing)
  const invoiceId = await createInvoice(parts, session, shop)
  const due = await showAddress(parts, session, invoiceId)
  const payment = await pay(parts, litecoin.nodeUrl, due)
  await beTold(parts, session, invoiceId, payment)
  const net = await beToldConfirmed(parts, session, invoiceId, payment)
  await narrator.step('Read the balance', async () => {
    const balance = await balanceOf(session, shop, litecoinMethodId)
    expectSame('the balance', balance, net)
    return { lines: [`${balance} LTC`], value: undefined }
  })
}

function createInvoice(
  { narrator }: DemoParts,
  { client }: Session,
  { key, merchantId }: Shop,
): Promise<string> {
  return narrator.step('Create an invoice', async () => {
    const body = { amount: price, type: 'onetime', paymentMethodID: litecoinMethodId, description: 'A chair' }
    const id = textOf(
      await client.call(201, 'POST', `/merchants/${merchantId}/invoices`, { key, body }),
      'id',
    )
    return { lines: [`${price} USD, to be paid in LTC, ${id}`], value: id }
  })
}

interface Due {
  readonly address: string
  readonly amount: string
}

function showAddress({ narrator }: DemoParts, { client }: Session, invoiceId: string): Promise<Due> {
  return narrator.step('Show the customer where', async () => {
    const path = `/public/invoices/${invoiceId}/method/${litecoinMethodId}/address`
    const answer = await client.call(200, 'GET', path)
    const due = { address: textOf(answer, 'address'), amount: textOf(answer, 'amount') }
    return { lines: [due.address, `${due.amount} LTC, until ${textOf(answer, 'expiresAt')}`], value: due }
  })
}

interface SentPayment {
  readonly txHash: string
  readonly amount: string
  readonly sentAt: number
}

function pay(
  { narrator, signal }: DemoParts,
  nodeUrl: string,
  { address, amount }: Due,
): Promise<SentPayment> {
  return narrator.step('Pay from another wallet', async () => {
    const wallet = walletUrl(nodeUrl, outsidersWallet)
    // As text: a JS number does not hold all amounts.
    const txHash = String(await callLitecoin(wallet, 'sendtoaddress', [address, amount], signal))
    const lines = [`${amount} LTC from the wallet of an outsider`, `transaction ${txHash}`]
    return { lines, value: { txHash, amount, sentAt: performance.now() } }
  })
}

function beTold(
  { narrator, patienceMs }: DemoParts,
  { receiver }: Session,
  invoiceId: string,
  { txHash, amount, sentAt }: SentPayment,
): Promise<void> {
  return narrator.step('Be told: invoice.paid', async () => {
    const seen = await receiver.next('transaction.detected', patienceMs, invoiceId)
    expectField(seen, 'txHash', txHash)
    const event = await receiver.next('invoice.paid', patienceMs, invoiceId)
    expectField(event, 'txHash', txHash)
    expectField(event, 'amount', amount)
    expectField(event, 'currency', 'LTC')
    const after = `seen after ${seconds(seen.receivedAt - sentAt)}, in a block after ${seconds(event.receivedAt - sentAt)}`
    return { lines: [after, verified(event)], value: undefined }
  })
}

/** Returns what was credited. */
function beToldConfirmed(
  { narrator, patienceMs }: DemoParts,
  { receiver }: Session,
  invoiceId: string,
  { amount, sentAt }: SentPayment,
): Promise<string> {
  return narrator.step('Be told: transaction.confirmed', async () => {
    const event = await receiver.next('transaction.confirmed', patienceMs, invoiceId)
    const [fee, net] = [textOf(event.data, 'fee'), textOf(event.data, 'net')]
    expectSame('fee and net together', formatDecimal(minorOf(fee) + minorOf(net), litecoinPlaces), amount)
    const after = `${seconds(event.receivedAt - sentAt)} after the payment was sent; fee ${fee}, net ${net}`
    return { lines: [after, verified(event)], value: net }
  })
}

function minorOf(amount: string): bigint {
  const minor = parseDecimal(amount, litecoinPlaces)
  if (minor === undefined) throw new Error(`"${amount}" is no amount of LTC`)
  return minor
}
