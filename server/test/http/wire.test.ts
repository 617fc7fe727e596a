/** Tests requests at the level of bytes on the socket: smuggled, unusual, slow or endless ones. */
import { connect, type Socket } from 'node:net'
import { Type } from 'typebox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { route } from '../../src/platform/http/route.ts'
import { httpRoutes } from '../../src/platform/http/routes.ts'
import { useMadeServers } from '../support/made-server.ts'

const startServer = useMadeServers()

const seen: unknown[] = []
const echo = route({
  method: 'POST',
  path: '/echo',
  auth: 'open',
  summary: 'Echoes its body',
  body: Type.Object({ name: Type.Optional(Type.String()) }),
  replies: { 200: Type.Object({ name: Type.Optional(Type.String()) }) },
  handle: async ({ body }) => {
    seen.push(body.name)
    return { status: 200, body }
  },
})
const routes = [...httpRoutes(), echo]

/** Sends bytes and resolves with everything that the server sent until it closed the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET') reject(error)
    })
  })
}

const lines = (...parts: string[]) => parts.join('\r\n')
const post = (...headers: string[]) =>
  lines('POST /echo HTTP/1.1', 'host: x', 'content-type: application/json', ...headers, '', '')
const smuggled = lines('POST /echo HTTP/1.1', 'host: x', 'content-length: 19', '', '{"name":"smuggled"}')

function statusesOf(answer: string): string[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status)
}

describe('a request that two parsers could split differently', () => {
  it.each([
    ['CL and TE', `${post('content-length: 4', 'transfer-encoding: chunked')}0\r\n\r\n${smuggled}`],
    ['TE and CL', `${post('transfer-encoding: chunked', 'content-length: 4')}0\r\n\r\n${smuggled}`],
    ['two lengths', `${post('content-length: 2', 'content-length: 40')}{}${smuggled}`],
    ['a list of lengths', `${post('content-length: 2, 40')}{}${smuggled}`],
    ['a signed length', `${post('content-length: +2')}{}${smuggled}`],
    ['a length in hex', `${post('content-length: 0x2')}{}${smuggled}`],
    ['an unknown coding', `${post('transfer-encoding: xchunked')}0\r\n\r\n${smuggled}`],
    ['chunked that is not last', `${post('transfer-encoding: chunked, identity')}0\r\n\r\n${smuggled}`],
    ['a blank before the colon', `${post('transfer-encoding : chunked')}0\r\n\r\n${smuggled}`],
    ['a folded header', `${post('x-a: b', ' content-length: 2')}{}${smuggled}`],
    ['a bare line feed', `POST /echo HTTP/1.1\nhost: x\ncontent-length: 2\n\n{}${smuggled}`],
    ['a chunk size with a sign', `${post('transfer-encoding: chunked')}-1\r\n\r\n${smuggled}`],
    ['U+0000 in a header', `${post('x-a: \u0000', 'content-length: 2')}{}${smuggled}`],
  ])('G24 gets 400, ends the connection, and no bytes after it are served: %s', async (_name, bytes) => {
    const { port } = await startServer({ routes })
    seen.length = 0
    const answer = await exchange(port, bytes)
    expect(statusesOf(answer)).toEqual(['400'])
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json')
    expect(seen).not.toContain('smuggled')
  })

  it('G24 is refused without a Host header or with two', async () => {
    const { port } = await startServer({ routes })
    const end = lines('connection: close', '', '')
    const none = await exchange(port, `GET /healthz HTTP/1.1\r\n${end}`)
    const two = await exchange(port, `GET /healthz HTTP/1.1\r\nhost: x\r\nHost: y\r\n${end}`)
    for (const answer of [none, two]) {
      expect(statusesOf(answer)).toEqual(['400'])
      expect(answer).toContain('application/problem+json')
    }
  })
})

describe('unusual but valid requests', () => {
  const close = lines('host: x', 'connection: close', '', '')
  it.each([
    ['G24 TRACE is 405 and echoes nothing', `TRACE /healthz HTTP/1.1\r\nx-secret: 42\r\n${close}`, '405'],
    ['G24 PUT on a POST route is 405', `PUT /echo HTTP/1.1\r\n${close}`, '405'],
    ['G24 an unknown method is 400', `FETCH /healthz HTTP/1.1\r\n${close}`, '400'],
    ['OPTIONS * is no path of ours', `OPTIONS * HTTP/1.1\r\n${close}`, '404'],
    ['HTTP/1.0 without Host is served', 'GET /healthz HTTP/1.0\r\n\r\n', '200'],
    ['HTTP/2 by prior knowledge is 400', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`, '400'],
    ['an upgrade is passed over', `GET /healthz HTTP/1.1\r\nupgrade: h2c\r\n${close}`, '200'],
    ['an unknown expectation is passed over', `GET /healthz HTTP/1.1\r\nexpect: tea\r\n${close}`, '200'],
    ['a body on GET is passed over', `GET /healthz HTTP/1.1\r\ncontent-length: 2\r\n${close}{}`, '200'],
    ['an absolute form of another host is its path', `GET http://y/healthz HTTP/1.1\r\n${close}`, '200'],
    ['two slashes are another path', `GET //healthz HTTP/1.1\r\n${close}`, '404'],
  ])('%s', async (_name, bytes, status) => {
    const { port } = await startServer({ routes })
    const answer = await exchange(port, bytes)
    expect(statusesOf(answer)).toEqual([status])
    expect(answer).not.toContain('x-secret')
  })

  it('may ask first whether the body is accepted', async () => {
    const { port } = await startServer({ routes })
    const answer = await exchange(
      port,
      post('content-length: 14', 'expect: 100-continue', 'connection: close') +
        '{"name":"kept"}'.slice(0, 14),
    )
    expect(statusesOf(answer)[0]).toBe('100')
  })

  it('may follow each other on one connection without waiting', async () => {
    const { port } = await startServer({ routes })
    const one = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
    const last = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
    expect(statusesOf(await exchange(port, one + one + last))).toEqual(['200', '200', '200'])
  })
})

describe('slow clients', () => {
  const openSlow = (port: number) =>
    Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        open(port, index % 2 === 0 ? 'GET /healthz HTTP/1.1\r\nhost:' : `${post('content-length: 9')}{`),
      ),
    )

  it('G23 are disconnected after their time', async () => {
    const { port, call } = await startServer({ routes, headersTimeoutMs: 100, requestTimeoutMs: 200 })
    const slow = await openSlow(port)
    const answers = await Promise.all(slow.map(({ ended }) => ended))
    expect(answers.flatMap(statusesOf)).toEqual(slow.map(() => '408'))
    expect((await call('GET', '/healthz')).status).toBe(200)
  })

  it('G23 delay nobody else: others are answered while all of them are connected', async () => {
    const { port, call } = await startServer({ routes, headersTimeoutMs: 60_000, requestTimeoutMs: 60_000 })
    const slow = await openSlow(port)
    let ended = 0
    for (const one of slow) {
      void one.ended.then(() => {
        ended += 1
      })
    }
    expect((await call('GET', '/healthz')).status).toBe(200)
    expect(ended).toBe(0)
    for (const { socket } of slow) socket.resetAndDestroy()
  })

  it('G23 that leave half a request behind are removed', async () => {
    const { port, call } = await startServer({ routes })
    const sockets = await Promise.all(
      Array.from({ length: 50 }, () => open(port, `${post('content-length: 900')}{`)),
    )
    for (const { socket } of sockets) socket.resetAndDestroy()
    expect((await call('GET', '/healthz')).status).toBe(200)
  })
})

/** Opens a connection that sends these bytes and then nothing more. */
async function open(port: number, bytes: string): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString()
  })
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(answer)))
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  return { socket, ended }
}

