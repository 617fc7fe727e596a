/** The same on a chain of another kind: seen while it waits, paid by its block, credited by the next. */
import { required } from '../core/assert.ts'
import { formatDecimal, parseDecimal } from '../core/money.ts'
import { callLitecoin, outsidersWallet, walletUrl } from '../sandbox/litecoin-call.ts'
import { askForPayment, type Due, nextOf, nextPaid, type SentPayment } from './ask-for-payment.ts'
import { textOf } from './client.ts'
import {
  balanceOf,
  type DemoParts,
  expectSame,
  type Session,
  type Shop,
  seconds,
  verified,
} from './session.ts'

const chair = { methodId: 5, symbol: 'LTC', price: '25', description: 'A chair' } as const
const litecoinPlaces = 8

export async function bePaidInLitecoin(parts: DemoParts, session: Session, shop: Shop): Promise<void> {
  const { litecoin, narrator } = parts
  if (litecoin === undefined) return
  if ('missing' in litecoin) return narrator.skip('Be paid in litecoin', litecoin.missing)
  const due = await askForPayment(parts, session, shop, chair)
  const payment = await pay(parts, litecoin.nodeUrl, due)
  await beTold(parts, session, payment)
  const net = await beToldConfirmed(parts, session, payment)
  await narrator.step('Read the balance', async () => {
    const balance = await balanceOf(session, shop, chair.methodId)
    expectSame('the balance', balance, net)
    return { lines: [`${balance} LTC`], value: undefined }
  })
}

function pay({ narrator, signal }: DemoParts, nodeUrl: string, due: Due): Promise<SentPayment> {
  return narrator.step('Pay from another wallet', async () => {
    const wallet = walletUrl(nodeUrl, outsidersWallet)
    // As text: a JS number does not hold all amounts.
    const txHash = String(await callLitecoin(wallet, 'sendtoaddress', [due.address, due.amount], signal))
    const lines = [`${due.amount} LTC from the wallet of an outsider`, `transaction ${txHash}`]
    return { lines, value: { ...due, symbol: chair.symbol, txHash, sentAt: performance.now() } }
  })
}

function beTold(parts: DemoParts, session: Session, payment: SentPayment): Promise<void> {
  return parts.narrator.step('Be told: invoice.paid', async () => {
    const seen = await nextOf(parts, session, 'transaction.detected', payment)
    const paid = await nextPaid(parts, session, payment)
    const [seenAfter, paidAfter] = [seen, paid].map(({ receivedAt }) => seconds(receivedAt - payment.sentAt))
    const after = `seen after ${seenAfter}, in a block after ${paidAfter}`
    return { lines: [after, verified(paid)], value: undefined }
  })
}

/** Returns what was credited. */
function beToldConfirmed(parts: DemoParts, session: Session, payment: SentPayment): Promise<string> {
  return parts.narrator.step('Be told: transaction.confirmed', async () => {
    const event = await nextOf(parts, session, 'transaction.confirmed', payment)
    const fee = textOf(event.data, 'fee')
    const net = textOf(event.data, 'net')
    expectSame(
      'fee and net together',
      formatDecimal(minorOf(fee) + minorOf(net), litecoinPlaces),
      payment.amount,
    )
    const after = `${seconds(event.receivedAt - payment.sentAt)} after the payment was sent; fee ${fee}, net ${net}`
    return { lines: [after, verified(event)], value: net }
  })
}

function minorOf(amount: string): bigint {
  return required(parseDecimal(amount, litecoinPlaces), `"${amount}" as an amount of LTC`)
}
