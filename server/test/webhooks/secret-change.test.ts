/**
 * Tests what a receiver gets while its merchant changes the secret or the URL, and which deliveries a
 * receiver can refuse.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { setWebhook, type WebhookParams } from '../../src/merchants/change-webhook.ts'
import { forgetFormerSecrets } from '../../src/merchants/forget-former-secrets.ts'
import { useDatabase } from '../support/database.ts'
import { addMerchant, openMerchantServer, type ReceivedCall, status } from '../support/merchant-server.ts'
import { fromNow, present } from '../support/records/values.ts'
import { endpointRecords } from '../support/webhooks/records.ts'
import { deliveryOf, emitEvents, makeDue, sealer, startDispatching } from './dispatching.ts'

const database = useDatabase()

const first = 'the first secret, of 32 characters or more'
const second = 'the second secret, of 32 characters or more'
const third = 'the third secret, of 32 characters or more'

function set(merchantId: string, params: WebhookParams): Promise<string> {
  const webhookRules = () => ({ allowHttp: true, allowPrivate: true, ownUrls: [] })
  return setWebhook({ db: database.db, sealer, webhookRules }, { accountId: newId(), merchantId }, params)
}

async function attempted(id: string | undefined, attempts: number) {
  await vi.waitFor(
    async () => expect(await deliveryOf(database.db, id)).toMatchObject({ attempts, isClaimed: false }),
    { timeout: 10_000, interval: 10 },
  )
}

/**
 * Makes the former secret expire a second ago. Times are stored in milliseconds, so "now" may be rounded up
 * to the future.
 */
async function endFormer(merchantId: string): Promise<void> {
  await endpointRecords.change(database.db, { merchantId }, { formerValidUntil: fromNow('-1 second') })
}

/** Verifies a call like a receiver that was written from the text of Standard Webhooks 1.0. */
function accepts(secret: string, call: ReceivedCall, { nowS = Date.now() / 1000, toleranceS = 300 } = {}) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = call.headers
  if (Math.abs(nowS - Number(timestamp)) > toleranceS) return false
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), call.body])
  const expected = createHmac('sha256', secret).update(signed).digest()
  return String(signatures)
    .split(' ')
    .map((signature) => signature.split(','))
    .some(([version, text = '']) => {
      const given = Buffer.from(text, 'base64')
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
    })
}

function acceptsByContract(secret: string, { headers, body }: ReceivedCall): boolean {
  return headers['x-service-signature'] === createHmac('sha256', secret).update(body).digest('hex')
}

const wellFormed = /^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$/

