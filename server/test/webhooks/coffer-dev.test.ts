/** Tests the merchant's command `coffer-dev` against the real API and a real receiver. */
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../../sdk/src/dev/run.ts'
import { verifyWebhook } from '../../../sdk/src/index.ts'
import { systemClock } from '../../src/core/clock.ts'
import { workLoop } from '../../src/core/concurrency/work-loop.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { appendEvents } from '../../src/platform/outbox/append.ts'
import { type Seller, useShopApi } from '../api/shop-api.ts'
import { useDatabase } from '../support/database.ts'
import { type MerchantServer, startMerchantServer, status } from '../support/merchant-server.ts'
import { emitEvents, secretText, setEndpoint, startDispatching } from './dispatching.ts'

const database = useDatabase()
const api = useShopApi(database)
let seller: Seller
let receiver: MerchantServer

/** Ends the loop that polls for the waiting readers of the feed, as a server does. */
const ending = new AbortController()
let polling: Promise<void>
beforeAll(() => {
  const { feedWaiters } = api
  const worker = {
    name: 'feed-waiters',
    idleMs: 20,
    runBatch: (signal: AbortSignal) => feedWaiters.runBatch(signal),
  }
  const parts = { clock: systemClock, log: silentLog, signal: ending.signal }
  polling = workLoop(worker, { ...parts, wake: feedWaiters.wake })
})
afterAll(() => {
  ending.abort()
  return polling
})

beforeEach(async () => {
  seller = await api.openSeller()
  receiver = await startMerchantServer()
  onTestFinished(() => receiver.close())
})

const patience = { timeout: 20_000, interval: 5 }
const serverUrl = () => `http://127.0.0.1:${api.port}`

/**
 * Runs a command as a person types it, and collects its output. Ctrl-C ends it at the latest when the test
 * ends.
 */
function type(words: readonly string[], { env = {}, hasColours = false } = {}) {
  const printed: string[] = []
  const noted: string[] = []
  const ending = new AbortController()
  const code = run({
    words,
    env: { COFFER_URL: serverUrl(), COFFER_API_KEY: seller.key, ...env },
    signal: ending.signal,
    restMs: 10,
    terminal: { print: (line) => printed.push(line), note: (line) => noted.push(line), hasColours },
  })
  const end = () => {
    ending.abort()
    return code
  }
  onTestFinished(async () => void (await end()))
  return { printed, noted, code, end, notes: () => noted.join('\n') }
}

async function listening(words: readonly string[] = [], options: Parameters<typeof type>[1] = {}) {
  const typed = type(['listen', '--forward', receiver.url, ...words], options)
  await vi.waitFor(() => expect(typed.notes()).toContain('Ctrl-C'), patience)
  return typed
}

const received = (count: number) => vi.waitFor(() => expect(receiver.calls).toHaveLength(count), patience)
const sequences = () => receiver.calls.map(({ body }) => JSON.parse(body.toString()).sequence)
const emitMany = (count: number) => emitEvents(database.db, seller.merchantId, count)

