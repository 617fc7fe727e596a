/**
 * A customer pays an invoice on another chain of the sandbox: in litecoin, whose payments are detected in the
 * mempool, or in USDC on Base. When a block contains the payment, the invoice is paid. After one more block,
 * Coffer credits the money.
 */
import { required } from '../core/assert.ts'
import { formatDecimal, parseDecimal } from '../core/money.ts'
import { callLitecoin, faucetWallet, walletUrl } from '../sandbox/litecoin-call.ts'
import { askForPayment, type Due, type Lot, nextOf, nextPaid, type SentPayment } from './ask-for-payment.ts'
import { findBy, textOf } from './client.ts'
import {
  balanceOf,
  type DemoParts,
  expectSame,
  type OtherChain,
  type Session,
  type Shop,
  seconds,
  verified,
} from './session.ts'
import { openWallet } from './wallet.ts'

interface ChainLot extends Lot {
  /** The chain's name in the demo's output. */
  readonly chain: string
  readonly decimals: number
}

const chair: ChainLot = {
  chain: 'Litecoin',
  methodId: 5,
  symbol: 'LTC',
  price: '25',
  description: 'A chair',
  decimals: 8,
}
const table: ChainLot = {
  chain: 'Base',
  methodId: 21,
  symbol: 'USDC',
  price: '25',
  description: 'A table',
  decimals: 6,
}

/** Sends a payment and returns the hash of its transaction. */
type Pay = (nodeUrl: string, due: Due) => Promise<string>

export function bePaidInLitecoin(parts: DemoParts, session: Session, shop: Shop): Promise<void> {
  return bePaidElsewhere(parts, { session, shop, lot: chair, where: parts.litecoin }, (nodeUrl, due) => {
    const wallet = walletUrl(nodeUrl, faucetWallet)
    // The amount is passed as text, because a JavaScript number cannot represent every amount exactly.
    return callLitecoin(wallet, 'sendtoaddress', [due.address, due.amount], parts.signal).then(String)
  })
}

export function bePaidOnBase(parts: DemoParts, session: Session, shop: Shop): Promise<void> {
  return bePaidElsewhere(parts, { session, shop, lot: table, where: parts.base }, async (nodeUrl, due) => {
    const methods = await session.client.call(200, 'GET', '/payment-methods')
    const contract = textOf(findBy(methods, 'paymentMethodID', table.methodId), 'contract')
    const wallet = await openWallet(nodeUrl, parts.signal)
    return wallet.sendToken({ contract, to: due.address, amountMinor: minorOf(table, due.amount) })
  })
}

interface Order {
  readonly session: Session
  readonly shop: Shop
  readonly lot: ChainLot
  readonly where: OtherChain | undefined
}

async function bePaidElsewhere(
  parts: DemoParts,
  { session, shop, lot, where }: Order,
  pay: Pay,
): Promise<void> {
  const { narrator } = parts
  if (where === undefined) return
  if ('missing' in where) return narrator.skip(`Receive a ${lot.chain} payment`, where.missing)
  const due = await askForPayment(parts, session, shop, lot)
  const payment = await narrator.step('Pay from another wallet', async () => {
    const txHash = await pay(where.nodeUrl, due)
    const lines = [`${due.amount} ${lot.symbol} from a wallet outside Coffer`, `transaction ${txHash}`]
    return { lines, value: { ...due, symbol: lot.symbol, txHash, sentAt: performance.now() } }
  })
  await awaitPaidEvent(parts, session, payment)
  const net = await awaitConfirmedEvent(parts, session, payment, lot)
  await narrator.step('Read the balance', async () => {
    const balance = await balanceOf(session, shop, lot.methodId)
    expectSame('the balance', balance, net)
    return { lines: [`${balance} ${lot.symbol}`], value: undefined }
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
function awaitConfirmedEvent(
  parts: DemoParts,
  session: Session,
  payment: SentPayment,
  lot: ChainLot,
): Promise<string> {
  return parts.narrator.step('Receive transaction.confirmed', async () => {
    const event = await nextOf(parts, session, 'transaction.confirmed', payment)
    const fee = textOf(event.data, 'fee')
    const net = textOf(event.data, 'net')
    const total = formatDecimal(minorOf(lot, fee) + minorOf(lot, net), lot.decimals)
    expectSame('the sum of fee and net', total, payment.amount)
    const after = `${seconds(event.receivedAt - payment.sentAt)} after the payment was sent; fee ${fee}, net ${net}`
    return { lines: [after, verified(event)], value: net }
  })
}

function minorOf({ symbol, decimals }: ChainLot, amount: string): bigint {
  return required(parseDecimal(amount, decimals), `"${amount}" as an amount of ${symbol}`)
}