describe('F16 a secret that is changed during retries', () => {
  it('signs the next attempt, together with the former one for as long as that is valid', async () => {
    const server = await openMerchantServer(status(500), status(500), status(200))
    const merchantId = await addMerchant(database.db)
    const token = await set(merchantId, { url: server.url, secret: first })
    const [id] = await emitEvents(database.db, merchantId)
    const { dispatcher } = startDispatching(database.db)
    await attempted(id, 1)
    const nextToken = await set(merchantId, { url: `${server.url}?v=2`, secret: second })
    await makeDue(database.db, id)
    dispatcher.wake.now()
    await attempted(id, 2)
    await endFormer(merchantId)
    await makeDue(database.db, id)
    dispatcher.wake.now()
    await attempted(id, 3)
    const seen = server.calls.map((call) => ({
      token: call.headers['x-service-webhook-token'],
      wellFormed: wellFormed.test(String(call.headers['webhook-signature'])),
      standard: [first, second].map((secret) => accepts(secret, call)),
      contract: [first, second].map((secret) => acceptsByContract(secret, call)),
      path: call.path,
    }))
    expect(seen).toEqual([
      { token, wellFormed: true, standard: [true, false], contract: [true, false], path: '/hook' },
      {
        token: nextToken,
        wellFormed: true,
        standard: [true, true],
        contract: [false, true],
        path: '/hook?v=2',
      },
      {
        token: nextToken,
        wellFormed: true,
        standard: [false, true],
        contract: [false, true],
        path: '/hook?v=2',
      },
    ])
  })

  it('is used alone at once if the former one was revoked, or if the endpoint is on another host', async () => {
    const server = await openMerchantServer()
    const elsewhere = await openMerchantServer()
    const merchantId = await addMerchant(database.db)
    const { dispatcher } = startDispatching(database.db)
    const sent = async (to: typeof server, params: WebhookParams) => {
      await set(merchantId, params)
      const [id] = await emitEvents(database.db, merchantId)
      dispatcher.wake.now()
      await attempted(id, 1)
      const call = required(to.calls.at(-1), 'the call')
      return [first, second, third].filter((secret) => accepts(secret, call))
    }
    const { url } = server
    expect(await sent(server, { url, secret: first })).toEqual([first])
    expect(await sent(server, { url, secret: second, revokeFormerSecret: true })).toEqual([second])
    expect(await sent(server, { url, secret: third })).toEqual([second, third])
    expect(await sent(server, { url, secret: third })).toEqual([second, third])
    expect(await sent(server, { url, secret: third, revokeFormerSecret: true })).toEqual([third])
    expect(await sent(elsewhere, { url: elsewhere.url, secret: first })).toEqual([first])
    expect(await sent(elsewhere, { url: elsewhere.url, secret: second })).toEqual([first, second])
    expect(await sent(server, { url, secret: second })).toEqual([second])
  })

  it('replaces the current one as the former one, and older ones sign no more', async () => {
    const server = await openMerchantServer()
    const merchantId = await addMerchant(database.db)
    for (const secret of [first, second, third]) await set(merchantId, { url: server.url, secret })
    const [id] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    await attempted(id, 1)
    const call = required(server.calls[0], 'the call')
    expect([first, second, third].filter((secret) => accepts(secret, call))).toEqual([second, third])
  })

  it('leaves one current and one former secret if two are set at the same moment', async () => {
    const server = await openMerchantServer()
    const merchantId = await addMerchant(database.db)
    await Promise.all([first, second].map((secret) => set(merchantId, { url: server.url, secret })))
    const [id] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    await attempted(id, 1)
    const call = required(server.calls[0], 'the call')
    expect([first, second].map((secret) => accepts(secret, call))).toEqual([true, true])
  })
})

it('deletes a former secret once it has expired, and not before', async () => {
  const over = await addMerchant(database.db)
  const valid = await addMerchant(database.db)
  for (const merchantId of [over, valid])
    for (const secret of [first, second]) await set(merchantId, { url: 'http://shop.example/', secret })
  const { runBatch } = forgetFormerSecrets(database)
  await runBatch(new AbortController().signal)
  await endFormer(over)
  expect(await runBatch(new AbortController().signal)).toBe(1)
  const kept = await endpointRecords.all(
    database.db,
    { formerSealedSecret: present, merchantId: [over, valid] },
    'merchantId',
  )
  expect(kept.map((row) => row.merchantId)).toEqual([valid])
})

describe('F22 a captured delivery that is sent again', () => {
  async function captured(): Promise<ReceivedCall> {
    const server = await openMerchantServer()
    const merchantId = await addMerchant(database.db)
    await set(merchantId, { url: server.url, secret: first })
    const [id] = await emitEvents(database.db, merchantId)
    startDispatching(database.db)
    await attempted(id, 1)
    return required(server.calls[0], 'the call')
  }

  function altered(call: ReceivedCall, headers: Record<string, string>): ReceivedCall {
    return { ...call, headers: { ...call.headers, ...headers } }
  }

  it('is refused by its time, which cannot be made later, and by its id, which cannot be replaced', async () => {
    const call = await captured()
    const laterS = Date.now() / 1000 + 3_600
    expect(accepts(first, call)).toBe(true)
    expect(accepts(first, call, { nowS: laterS })).toBe(false)
    const younger = altered(call, { 'webhook-timestamp': String(Math.floor(laterS)) })
    expect(accepts(first, younger, { nowS: laterS })).toBe(false)
    expect(accepts(first, altered(call, { 'webhook-id': newId() }))).toBe(false)
    expect(
      accepts(first, { ...call, body: Buffer.from(call.body.toString().replace('zwölf', 'zwanzig')) }),
    ).toBe(false)
  })
})
