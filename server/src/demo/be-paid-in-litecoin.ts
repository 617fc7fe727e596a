/**
 * A customer pays an invoice on a UTXO chain, in Litecoin. The payment is detected in the mempool. When a
 * block contains it, the invoice is paid. After one more block, Coffer credits the money.
 */
import { required } from '../core/assert.ts'
import { formatDecimal, parseDecimal } from '../core/money.ts'
import { callLitecoin, faucetWallet, walletUrl } from '../sandbox/litecoin-call.ts'
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
const litecoinDecimals = 8

export async function bePaidInLitecoin(parts: DemoParts, session: Session, shop: Shop): Promise<void> {
  const { litecoin, narrator } = parts
  if (litecoin === undefined) return
  if ('missing' in litecoin) return narrator.skip('Receive a Litecoin payment', litecoin.missing)
  const due = await askForPayment(parts, session, shop, chair)
  const payment = await pay(parts, litecoin.nodeUrl, due)
  await awaitPaidEvent(parts, session, payment)
  const net = await awaitConfirmedEvent(parts, session, payment)
  await narrator.step('Read the balance', async () => {
    const balance = await balanceOf(session, shop, chair.methodId)
    expectSame('the balance', balance, net)
    return { lines: [`${balance} LTC`], value: undefined }
  })
}

function pay({ narrator, signal }: DemoParts, nodeUrl: string, due: Due): Promise<SentPayment> {
  return narrator.step('Pay from another wallet', async () => {
    const wallet = walletUrl(nodeUrl, faucetWallet)
    // The amount is passed as text, because a JavaScript number cannot represent every amount exactly.
    const txHash = String(await callLitecoin(wallet, 'sendtoaddress', [due.address, due.amount], signal))
    const lines = [`${due.amount} LTC from a wallet outside Coffer`, `transaction ${txHash}`]
    return { lines, value: { ...due, symbol: chair.symbol, txHash, sentAt: performance.now() } }
  })
}

function awaitPaidEvent(parts: DemoParts, session: Session, payment: SentPayment): Promise<void> {
  return parts.narrator.step('Receive invoice.paid', async () => {
    const seen = await nextOf(parts, session, 'transaction.detected', payment)
    const paid = await nextPaid(parts, session, payment)
    const [seenAfter, paidAfter] = [seen, paid].map(({ receivedAt }) => seconds(receivedAt - payment.sentAt))
    const after = `detected after ${seenAfter}, in a block after ${paidAfter}`
    return { lines: [after, verified(paid)], value: undefined }
  })
}

/** Waits for `transaction.confirmed`. Returns the credited amount, which is the paid amount minus the fee. */
function awaitConfirmedEvent(parts: DemoParts, session: Session, payment: SentPayment): Promise<string> {
  return parts.narrator.step('Receive transaction.confirmed', async () => {
    const event = await nextOf(parts, session, 'transaction.confirmed', payment)
    const fee = textOf(event.data, 'fee')
    const net = textOf(event.data, 'net')
    expectSame(
      'the sum of fee and net',
      formatDecimal(minorOf(fee) + minorOf(net), litecoinDecimals),
      payment.amount,
    )
    const after = `${seconds(event.receivedAt - payment.sentAt)} after the payment was sent; fee ${fee}, net ${net}`
    return { lines: [after, verified(event)], value: net }
  })
}

function minorOf(amount: string): bigint {
  return required(parseDecimal(amount, litecoinDecimals), `"${amount}" as an amount of LTC`)
}