describe('every answer', () => {
  it.each(['/healthz', '/nowhere', '/problems/not-found'])(
    'of %s forbids browsers to frame, sniff, cache and share it',
    async (path) => {
      const { call } = await startServer({ routes })
      const { headers } = await call('GET', path, { headers: { origin: 'https://evil.example' } })
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        // Pages have one style of their own, allowed by its hash. Nothing else is loaded or run.
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; (style-src 'sha256-[\w+/=]+'; )?base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
        ),
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      })
      expect(headers.get('access-control-allow-origin')).toBe(null)
      expect(headers.get('server')).toBe(null)
      expect(headers.get('x-powered-by')).toBe(null)
    },
  )

  it('has a request id of its own, whatever the client sent', async () => {
    const { call } = await startServer({ routes })
    const headers = { 'x-request-id': 'mine', 'request-id': 'mine' }
    const ids = [await call('GET', '/healthz', { headers }), await call('GET', '/healthz', { headers })].map(
      (answer) => answer.headers.get('x-request-id') ?? '',
    )
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(ids).size).toBe(2)
  })

  it('to HEAD has the headers of GET and no body', async () => {
    const { call } = await startServer({ routes })
    const get = await call('GET', '/healthz')
    const head = await call('HEAD', '/healthz')
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    }
    expect((await call('HEAD', '/echo')).status).toBe(405)
  })
})
