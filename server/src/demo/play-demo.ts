/** The main job from end to end: a merchant is set up, a customer pays, the merchant is told and has the money. */
import { randomBytes } from 'node:crypto'
import { systemClock } from '../core/clock.ts'
import { parseDecimal } from '../core/money.ts'
import { type Client, findBy, openClient, textOf } from './client.ts'
import type { Narrator } from './narrator.ts'
import { openReceiver, type ReceivedEvent, type Receiver } from './receiver.ts'
import { openWallet, type Wallet } from './wallet.ts'

export interface DemoParts {
  readonly narrator: Narrator
  /** Where Coffer is reached, without a trailing slash. */
  readonly url: string
  readonly nodeUrl: string
  readonly email: string
  readonly password: string
  /** Names the signature header: X-<name>-Signature. */
  readonly serviceName: string
  /** How long to wait for a block or an event that should come. */
  readonly patienceMs: number
  readonly signal: AbortSignal
  /** Proves the books; `examined` is how many invariants were looked at. */
  verifyBooks(): Promise<{ readonly ok: boolean; readonly examined: number }>
}

/** The sandbox's fee: 1 % and 0.10 of a stablecoin. */
const price = '25'
const expected = { fee: '0.35', net: '24.65' }
const usdtMethodId = 1
const goodbyeMs = 2_000

interface Session {
  readonly client: Client
  readonly wallet: Wallet
  readonly receiver: Receiver
  readonly secret: string
}

/** @throws StepFailed when anything is off; it has been told then. */
export async function playDemo(parts: DemoParts): Promise<void> {
  const { url, nodeUrl, serviceName, signal } = parts
  const secret = randomBytes(24).toString('hex')
  const signatureHeader = `x-${serviceName.toLowerCase()}-signature`
  const receiver = await openReceiver({ secret, signatureHeader, signal })
  try {
    const wallet = await openWallet(nodeUrl, signal)
    await play(parts, { client: openClient(url, signal), wallet, receiver, secret })
  } finally {
    await receiver.close()
  }
}

async function play(parts: DemoParts, session: Session): Promise<void> {
  const token = await logIn(parts, session)
  const merchantId = await makeMerchant(parts, session, token)
  const key = await generateKey(parts, session, token, merchantId)
  await setWebhook(parts, session, token, merchantId)
  try {
    const invoiceId = await createInvoice(parts, session, key, merchantId)
    const due = await showAddress(parts, session, invoiceId)
    const payment = await pay(parts, session, due)
    const height = await beToldPaid(parts, session, invoiceId, payment)
    await awaitConfirmations(parts, session, key, merchantId, payment.txHash, height)
    await beToldConfirmed(parts, session, invoiceId, payment)
    await readBalance(parts, session, key, merchantId)
    await proveBooks(parts)
  } finally {
    await removeWebhook(parts.url, token, merchantId)
  }
}

function logIn({ narrator, email, password }: DemoParts, { client }: Session): Promise<string> {
  return narrator.step('Log in', async () => {
    const answer = await client.call(200, 'POST', '/auth/login', { body: { email, password } })
    return {
      lines: [`as ${email}, with a token good until ${textOf(answer, 'expiresAt')}`],
      value: textOf(answer, 'token'),
    }
  })
}

function makeMerchant({ narrator }: DemoParts, { client }: Session, token: string): Promise<string> {
  return narrator.step('Make a merchant', async () => {
    const answer = await client.call(201, 'POST', '/merchants', { token, body: { name: 'Demo shop' } })
    const id = textOf(answer, 'id')
    return { lines: [`"Demo shop", ${id}`], value: id }
  })
}

function generateKey(
  { narrator }: DemoParts,
  { client }: Session,
  token: string,
  merchantId: string,
): Promise<string> {
  return narrator.step('Generate its API key', async () => {
    const key = textOf(await client.call(200, 'POST', `/key/generate/${merchantId}`, { token }), 'apiKey')
    return { lines: [`${key.slice(0, 9)}..., shown this once`], value: key }
  })
}

function setWebhook(
  { narrator, serviceName }: DemoParts,
  { client, receiver, secret }: Session,
  token: string,
  merchantId: string,
): Promise<void> {
  return narrator.step('Set its webhook', async () => {
    const body = { url: receiver.url, secret }
    textOf(await client.call(200, 'POST', `/weebhook/${merchantId}`, { token, body }), 'token')
    const rule = `events without a right X-${serviceName}-Signature are refused there`
    return { lines: [receiver.url, rule], value: undefined }
  })
}

/** Nobody listens there any more: what is still to be told must not be tried for days. Also when stopped half-way. */
async function removeWebhook(url: string, token: string, merchantId: string): Promise<void> {
  const client = openClient(url, AbortSignal.timeout(goodbyeMs))
  await client.call(204, 'DELETE', `/weebhook/${merchantId}`, { token }).catch(() => {})
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

function readBalance(
  { narrator }: DemoParts,
  { client }: Session,
  key: string,
  merchantId: string,
): Promise<void> {
  return narrator.step('Read the balance', async () => {
    const funds = await client.call(200, 'GET', `/merchants/${merchantId}/funds`, { key })
    const balance = textOf(findBy(funds, 'paymentMethodID', usdtMethodId), 'balance')
    expectSame('the balance', balance, expected.net)
    return {
      lines: [`${balance} USDT (${price} paid less the fee of ${expected.fee})`],
      value: undefined,
    }
  })
}

function proveBooks({ narrator, verifyBooks }: DemoParts): Promise<void> {
  return narrator.step('Prove the books', async () => {
    const { ok, examined } = await verifyBooks()
    if (!ok) throw new Error('the books are not right: "coffer verify" tells which invariant is broken')
    const lines = [`all ${examined} invariants hold, in the database and against the chain itself`]
    return { lines, value: undefined }
  })
}

function expectField({ type, data }: ReceivedEvent, name: string, wanted: string): void {
  expectSame(`${name} in ${type}`, String(data[name]), wanted)
}

function expectSame(what: string, actual: string, wanted: string): void {
  if (actual !== wanted) throw new Error(`${what} is ${actual}, not ${wanted}`)
}

function verified({ bytes }: ReceivedEvent): string {
  return `signature right over its ${bytes} bytes`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
