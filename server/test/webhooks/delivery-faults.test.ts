import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { silentLog } from '../../src/core/log.ts'
import { openSealer, UnsealError } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { webhookSecretContext } from '../../src/merchants/webhook-endpoint.ts'
import { useDatabase } from '../support/database.ts'
import { type Answer, openMerchantServer, status } from '../support/merchant-server.ts'
import { fromNow, now } from '../support/records/values.ts'
import { deliveryRecords, endpointRecords } from '../support/webhooks/records.ts'
import { deliveryOf, emitEvents, merchantAt, secretText, startDispatching } from './dispatching.ts'

const database = useDatabase()

async function attempted(id: string | undefined, timeout = 10_000) {
  return vi.waitFor(
    async () => {
      const row = await deliveryOf(database.db, id)
      expect([row.attempts, row.isClaimed]).toEqual([1, false])
      return row
    },
    { timeout, interval: 10 },
  )
}

/** Returns an answer that writes a byte from time to time and never ends. */
function drip(begin: (response: Parameters<Answer>[0]) => void): Answer {
  return (response) => {
    begin(response)
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  }
}

describe('F02 an answer that does not end', () => {
  it.each([
    ['drips its body', drip((response) => response.writeHead(200))],
    ['never begins', () => {}],
  ] satisfies [string, Answer][])('is aborted at the time limit when it %s', async (_how, answer) => {
    const server = await openMerchantServer(answer)
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    startDispatching(database.db, { parts: { totalMs: 300 } })
    const row = await attempted(id)
    expect(row).toMatchObject({ state: 'pending', tried: [{ status: null, error: 'timeout' }] })
  })

  it('is aborted at the time limit when it sends its headers slowly', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const timer = setInterval(() => socket.write('.'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const [id] = await emitEvents(database.db, await merchantAt(database.db, `http://127.0.0.1:${port}/`))
    startDispatching(database.db, { parts: { totalMs: 300 } })
    expect((await attempted(id)).tried).toEqual([{ status: null, error: 'timeout', excerpt: null }])
  })

  it('F06 is read up to 64 KiB, of which 1 KiB is stored, and counts by its status', async () => {
    const server = await openMerchantServer((response) => {
      response.writeHead(200)
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 'x')));
        if (!response.destroyed) response.once('drain', pour)
      }
      pour()
    })
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    startDispatching(database.db)
    const row = await attempted(id)
    expect(row.state).toBe('delivered')
    expect(row.tried[0]?.excerpt).toBe('x'.repeat(1024))
  })

  it.each([
    [64 * 1024, 'read to its end: the connection is used again', true],
    [64 * 1024 + 1, 'not read to its end: the connection is closed', false],
  ])('F06 of %i bytes is %s', async (bytes, _how, isUsedAgain) => {
    const sockets: unknown[] = []
    const server = await openMerchantServer((response) => {
      sockets.push(response.socket)
      response.writeHead(200).end(Buffer.alloc(bytes, 'x'))
    })
    const merchantId = await merchantAt(database.db, server.url)
    const { dispatcher } = startDispatching(database.db)
    for (let sent = 0; sent < 2; sent += 1) {
      const [id] = await emitEvents(database.db, merchantId)
      dispatcher.wake.now()
      expect((await attempted(id)).state).toBe('delivered')
    }
    expect(sockets).toHaveLength(2)
    expect(sockets[0] === sockets[1]).toBe(isUsedAgain)
  })

  it('F06 is not decompressed', async () => {
    const packed = gzipSync(Buffer.from('what a receiver says '.repeat(1024)))
    const server = await openMerchantServer((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    )
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    startDispatching(database.db)
    const row = await attempted(id)
    const asItCame = packed.subarray(0, 1024).toString('utf8').replaceAll('\u0000', '\ufffd')
    expect(row.tried[0]?.excerpt).toBe(asItCame)
    expect(server.calls[0]?.headers['accept-encoding']).toBeUndefined()
  })
})