/** Starts a proxy to the server that can be closed, which breaks existing and new connections. */
async function startGate() {
  const sockets = new Set<Socket>()
  const gate = { isOpen: true, url: '', shut: () => {} }
  const server = createTcpServer((near) => {
    near.on('error', () => {})
    if (!gate.isOpen) return void near.destroy()
    const far = connect(api.port, '127.0.0.1')
    far.on('error', () => near.destroy())
    for (const socket of [near, far]) sockets.add(socket)
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  gate.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  gate.shut = () => {
    gate.isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    gate.shut()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return gate
}

describe('coffer-dev listen', () => {
  it('forwards exactly the headers and bytes of a delivery', async () => {
    const shop = await startMerchantServer()
    onTestFinished(() => shop.close())
    await setEndpoint(database.db, seller.merchantId, shop.url)
    // The dispatcher has seen only the first incarnation of the database.
    startDispatching(database.db, { parts: { incarnation: () => 1 } })
    await listening(['--secret', secretText])
    const odd = {
      note: 'zwölf ₿ "\\ \u2028 \ud83d </script>',
      list: [1, 0.1, -2e-9, null, { b: 1, a: [] }],
      z: '',
      a: true,
    }
    const event = {
      merchantId: seller.merchantId,
      type: 'webhook.test',
      subject: newId(),
      occurredAt: new Date(),
    }
    await inTransaction(database.db, (tx) => appendEvents(tx, [{ ...event, data: odd } as never]))
    await received(1)
    await vi.waitFor(() => expect(shop.calls).toHaveLength(1), patience)
    const forwarded = receiver.calls[0]
    const delivered = shop.calls[0]
    expect(forwarded?.body.equals(delivered?.body ?? Buffer.alloc(0))).toBe(true)
    // The headers that differ between two sendings of one event.
    const own = { host: '', 'webhook-timestamp': '', 'webhook-signature': '', 'x-service-webhook-token': '' }
    expect({ ...forwarded?.headers, ...own }).toEqual({ ...delivered?.headers, ...own })
    for (const call of [forwarded, delivered]) {
      const { body, headers } = call ?? { body: '', headers: {} }
      expect((await verifyWebhook({ body, headers, secret: secretText })).data).toEqual(
        JSON.parse(JSON.stringify(odd)),
      )
    }
  })

  it('begins now, or after a named event, and prints at the end where to continue', async () => {
    await emitMany(7)
    const now = await listening()
    await emitMany(2)
    await received(2)
    expect(sequences()).toEqual([8, 9])
    expect(await now.end()).toBe(0)
    expect(now.noted.at(-1)).toBe('Ended after event 9; continue with --from 9.')
    const beyond = type(['listen', '--forward', receiver.url, '--from', '10'])
    expect([await beyond.code, beyond.notes()]).toEqual([2, expect.stringContaining('newest event is 9')])
    await listening(['--from', '4'])
    await received(7)
    expect(sequences().slice(2)).toEqual([5, 6, 7, 8, 9])
  })

  it('signs with a secret that it prints: the same for the same key, and another for another key', async () => {
    const secretIn = (text: string) => /signed with (\S+)/.exec(text)?.[1] ?? ''
    const first = await listening(['--from', '0'])
    await emitMany(1)
    await received(1)
    const { body, headers } = receiver.calls[0] ?? { body: '', headers: {} }
    const secret = secretIn(first.notes())
    expect(secret).toMatch(/^dev_[\w-]{43}$/)
    expect(await verifyWebhook({ body, headers, secret })).toMatchObject({ sequence: 1 })
    expect(secretIn((await listening()).notes())).toBe(secret)
    const env = { COFFER_API_KEY: (await api.openSeller()).key }
    expect(secretIn((await listening([], { env })).notes())).not.toBe(secret)
  })

  it('signs with a given secret and does not print it', async () => {
    const given = 'my own secret, nothing for a screen'
    const { notes } = await listening(['--from', '0'], { env: { COFFER_WEBHOOK_SECRET: given } })
    await emitMany(1)
    await received(1)
    const { body, headers } = receiver.calls[0] ?? { body: '', headers: {} }
    expect(await verifyWebhook({ body, headers, secret: given })).toMatchObject({ sequence: 1 })
    expect(notes()).not.toContain(given)
  })

  it('prints a line for each event, with the answer, and colours only on a terminal', async () => {
    receiver.answer(
      status(204),
      (response) => response.writeHead(500).end('no\u001b[2Jsuch\norder'),
      status(302),
    )
    const dull = await listening()
    const bright = await listening([], { hasColours: true })
    await emitMany(3)
    await received(6)
    await vi.waitFor(() => expect([dull.printed.length, bright.printed.length]).toEqual([3, 3]), patience)
    for (const line of dull.printed)
      expect(line).toMatch(
        /^\d\d:\d\d:\d\d {2}transaction\.detected {4} #\d {5} +\d+ {2}\d+ ms( {2}no \[2Jsuch order| {2}ok)?$/,
      )
    expect([...dull.printed, ...dull.noted].join('')).not.toContain('\u001b')
    expect(bright.printed[0]).toContain('\u001b[')
    expect(bright.printed.join('')).not.toContain('\u001b[2J')
  })

  it('continues where it was when the server is back, without losing or repeating events', async () => {
    const gate = await startGate()
    const { noted } = await listening([], { env: { COFFER_URL: gate.url } })
    await emitMany(3)
    await received(3)
    for (const round of [1, 2, 3]) {
      gate.shut()
      await vi.waitFor(
        () => expect(noted.filter((line) => line.includes('cannot be read'))).toHaveLength(round),
        patience,
      )
      await emitMany(130)
      gate.isOpen = true
      await received(3 + round * 130)
    }
    expect(sequences()).toEqual(Array.from({ length: 393 }, (_, index) => index + 1))
    expect(noted.filter((line) => line.includes('can be read from'))).toHaveLength(3)
  })

  it('keeps an event while nobody listens at the receiver', async () => {
    const calls: string[] = []
    const late = createServer((request, response) => {
      calls.push(`${request.headers['webhook-id']}`)
      response.end()
    })
    const listen = (port: number) => new Promise<void>((resolve) => late.listen(port, '127.0.0.1', resolve))
    await listen(0)
    const { port } = late.address() as AddressInfo
    await new Promise((resolve) => late.close(resolve))
    const { noted, printed } = await listening(['--forward', `127.0.0.1:${port}/hook`])
    await emitMany(3)
    await vi.waitFor(() => expect(noted.join()).toContain('event 1 waits until something does'), patience)
    await listen(port)
    onTestFinished(() => {
      late.closeAllConnections()
      late.close()
    })
    await vi.waitFor(() => expect(printed).toHaveLength(3), patience)
    expect(new Set(calls).size).toBe(3)
    expect(noted.filter((line) => line.includes('waits'))).toHaveLength(1)
  })

  it('skips the types that are not wanted', async () => {
    const { printed } = await listening(['--events', 'webhook.test,invoice.paid'])
    await emitMany(2)
    await setEndpoint(database.db, seller.merchantId, receiver.url)
    const ordered = type(['trigger'], { env: { COFFER_API_KEY: '', COFFER_TOKEN: seller.token } })
    expect(await ordered.code).toBe(0)
    expect(ordered.printed[0]).toMatch(/^The server sends a webhook\.test event/)
    await received(1)
    await vi.waitFor(() => expect(printed).toHaveLength(1), patience)
    expect(sequences()).toEqual([3])
  })
})

describe('coffer-dev send', () => {
  const sent = (...words: string[]) =>
    type(['send', ...words, '--forward', receiver.url, '--secret', secretText])

  it('posts an invented event with a valid signature, and reports by its exit code whether it was accepted', async () => {
    receiver.answer(status(200), status(503))
    const taken = sent('withdrawal.failed')
    const refused = sent('invoice.paid', '--service-name', 'Acme')
    expect([await taken.code, await refused.code].sort()).toEqual([0, 1])
    for (const { body, headers } of receiver.calls)
      expect((await verifyWebhook({ body, headers, secret: secretText })).type).toMatch(
        /withdrawal.failed|invoice.paid/,
      )
    expect(receiver.calls.some(({ headers }) => 'x-acme-signature' in headers)).toBe(true)
    expect(taken.printed.join()).toContain('withdrawal.failed')
  })

  it('lists the known events, and reports that nobody listens', async () => {
    const unknown = sent('invoice.payed')
    expect([await unknown.code, unknown.notes()]).toEqual([2, expect.stringContaining('invoice.paid, ')])
    const lonely = type(['send', 'invoice.paid', '--forward', 'localhost:1', '--secret', 's'])
    expect([await lonely.code, lonely.printed.join()]).toEqual([1, expect.stringContaining('ECONNREFUSED')])
  })
})

describe('coffer-dev states the remedy', () => {
  const refused = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const typed = type(words, { env })
    return { code: await typed.code, notes: typed.notes() }
  }
  const listen = ['listen', '--forward', 'localhost:1']

  it('if there is no server, or another one', async () => {
    const env = { COFFER_URL: 'http://127.0.0.1:1' }
    expect(await refused(listen, env)).toEqual({
      code: 1,
      notes: expect.stringMatching(/Nothing answers at .*--url/),
    })
    receiver.answer(status(404))
    expect(await refused(listen, { COFFER_URL: receiver.url })).toEqual({
      code: 1,
      notes: expect.stringContaining('is not Coffer. Set the URL of Coffer with --url'),
    })
  })

  it('if the key is wrong, or of another merchant', async () => {
    expect(await refused(listen, { COFFER_API_KEY: 'wrong' })).toEqual({
      code: 1,
      notes: expect.stringMatching(/does not know this API key.*key\/generate/),
    })
    const { merchantId } = await api.openSeller()
    expect(await refused([...listen, '--merchant', merchantId])).toEqual({
      code: 1,
      notes: expect.stringMatching(/omit --merchant/),
    })
  })

  it('if the token is wrong, or there is no merchant, or there are several', async () => {
    const bearer = (token: string) => ({ COFFER_API_KEY: '', COFFER_TOKEN: token })
    expect((await refused(listen, bearer('wrong'))).notes).toContain('POST /auth/login')
    const { token } = await api.register()
    expect((await refused(listen, bearer(token))).notes).toContain('POST /merchants')
    const ids = [await api.makeMerchant(token), await api.makeMerchant(token, 'Second')]
    const { code, notes } = await refused(listen, bearer(token))
    expect(code).toBe(2)
    for (const id of ids) expect(notes).toContain(`--merchant ${id}`)
    expect((await refused([...listen, '--merchant', newId()], bearer(token))).notes).toContain('--merchant')
  })

  it('if a key is revoked while it listens: it ends, and prints where to continue', async () => {
    await emitMany(2)
    const { code, notes } = await listening()
    await api.client({ token: seller.token }).revokeKey({ merchantID: seller.merchantId })
    await emitMany(1)
    expect(await code).toBe(1)
    expect(receiver.calls).toHaveLength(0)
    expect(notes()).toMatch(/continue with --from 2\.\n.*key\/generate/)
  })

  it('if a test event cannot be sent, because there is no token or no webhook', async () => {
    expect((await refused(['trigger'])).notes).toContain('COFFER_TOKEN')
    expect((await refused(['trigger'], { COFFER_TOKEN: seller.token })).notes).toContain('POST /weebhook')
  })
})
