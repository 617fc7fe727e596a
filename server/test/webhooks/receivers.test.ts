/**
 * Tests the receivers that the documentation shows, each as a program of its own, with real deliveries of the
 * dispatcher.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import http from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { webhookSecretContext } from '../../src/merchants/webhook-endpoint.ts'
import { claimPaidEvent } from '../../src/payments/invoices/events.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { findProgram } from '../../src/sandbox/find-program.ts'
import { replay } from '../../src/webhooks/replay/replay.ts'
import { useDatabase } from '../support/database.ts'
import { addMerchant, openMerchantServer, type ReceivedCall } from '../support/merchant-server.ts'
import { deliveryAttemptRecords, deliveryRecords, endpointRecords } from '../support/webhooks/records.ts'
import { emitEvents, sealer, secretText, setEndpoint, startDispatching } from './dispatching.ts'

const database = useDatabase()
const patience = { timeout: 15_000, interval: 10 }

const receivers = [
  { program: process.execPath, file: 'receiver.mjs', isThere: true },
  { program: 'python3', file: 'receiver.py', isThere: findProgram('python3') !== undefined },
]

interface Receiver {
  readonly url: string
  /** The printed lines since it listens: one line for each accepted event. */
  readonly lines: readonly string[]
}

/** Runs a receiver of docs/receivers on a free port, with the service's name if one is given. */
async function startReceiver({ program, file }: { program: string; file: string }, serviceName?: string) {
  const path = fileURLToPath(new URL(`../../../docs/receivers/${file}`, import.meta.url))
  const named = serviceName === undefined ? {} : { SERVICE_NAME: serviceName }
  const env = { ...process.env, COFFER_WEBHOOK_SECRET: secretText, PORT: '0', ...named }
  const child = spawn(program, [path], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const port = await vi.waitFor(
    () => required(/^listening on (\d+)\n/.exec(printed)?.[1], 'its port'),
    patience,
  )
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    get lines() {
      return printed.trimEnd().split('\n').slice(1)
    },
  }
  return { child, receiver }
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exit
}

/**
 * Returns a merchant with deliveries of a paid invoice and of another event; `answers` reads the answers to
 * its deliveries.
 */
async function deliverToMerchant(url: string) {
  const merchantId = await addMerchant(database.db)
  await setEndpoint(database.db, merchantId, url)
  const invoiceId = newId()
  await inTransaction(database.db, (tx) => appendEvents(tx, [paidEvent(merchantId, invoiceId)]))
  await emitEvents(database.db, merchantId)
  return { merchantId, invoiceId }
}

async function answers(merchantId: string): Promise<readonly (number | null)[]> {
  const deliveries = await deliveryRecords.all(database.db, { merchantId }, 'id')
  const deliveryId = deliveries.map(({ id }) => id)
  const attempts = await deliveryAttemptRecords.all(database.db, { deliveryId }, 'status')
  return attempts.map(({ status }) => status)
}