describe('a dispatcher that dies', () => {
  it('F12 leaves nothing unsent: another one sends the same id and bytes, and the late result of the first changes nothing', async () => {
    let answerFirst = () => {}
    const server = await openMerchantServer((response) => {
      answerFirst = () => response.writeHead(500).end()
    }, status(200))
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    const first = startDispatching(database.db)
    await vi.waitFor(() => expect(server.calls).toHaveLength(1), 5_000)
    await deliveryRecords.change(database.db, { id }, { claimedUntil: fromNow('-1 ms') })
    const second = startDispatching(database.db)
    expect(await attempted(id)).toMatchObject({ state: 'delivered' })
    answerFirst()
    await Promise.all([first.stop(), second.stop()])
    expect(await deliveryOf(database.db, id)).toMatchObject({ state: 'delivered', attempts: 1 })
    expect((await deliveryOf(database.db, id)).tried.map((attempt) => attempt.status)).toEqual([200])
    const [one, two] = server.calls
    expect([two?.headers['webhook-id'], two?.body]).toEqual([one?.headers['webhook-id'], one?.body])
  })

  it('lets running attempts end when it is stopped normally, and stores their results', async () => {
    const server = await openMerchantServer((response) =>
      setTimeout(() => response.writeHead(200).end(), 200),
    )
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    const { stop } = startDispatching(database.db)
    await vi.waitFor(() => expect(server.calls).toHaveLength(1), 5_000)
    await stop(5_000)
    expect(await deliveryOf(database.db, id)).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  it('returns deliveries that do not end in time at once, without counting the attempt', async () => {
    const server = await openMerchantServer(() => {})
    const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
    const { stop } = startDispatching(database.db)
    await vi.waitFor(() => expect(server.calls).toHaveLength(1), 5_000)
    await stop(400)
    const row = await deliveryOf(database.db, id)
    expect(row).toMatchObject({ state: 'pending', attempts: 0, isClaimed: false, tried: [] })
    expect(row.restS).toBeLessThanOrEqual(0)
  })
})

it.each([4, 2])(
  'F14 an endpoint that never answers, with 400 events queued, holds %i attempts and delays nobody',
  async (inFlight) => {
    const dead = await openMerchantServer(() => {})
    const alive = await Promise.all(Array.from({ length: 5 }, () => openMerchantServer()))
    const deadMerchant = await merchantAt(database.db, dead.url)
    const [first] = await emitEvents(database.db, deadMerchant, 400)
    const merchants = await Promise.all(alive.map(({ url }) => merchantAt(database.db, url)))
    for (const merchantId of merchants) await emitEvents(database.db, merchantId, 40)
    // Nothing that is sent to the dead endpoint ends while this test runs, so the endpoint keeps its slots
    // occupied.
    const { stop } = startDispatching(database.db, { parts: { totalMs: 60_000, perEndpointMax: inFlight } })
    const everyone = () => alive.map(({ calls }) => calls.length)
    await vi.waitFor(() => expect(everyone()).toEqual([40, 40, 40, 40, 40]), {
      timeout: 20_000,
      interval: 10,
    })
    expect(dead.calls).toHaveLength(inFlight)
    for (const { connections } of alive) expect(connections).toBeLessThanOrEqual(inFlight)
    await stop(200)
    expect(await deliveryOf(database.db, first)).toMatchObject({
      state: 'pending',
      attempts: 0,
      isClaimed: false,
    })
    await deliveryRecords.change(
      database.db,
      { merchantId: deadMerchant },
      { state: 'cancelled', endedAt: now },
    )
  },
)

it('F14 many endpoints that never answer hold half of the slots together, and the rest is for others', async () => {
  const held = { now: 0, most: 0 }
  const dead = await openMerchantServer((response) => {
    held.now += 1
    held.most = Math.max(held.most, held.now)
    response.on('close', () => {
      held.now -= 1
    })
  })
  const deadMerchants = await Promise.all(Array.from({ length: 6 }, () => merchantAt(database.db, dead.url)))
  for (const merchantId of deadMerchants) await emitEvents(database.db, merchantId, 20)
  const parts = { inFlightMax: 8, slowMs: 100, totalMs: 400 }
  const { stop } = startDispatching(database.db, { parts })
  // The dispatcher learns only from the first attempts that an endpoint is slow. Until then, these attempts
  // take every slot.
  await vi.waitFor(() => expect([held.most, dead.calls.length > 8]).toEqual([8, true]), 5_000)
  await vi.waitFor(() => expect(held.now).toBeLessThanOrEqual(4), { timeout: 5_000, interval: 5 })
  held.most = 0
  const alive = await openMerchantServer()
  await emitEvents(database.db, await merchantAt(database.db, alive.url), 40)
  await vi.waitFor(() => expect(alive.calls).toHaveLength(40), 10_000)
  await vi.waitFor(() => expect(dead.calls.length).toBeGreaterThan(20), 10_000)
  expect(held.most).toBeLessThanOrEqual(4)
  await stop(200)
  await deliveryRecords.change(
    database.db,
    { state: 'pending', merchantId: deadMerchants },
    { state: 'cancelled', claimedUntil: null, endedAt: now },
  )
})

describe('a private or own target', () => {
  async function blockReasonOf(
    url: string,
    options: Parameters<typeof startDispatching>[1],
  ): Promise<string> {
    const [id] = await emitEvents(database.db, await merchantAt(database.db, url))
    const { stop } = startDispatching(database.db, options)
    const row = await attempted(id)
    await stop()
    return row.tried[0]?.error ?? `status ${row.tried[0]?.status}`
  }

  const strict = { allowPrivate: false }
  const inside = 'refused: the address is private, local or reserved'

  it.each([
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::1]:PORT/',
    'http://localhost:PORT/',
    'http://10.1.2.3/',
    'http://[fd00::1]/',
  ])('is refused if private targets are not allowed: %s', async (url) => {
    const server = await openMerchantServer()
    expect(await blockReasonOf(url.replace('PORT', `${server.port}`), { rules: strict })).toBe(inside)
    expect(server.connections).toBe(0)
  })

  it.each(['http://169.254.169.254/', 'http://[fe80::1]/', 'http://0.0.0.0/', 'http://224.0.0.1/'])(
    'is refused even if private targets are allowed: %s',
    async (url) => expect(await blockReasonOf(url, {})).toBe(inside),
  )

  it('is refused if a name resolves to it', async () => {
    const server = await openMerchantServer()
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const url = `http://hooks.example.com:${server.port}/`
    expect(await blockReasonOf(url, { rules: strict, resolve })).toBe(inside)
    expect(server.connections).toBe(0)
  })

  it('is refused if it is one of several records, whichever comes first', async () => {
    const server = await openMerchantServer()
    const records = [
      { address: '169.254.169.254', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    const url = `http://hooks.example.com:${server.port}/`
    for (const answer of [records, [...records].reverse()]) {
      expect(await blockReasonOf(url, { resolve: async () => answer })).toBe(inside)
    }
    expect(server.connections).toBe(0)
  })

  it('is refused by address and port, and by public name, if it is our own server', async () => {
    const server = await openMerchantServer()
    const ownRules = { ownPort: server.port, ownHosts: ['pay.example.com'] }
    expect(await blockReasonOf(server.url, { rules: ownRules })).toBe(
      'refused: the address belongs to this service',
    )
    for (const url of ['http://pay.example.com/x', 'http://PAY.example.com.:80/x']) {
      expect(await blockReasonOf(url, { rules: ownRules })).toBe('refused: the URL points to this service')
    }
    expect(server.connections).toBe(0)
  })

  it('is reached by a name if it is allowed, over connections that are kept open', async () => {
    const server = await openMerchantServer()
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const merchantId = await merchantAt(database.db, `http://hooks.example.com:${server.port}/`)
    const ids = await emitEvents(database.db, merchantId, 40)
    startDispatching(database.db, { resolve })
    await vi.waitFor(() => expect(server.calls).toHaveLength(ids.length), 5_000)
    expect(server.connections).toBeLessThanOrEqual(4)
  })

  it('is refused over plain http if that is not allowed', async () => {
    const server = await openMerchantServer()
    expect(await blockReasonOf(server.url, { rules: { allowHttp: false } })).toBe(
      'refused: the URL must be https',
    )
  })

  it('Q3 is refused over plain http if a name resolves to a public address, before any connection', async () => {
    const resolve = async () => [{ address: '1.1.1.1', family: 4 }]
    expect(
      await blockReasonOf('http://shop.internal:4000/', { rules: { isHttpInnerOnly: true }, resolve }),
    ).toBe('refused: the URL must be https: the sandbox allows plain http only to private addresses')
  })
})

it('a delivery has only the current signature if the former secret cannot be decrypted', async () => {
  const server = await openMerchantServer()
  const merchantId = await merchantAt(database.db, server.url)
  const lost = openSealer(new Secret('22'.repeat(32))).seal(secretText, webhookSecretContext(merchantId))
  await endpointRecords.change(
    database.db,
    { merchantId },
    { formerSealedSecret: lost, formerValidUntil: fromNow('1 hour') },
  )
  const [id] = await emitEvents(database.db, merchantId)
  startDispatching(database.db)
  expect((await attempted(id)).state).toBe('delivered')
  expect(server.calls[0]?.headers['webhook-signature']).toMatch(/^v1,\S+$/)
})

it('a delivery costs the merchant no attempt if its secret cannot be decrypted: the operator is alerted, and it is retried later', async () => {
  const server = await openMerchantServer()
  const [id] = await emitEvents(database.db, await merchantAt(database.db, server.url))
  const logged: { deliveryId?: string }[] = []
  const log = { ...silentLog, error: (fields: object) => void logged.push(fields) }
  const openSecret = () => {
    throw new UnsealError('sealed under another ENCRYPTION_KEY')
  }
  startDispatching(database.db, { parts: { log, openSecret } })
  const row = await vi.waitFor(
    async () => {
      const found = await deliveryOf(database.db, id)
      expect([found.isClaimed, found.restS > 30]).toEqual([false, true])
      return found
    },
    { timeout: 10_000, interval: 10 },
  )
  expect(row).toMatchObject({ state: 'pending', attempts: 0, tried: [] })
  // Deliveries that failed in earlier tests may be due again by now.
  const reported = logged.filter(({ deliveryId }) => deliveryId === id)
  expect(reported).toEqual([expect.objectContaining({ err: expect.any(UnsealError) })])
  expect(server.calls).toEqual([])
})
