/** A customer pays an invoice; the merchant receives the events and the money. */

import { required } from '../core/assert.ts'
import { systemClock } from '../core/clock.ts'
import { parseDecimal } from '../core/money.ts'
import { askForPayment, type Due, nextOf, nextPaid, type SentPayment } from './ask-for-payment.ts'
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

const lamp = { methodId: usdtMethodId, symbol: 'USDT', price: '25', description: 'A lamp' } as const
/** The fee of the sandbox is 1 % of the amount plus 0.10 units of the stablecoin. */
const expected = { fee: '0.35', net: '24.65' }

/** Runs the steps of the payment. Returns the address of the token's contract. */
export async function bePaid(parts: DemoParts, session: Session, shop: Shop): Promise<string> {
  const due = await askForPayment(parts, session, shop, lamp)
  expectSame('the amount to pay', due.amount, lamp.price)
  const token = await readToken(session)
  const payment = await pay(parts, session, due, token)
  const height = await awaitPaidEvent(parts, session, payment)
  await awaitConfirmations(parts, session, shop, { ...payment, height, needed: token.confirmations })
  await awaitConfirmedEvent(parts, session, payment)
  await readBalance(parts, session, shop)
  return token.contract
}

interface Token {
  readonly contract: string
  readonly decimals: number
  readonly confirmations: number
}

async function readToken({ client }: Session): Promise<Token> {
  const method = findBy(await client.call(200, 'GET', '/payment-methods'), 'paymentMethodID', usdtMethodId)
  const { decimals, confirmations } = method
  return {
    contract: textOf(method, 'contract'),
    decimals: Number(decimals),
    confirmations: Number(confirmations),
  }
}

function pay(
  { narrator }: DemoParts,
  { wallet }: Session,
  due: Due,
  { contract, decimals }: Token,
): Promise<SentPayment> {
  return narrator.step('Pay from another wallet', async () => {
    const amountMinor = required(parseDecimal(due.amount, decimals), `"${due.amount}" as an amount of USDT`)
    const txHash = await wallet.sendToken({ contract, to: due.address, amountMinor })
    const sentAt = performance.now()
    const from = `${due.amount} USDT from ${wallet.address}, on chain ${wallet.chainId}`
    const payment = { ...due, symbol: lamp.symbol, txHash, sentAt }
    return { lines: [from, `transaction ${txHash}`], value: payment }
  })
}

/** Waits for the event `invoice.paid`. Returns the height of the block that contains the payment. */
function awaitPaidEvent(parts: DemoParts, session: Session, payment: SentPayment): Promise<number> {
  return parts.narrator.step('Receive invoice.paid', async () => {
    const height = await session.wallet.blockOf(payment.txHash, parts.patienceMs)
    const event = await nextPaid(parts, session, payment)
    const after = `${seconds(event.receivedAt - payment.sentAt)} after the payment was sent, from block ${height}`
    return { lines: [after, verified(event)], value: height }
  })
}

interface MinedPayment extends SentPayment {
  readonly height: number
  /** Number of confirmations that the payment needs. The payment's own block counts as the first. */
  readonly needed: number
}

function awaitConfirmations(
  { narrator, patienceMs, signal }: DemoParts,
  { client, wallet }: Session,
  { key, merchantId }: Shop,
  { txHash, height, needed }: MinedPayment,
): Promise<void> {
  return narrator.step('Wait for confirmations', async () => {
    const giveUpAt = performance.now() + patienceMs
    for (;;) {
      const path = `/merchants/${merchantId}/transactions/list`
      const listed = await client.call(200, 'POST', path, { key, body: { states: ['confirmed'] } })
      const { data } = listed as { readonly data?: unknown }
      const head = await wallet.headHeight()
      if (Array.isArray(data) && data.length > 0) {
        expectSame('the confirmed transaction', textOf(data[0], 'txHash'), txHash)
        const lines = [
          `${needed} confirmations required: blocks ${height} to ${height + needed - 1}; the chain is at ${head}`,
          `transaction ${textOf(data[0], 'id')} is confirmed`,
        ]
        return { lines, value: undefined }
      }
      if (performance.now() > giveUpAt) {
        throw new Error(
          `the payment in block ${height} was not confirmed within ${seconds(patienceMs)}; the chain is at ${head}`,
        )
      }
      await systemClock.sleep(100, signal)
    }
  })
}

function awaitConfirmedEvent(parts: DemoParts, session: Session, payment: SentPayment): Promise<void> {
  return parts.narrator.step('Receive transaction.confirmed', async () => {
    const event = await nextOf(parts, session, 'transaction.confirmed', payment)
    expectField(event, 'amount', payment.amount)
    expectField(event, 'fee', expected.fee)
    expectField(event, 'net', expected.net)
    const after = `${seconds(event.receivedAt - payment.sentAt)} after the payment was sent; fee ${expected.fee}, net ${expected.net}`
    return { lines: [after, verified(event)], value: undefined }
  })
}

function readBalance({ narrator }: DemoParts, session: Session, shop: Shop): Promise<void> {
  return narrator.step('Read the balance', async () => {
    const balance = await balanceOf(session, shop)
    expectSame('the balance', balance, expected.net)
    return {
      lines: [`${balance} USDT (${lamp.price} paid less the fee of ${expected.fee})`],
      value: undefined,
    }
  })
}