describe.each(receivers)('docs/receivers/$file', ({ isThere, ...which }) => {
  let receiver: Receiver
  let child: ChildProcess
  let genuine: ReceivedCall

  beforeAll(async () => {
    if (isThere) ({ child, receiver } = await startReceiver(which))
  })
  afterAll(async () => {
    if (isThere) await ended(child)
  })

  it.skipIf(!isThere)(
    "accepts the dispatcher's deliveries, each event once, however often it is sent",
    async () => {
      const { merchantId, invoiceId } = await deliverToMerchant(receiver.url)
      const { dispatcher } = startDispatching(database.db)
      await vi.waitFor(async () => expect(await answers(merchantId)).toEqual([200, 200]), patience)
      await replay(database.db, { id: newId(), merchantId, after: 0, toSequence: undefined })
      dispatcher.wake.now()
      await vi.waitFor(async () => expect(await answers(merchantId)).toEqual([200, 200, 200, 200]), patience)
      expect(receiver.lines.toSorted()).toEqual([`paid: ${invoiceId} 25 USDT`, 'transaction.detected'])
    },
  )

  it.skipIf(!isThere)('refuses a delivery that is signed with another secret', async () => {
    const { merchantId } = await deliverToMerchant(receiver.url)
    const another = sealer.seal(
      'another secret, of more than 32 characters',
      webhookSecretContext(merchantId),
    )
    await endpointRecords.change(database.db, { merchantId }, { sealedSecret: another })
    startDispatching(database.db)
    await vi.waitFor(async () => expect(await answers(merchantId)).toEqual([401, 401]), patience)
  })

  it.skipIf(!isThere)('refuses an altered delivery, and accepts the original', async () => {
    genuine = await delivered()
    const { body } = genuine
    const signature = String(genuine.headers['x-service-signature'])
    const longer = Buffer.concat([body, Buffer.from(' ')])
    const otherAmount = Buffer.from(body.toString('utf8').replace('"amount":"25"', '"amount":"2500"'))
    const otherDigit = signature.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const linesBefore = receiver.lines.length
    for (const [sent, signed] of [
      [otherAmount, signature],
      [longer, signature],
      [body.subarray(1), signature],
      [Buffer.alloc(0), signature],
      [body, otherDigit],
      [body, signature.slice(0, -2)],
      [body, `${signature}00`],
      [body, `${signature}zz`],
      [body, ''],
      [body, 'é'.repeat(64)],
      [body, undefined],
    ] as const) {
      expect(await post(receiver.url, sent, { 'x-service-signature': signed })).toBe(401)
    }
    // This receiver ignores the signature in another header.
    expect(await post(receiver.url, body, { 'x-other-signature': signature })).toBe(401)
    expect(receiver.lines).toHaveLength(linesBefore)
    expect(await post(receiver.url, body, { 'x-service-signature': signature })).toBe(200)
    await vi.waitFor(() => expect(receiver.lines).toHaveLength(linesBefore + 1), patience)
  })

  it.skipIf(!isThere)('accepts an event once that is sent many times at the same moment', async () => {
    const { body, headers } = await delivered()
    const linesBefore = receiver.lines.length
    const answered = await Promise.all(Array.from({ length: 20 }, () => post(receiver.url, body, headers)))
    expect(new Set(answered)).toEqual(new Set([200]))
    const { body: next, headers: nextHeaders } = await delivered()
    await post(receiver.url, next, nextHeaders)
    await vi.waitFor(() => expect(receiver.lines).toHaveLength(linesBefore + 2), patience)
  })

  it.skipIf(!isThere)('continues after bodies that are cut off or larger than any event', async () => {
    const refused = await post(receiver.url, Buffer.alloc(1024 * 1024), {}).catch(() => 'broken off')
    expect(refused).not.toBe(200)
    expect(await post(receiver.url, genuine.body, genuine.headers)).toBe(200)
  })

  it.skipIf(!isThere)('reads the header with the name of the service', async () => {
    const own = await startReceiver(which, 'AcmePay')
    onTestFinished(() => ended(own.child))
    const { merchantId } = await deliverToMerchant(own.receiver.url)
    startDispatching(database.db, { parts: { serviceName: 'AcmePay' } })
    await vi.waitFor(async () => expect(await answers(merchantId)).toEqual([200, 200]), patience)
  })
})

/** Returns the call of `invoice.paid` as the dispatcher sends it. */
async function delivered(): Promise<ReceivedCall> {
  const server = await openMerchantServer()
  const merchantId = await addMerchant(database.db)
  await setEndpoint(database.db, merchantId, server.url)
  await inTransaction(database.db, (tx) => appendEvents(tx, [paidEvent(merchantId, newId())]))
  const { stop } = startDispatching(database.db)
  const call = await vi.waitFor(() => required(server.calls[0], 'the call'), patience)
  await stop()
  return call
}

function paidEvent(merchantId: string, invoiceId: string) {
  const method = required(
    mainPaymentMethods().find(({ symbol }) => symbol === 'USDT'),
    'the method',
  )
  const payout = { method, amountMinor: 25_000_000n, txHash: `0x${'ab'.repeat(32)}` }
  return claimPaidEvent(
    { id: invoiceId, merchantId, type: 'withdraw', reference: undefined },
    payout,
    new Date(),
  )
}

/** Returns the status of the answer. Sends headers exactly as given, because fetch refuses some of them. */
function post(
  url: string,
  body: Buffer,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Promise<number | undefined> {
  const given = Object.entries({ ...headers, host: undefined, 'content-length': String(body.length) })
  const sent = Object.fromEntries(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', headers: sent, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    request.on('error', reject).end(body)
  })
}
