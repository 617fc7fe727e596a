/** A customer pays an invoice, the merchant is told and has the money. */
import { systemClock } from '../core/clock.ts'
import { parseDecimal } from '../core/money.ts'
import { findBy, textOf } from './client.ts'
import {
  balanceOf,
  type DemoParts,
  expectField,
  expectSame,
  type Session,
  type Shop,
  seconds,
  usdtMethodId,
  verified,
} from './session.ts'

/** The sandbox's fee: 1 % and 0.10 of a stablecoin. */
const price = '25'
const expected = { fee: '0.35', net: '24.65' }

/** The token's contract, for who wants to look on the chain. */
export async function bePaid(parts: DemoParts, session: Session, shop: Shop): Promise<string> {
  const { key, merchantId } = shop
  const invoiceId = await createInvoice(parts, session, key, merchantId)
  const due = await showAddress(parts, session, invoiceId)
  const payment = await pay(parts, session, due)
  const height = await beToldPaid(parts, session, invoiceId, payment)
  await awaitConfirmations(parts, session, key, merchantId, payment.txHash, height)
  await beToldConfirmed(parts, session, invoiceId, payment)
  await readBalance(parts, session, shop)
  return due.contract
}

function createInvoice(
  { narrator }: DemoParts,
  { client }: Session,
  key: string,
  merchantId: string,
): Promise<string> {
  return narrator.step('Create an invoice', async () => {
    const body = { amount: price, type: 'onetime', paymentMethodID: usdtMethodId, description: 'A lamp' }
    const answer = await client.call(201, 'POST', `/merchants/${merchantId}/invoices`, { key, body })
    const id = textOf(answer, 'id')
    return { lines: [`${price} USD, to be paid in USDT, ${id}`], value: id }
  })
}

interface Due {
  readonly address: string
  readonly amount: string
  readonly amountMinor: bigint
  readonly contract: string
}

function showAddress({ narrator }: DemoParts, { client }: Session, invoiceId: string): Promise<Due> {
  return narrator.step('Show the customer where', async () => {
    const path = `/public/invoices/${invoiceId}/method/${usdtMethodId}/address`
    const answer = await client.call(200, 'GET', path)
    const method = findBy(await client.call(200, 'GET', '/payment-methods'), 'paymentMethodID', usdtMethodId)
    const [address, amount] = [textOf(answer, 'address'), textOf(answer, 'amount')]
    expectSame('the amount to pay', amount, price)
    const amountMinor = parseDecimal(amount, Number(method['decimals']))
    if (amountMinor === undefined) throw new Error(`"${amount}" is no amount of USDT`)
    const lines = [address, `${amount} USDT, until ${textOf(answer, 'expiresAt')}`]
    return { lines, value: { address, amount, amountMinor, contract: textOf(method, 'contract') } }
  })
}

interface SentPayment {
  readonly txHash: string
  readonly amount: string
  readonly sentAt: number
}

function pay(
  { narrator }: DemoParts,
  { wallet }: Session,
  { address, amount, amountMinor, contract }: Due,
): Promise<SentPayment> {
  return narrator.step('Pay from another wallet', async () => {
    const txHash = await wallet.sendToken({ contract, to: address, amountMinor })
    const sentAt = performance.now()
    const from = `${amount} USDT from ${wallet.address}, on chain ${wallet.chainId}`
    return { lines: [from, `transaction ${txHash}`], value: { txHash, amount, sentAt } }
  })
}

/** Returns the height of the block that holds the payment. */
function beToldPaid(
  { narrator, patienceMs }: DemoParts,
  { wallet, receiver }: Session,
  invoiceId: string,
  { txHash, amount, sentAt }: SentPayment,
): Promise<number> {
  return narrator.step('Be told: invoice.paid', async () => {
    const height = await wallet.blockOf(txHash, patienceMs)
    const event = await receiver.next('invoice.paid', patienceMs)
    expectField(event, 'invoiceID', invoiceId)
    expectField(event, 'txHash', txHash)
    expectField(event, 'amount', amount)
    expectField(event, 'currency', 'USDT')
    const after = `${seconds(event.receivedAt - sentAt)} after the payment was sent, from block ${height}`
    return { lines: [after, verified(event)], value: height }
  })
}

function awaitConfirmations(
  { narrator, patienceMs, signal }: DemoParts,
  { client, wallet }: Session,
  key: string,
  merchantId: string,
  txHash: string,
  height: number,
): Promise<void> {
  return narrator.step('Wait for confirmations', async () => {
    const methods = await client.call(200, 'GET', '/payment-methods')
    const needed = Number(findBy(methods, 'paymentMethodID', usdtMethodId)['confirmations'])
    const giveUpAt = performance.now() + patienceMs
    for (;;) {
      const path = `/merchants/${merchantId}/transactions/list`
      const listed = await client.call(200, 'POST', path, { key, body: { states: ['confirmed'] } })
      const { data } = listed as { readonly data?: unknown }
      const head = await wallet.headHeight()
      if (Array.isArray(data) && data.length > 0) {
        expectSame('the confirmed transaction', textOf(data[0], 'txHash'), txHash)
        const lines = [
          `${needed} blocks needed: ${height} to ${height + needed - 1}; the chain is at ${head}`,
          `transaction ${textOf(data[0], 'id')} is confirmed`,
        ]
        return { lines, value: undefined }
      }
      if (performance.now() > giveUpAt) {
        throw new Error(
          `the payment of block ${height} is not confirmed after ${seconds(patienceMs)}; the chain is at ${head}`,
        )
      }
      await systemClock.sleep(100, signal)
    }
  })
}

function beToldConfirmed(
  { narrator, patienceMs }: DemoParts,
  { receiver }: Session,
  invoiceId: string,
  { txHash, amount, sentAt }: SentPayment,
): Promise<void> {
  return narrator.step('Be told: transaction.confirmed', async () => {
    const event = await receiver.next('transaction.confirmed', patienceMs)
    expectField(event, 'invoiceID', invoiceId)
    expectField(event, 'txHash', txHash)
    expectField(event, 'amount', amount)
    expectField(event, 'fee', expected.fee)
    expectField(event, 'net', expected.net)
    const after = `${seconds(event.receivedAt - sentAt)} after the payment was sent; fee ${expected.fee}, net ${expected.net}`
    return { lines: [after, verified(event)], value: undefined }
  })
}

function readBalance({ narrator }: DemoParts, session: Session, shop: Shop): Promise<void> {
  return narrator.step('Read the balance', async () => {
    const balance = await balanceOf(session, shop)
    expectSame('the balance', balance, expected.net)
    return {
      lines: [`${balance} USDT (${price} paid less the fee of ${expected.fee})`],
      value: undefined,
    }
  })
}
