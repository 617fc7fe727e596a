import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { Type } from 'typebox'
import { afterEach, describe, expect, it } from 'vitest'
import { fail } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { type Authentication, authenticator } from './auth.ts'
import type { ProblemBody } from './problems.ts'
import { type Route, route } from './route.ts'
import { httpRoutes } from './routes.ts'
import { buildServer, type ServerParts } from './server.ts'
import { decimalAmount, nullable, oneOf, pagingQuery, uuid } from './wire.ts'

const merchantId = '01890a5d-ac96-774b-bcce-b302099a8057'
const foreignId = '01890a5d-ac96-774b-bcce-b302099a8058'
const unknownId = '01890a5d-ac96-774b-bcce-b302099a8059'
const childId = '01890a5d-ac96-774b-bcce-b30209900000'
const key = { 'x-api-key': 'good' }
const bearer = { authorization: 'Bearer good' }
const json = { 'content-type': 'application/json' }

const caller = { type: 'account', accountId: childId, sessionId: childId, isOperator: false } as const

/**
 * One account and one API key, both of one merchant. With the token "good" the account is an owner of the
 * merchant, and with the token "viewer" it is a viewer.
 */
const people = authenticator({
  authenticateBearer: async (token, id): Promise<Authentication | undefined> => {
    if (token !== 'good' && token !== 'viewer') return undefined
    if (id === undefined) return { caller, access: 'none' }
    if (id === unknownId) return { caller, access: 'missing' }
    if (id !== merchantId) return { caller, access: 'forbidden' }
    return { caller, access: 'allowed', role: token === 'viewer' ? 'viewer' : 'owner' }
  },
  authenticateCookie: async () => undefined,
  authenticateKey: async (text, id): Promise<Authentication | undefined> => {
    if (text !== 'good') return undefined
    const keyCaller = { type: 'key', merchantId } as const
    return {
      caller: keyCaller,
      access: id === undefined ? 'none' : id === merchantId ? 'allowed' : 'forbidden',
    }
  },
})

const echoBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  amount: Type.Optional(decimalAmount),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  kind: Type.Optional(oneOf(['one', 'two'])),
  nested: Type.Optional(Type.Object({ tags: Type.Optional(Type.Array(Type.String())) })),
  clear: Type.Optional(nullable(Type.String())),
})

const anything = Type.Unsafe<unknown>({})

function testRoutes(): readonly Route[] {
  return [...httpRoutes(), ...openRoutes(), ...guardedRoutes()]
}

function openRoutes(): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/echo',
      auth: 'open',
      summary: 'Echoes its body',
      body: echoBody,
      replies: { 200: anything },
      handle: async ({ body }) => ({ status: 200, body }),
    }),
    route({
      method: 'GET',
      path: '/list',
      auth: 'open',
      summary: 'Echoes its query',
      query: Type.Object({
        ...pagingQuery(['createdAt', 'amount']),
        states: Type.Optional(Type.Array(oneOf(['a', 'b']))),
        search: Type.Optional(Type.String()),
        flag: Type.Optional(Type.Boolean()),
      }),
      replies: { 200: anything },
      handle: async ({ query }) => ({ status: 200, body: query }),
    }),
    route({
      method: 'GET',
      path: '/crash',
      auth: 'open',
      summary: 'Fails',
      query: Type.Object({ code: Type.Optional(Type.String()) }),
      replies: { 204: null },
      handle: async ({ query }) => {
        throw Object.assign(new Error('SECRET detail'), query.code === undefined ? {} : { code: query.code })
      },
    }),
    route({
      method: 'GET',
      path: '/public/:thingID',
      auth: 'open',
      summary: 'For browsers',
      crossOrigin: true,
      replies: { 200: uuid },
      handle: async ({ params }) => ({ status: 200, body: params.thingID }),
    }),
    route({
      method: 'DELETE',
      path: '/nothing',
      auth: 'open',
      summary: 'Takes no body',
      replies: { 204: null },
      handle: async () => ({ status: 204 }),
    }),
  ]
}

function guardedRoutes(): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/merchants/:merchantID/things/:thingID',
      auth: 'any',
      summary: 'Merchant-scoped',
      body: Type.Object({ name: Type.String() }),
      replies: { 200: anything },
      handle: async ({ merchant, params, caller }) => {
        if (params.thingID !== childId) throw fail('not-found', 'No such thing.')
        return { status: 200, body: { merchant, caller, thing: params.thingID } }
      },
    }),
    route({
      method: 'GET',
      path: '/merchants/:merchantID/things',
      auth: 'bearer',
      summary: 'Bearer only',
      replies: { 200: anything },
      handle: async ({ address }) => ({ status: 200, body: { address } }),
    }),
    route({
      method: 'POST',
      path: '/closed',
      auth: 'bearer',
      summary: 'Nobody may',
      body: Type.Object({ name: Type.String() }),
      permit: () => {
        throw fail('forbidden', 'Nobody may.')
      },
      replies: { 204: null },
      handle: async () => ({ status: 204 }),
    }),
  ]
}

let close: (() => Promise<void>) | undefined

afterEach(async () => {
  await close?.()
  close = undefined
})

interface Started {
  readonly port: number
  readonly lines: readonly Record<string, unknown>[]
  call(
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: string | Buffer },
  ): Promise<Answer>
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: ProblemBody & Record<string, unknown>
}

async function start(overrides: Partial<ServerParts> = {}): Promise<Started> {
  const lines: Record<string, unknown>[] = []
  const push = (fields: Record<string, unknown>, message: string) => lines.push({ ...fields, message })
  const log: Log = { debug: push, info: push, warn: push, error: push }
  const parts = { routes: testRoutes(), authenticator: people, log, publicUrl: 'https://pay.example' }
  const app = buildServer({ ...parts, ...overrides })
  await app.listen({ host: '127.0.0.1', port: 0 })
  close = () => app.close()
  const { port } = app.server.address() as AddressInfo
  const call: Started['call'] = async (method, path, { headers, body } = {}) => {
    const init = { method, headers: headers ?? {}, ...(body === undefined ? {} : { body }) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const text = await response.text()
    const parsed =
      response.headers.get('content-type')?.includes('json') === true && text !== '' ? JSON.parse(text) : {}
    return { status: response.status, headers: response.headers, text, body: parsed }
  }
  return { port, lines, call }
}

/** Sends bytes and resolves with everything received until the server closed the connection. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}

describe('every refusal is a problem of the catalogue', () => {
  it('carries type, title, status, detail, code and requestID without a charset', async () => {
    const { call } = await start()
    const { status, headers, body } = await call('GET', '/nowhere')
    expect(status).toBe(404)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(body).toEqual({
      type: 'https://pay.example/problems/not-found',
      title: 'Not found',
      status: 404,
      detail: 'Not found.',
      code: 'not-found',
      requestID: headers.get('x-request-id'),
    })
  })

  it('answers an unexpected error without a word of its cause, and logs the cause', async () => {
    const { call, lines } = await start()
    const { status, text } = await call('GET', '/crash')
    expect(status).toBe(500)
    expect(text).not.toContain('SECRET')
    expect(lines.some(({ err }) => err instanceof Error && err.message === 'SECRET detail')).toBe(true)
  })

  it.each(['ECONNREFUSED', '57P01', '08006', '53300', '55P03'])(
    'answers 503 with Retry-After when the database is away (%s)',
    async (code) => {
      const { call } = await start()
      const { status, headers, body } = await call('GET', `/crash?code=${code}`)
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'database-unavailable' })
      expect(headers.get('retry-after')).toBe('2')
    },
  )

  it('distinguishes a query that took too long from a database that is away, and asks for a longer rest', async () => {
    const { call } = await start()
    const { status, headers, body } = await call('GET', '/crash?code=57014')
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'query-too-slow' })
    expect(headers.get('retry-after')).toBe('30')
  })

  it('answers a known path with a wrong method by 405 and Allow', async () => {
    const { call } = await start()
    const { status, headers } = await call('PUT', `/merchants/${merchantId}/things/`)
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' })
  })

  it.each([
    ['garbage', 'GARBAGE\r\n\r\n', 400],
    ['headers beyond 16 KiB', `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'both lengths',
      'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}',
      400,
    ],
  ])('answers %s with a problem and closes', async (_name, bytes, status) => {
    const { port } = await start()
    const answer = await raw(port, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain('content-type: application/problem+json')
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ status })
  })

  it('answers a HEAD with headers beyond 16 KiB by headers alone', async () => {
    const { port } = await start()
    const answer = await raw(port, `HEAD / HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 431 /)
    expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')
  })

  it('answers an address beyond 8 KiB with 414', async () => {
    const { call } = await start()
    expect((await call('GET', `/list?search=${'a'.repeat(9_000)}`)).status).toBe(414)
  })

  it('serves a human page for each code and 404 for others', async () => {
    const { call } = await start()
    const page = await call('GET', '/problems/too-busy')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('The server is overloaded')
    expect((await call('GET', '/problems/__proto__')).status).toBe(404)
    expect((await call('GET', '/problems/%00')).status).toBe(404)
  })
})

describe('bodies', () => {
  it('hands over what was declared, with null for an optional field as not sent', async () => {
    const { call } = await start()
    const body = JSON.stringify({ name: 'x', amount: null, nested: { tags: null }, clear: null })
    const answer = await call('POST', '/echo', { headers: json, body })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ name: 'x', nested: {}, clear: null })
  })

  it.each([
    ['an unknown field', '{"name":"x","ownerId":1}', '/ownerId'],
    ['an unknown nested field', '{"name":"x","nested":{"a/b":1}}', '/nested/a~1b'],
    ['__proto__', '{"name":"x","__proto__":{"isOperator":true}}', '/__proto__'],
    ['a missing field', '{}', '/name'],
    ['null for a required field', '{"name":null}', '/name'],
    ['a number where a string belongs', '{"name":5}', '/name'],
    ['a string where a number belongs', '{"name":"x","count":"5"}', '/count'],
    ['an amount with an exponent', '{"name":"x","amount":"1e5"}', '/amount'],
    ['a word out of the list', '{"name":"x","kind":"three"}', '/kind'],
    ['an infinite number', '{"name":"x","count":1e999}', '/count'],
    ['U+0000', '{"name":"a\\u0000b"}', '/name'],
    ['a lone surrogate', '{"name":"\\ud800"}', '/name'],
    ['U+0000 in a name', '{"name":"x","a\\u0000":1}', '/'],
    ['too long a string', `{"name":"${'é'.repeat(201)}"}`, '/name'],
  ])('refuses %s and names the field', async (_name, body, pointer) => {
    const { call } = await start()
    const answer = await call('POST', '/echo', { headers: json, body })
    expect(answer.status).toBe(400)
    expect(answer.body.errors?.map((error) => error.pointer)).toEqual([pointer])
    expect(answer.body.detail).toContain(pointer)
  })

  it.each([
    ['no JSON', '{"name":', 'malformed-json'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'malformed-json'],
    ['an array', '[]', 'invalid-request'],
    ['null', 'null', 'invalid-request'],
    ['deep nesting', '['.repeat(30_000) + ']'.repeat(30_000), 'invalid-request'],
  ])('refuses %s', async (_name, body, code) => {
    const { call } = await start()
    const answer = await call('POST', '/echo', { headers: json, body })
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code })
  })

  it('refuses a body above 64 KiB with 413', async () => {
    const { call } = await start()
    const body = JSON.stringify({ name: 'a'.repeat(70_000) })
    expect((await call('POST', '/echo', { headers: json, body })).status).toBe(413)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'garbage'])(
    'refuses a body of media type %s with 415',
    async (type) => {
      const { call } = await start()
      const answer = await call('POST', '/echo', { headers: { 'content-type': type }, body: '{"name":"x"}' })
      expect(answer.status).toBe(415)
    },
  )

  it.each(['application/json', 'text/plain', 'garbage'])('takes an empty body under %s', async (type) => {
    const { call } = await start()
    expect((await call('DELETE', '/nothing', { headers: { 'content-type': type } })).status).toBe(204)
    const posted = await call('POST', '/echo', { headers: { 'content-type': type } })
    expect(posted.body.errors).toEqual([{ pointer: '/name', detail: 'is required' }])
  })

  it('refuses fields where no body is declared', async () => {
    const { call } = await start()
    expect((await call('DELETE', '/nothing', { headers: json, body: '{}' })).status).toBe(204)
    expect((await call('DELETE', '/nothing', { headers: json, body: '{"a":1}' })).status).toBe(400)
  })
})

describe('queries', () => {
  it('fills in defaults and reads numbers, flags and lists in every accepted form', async () => {
    const { call } = await start()
    const defaults = { limit: 20, page: 1, order: 'desc', orderBy: 'createdAt' }
    expect((await call('GET', '/list')).body).toEqual(defaults)
    const full = await call('GET', '/list?limit=5&states[]=a&states%5B%5D=b&flag=false&search=a+b')
    expect(full.body).toEqual({ ...defaults, limit: 5, states: ['a', 'b'], flag: false, search: 'a b' })
    expect((await call('GET', '/list?states=a')).body['states']).toEqual(['a'])
    expect((await call('GET', '/list?states=a&states=b')).body['states']).toEqual(['a', 'b'])
    expect((await call('GET', '/list?states[]=&search=&limit=')).body).toEqual(defaults)
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%2010', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['limit[]=1', 'limit[]'],
    ['page=0', 'page'],
    ['page=NaN', 'page'],
    ['order=DESC', 'order'],
    ['orderBy=id;drop', 'orderBy'],
    ['flag=1', 'flag'],
    ['states[]=c', 'states/0'],
    ['nothing=1', 'nothing'],
    ['__proto__=1', '__proto__'],
    ['search=%00', 'search'],
    ['search=%ff', 'search'],
    ['search=%zz', 'search'],
    ['search=a&search=b', 'search'],
  ])('refuses %s and names it', async (query, name) => {
    const { call } = await start()
    const { status, body } = await call('GET', `/list?${query}`)
    expect(status).toBe(400)
    expect(body.errors?.map((error) => error.pointer)).toEqual([`query/${name}`])
  })

  it('refuses an undeclared query on a route without one', async () => {
    const { call } = await start()
    expect((await call('GET', '/healthz?a=1')).status).toBe(400)
  })
})

describe('who may call', () => {
  const path = `/merchants/${merchantId}/things/${childId}`
  const of = (merchant: string) => `/merchants/${merchant}/things/${childId}`

  it.each([
    ['no credential', path, {}, 401],
    ['a bad token', path, { authorization: 'Bearer bad' }, 401],
    ['an empty token', path, { authorization: 'Bearer' }, 401],
    ['a bad key', path, { 'x-api-key': 'bad' }, 401],
    ['another scheme', path, { authorization: 'Basic good' }, 401],
    ['a bad token beside a good key', path, { authorization: 'bearer bad', ...key }, 401],
    ['a good token beside a bad key', path, { ...bearer, 'x-api-key': 'bad' }, 400],
    ['a token in lower case', path, { authorization: 'bearer good' }, 400],
    ['a key', path, key, 400],
    ['a viewer who writes', path, { authorization: 'Bearer viewer' }, 403],
    ['a foreign merchant', of(foreignId), bearer, 403],
    ['an unknown merchant', of(unknownId), bearer, 404],
    ['a malformed merchant', of('nonsense'), bearer, 404],
    ['a merchant of broken escapes', of('%zz%ff'), bearer, 404],
    ['a merchant with %00', of('%00'), bearer, 404],
    ['a merchant of 4 kB', of('a'.repeat(4096)), bearer, 404],
    ['an unknown merchant with a key', of(unknownId), key, 403],
    ['a malformed merchant with a key', of('nonsense'), key, 403],
    ['a merchant of broken escapes with a key', of('%zz'), key, 403],
    ['a malformed merchant without a credential', of('%zz'), {}, 401],
  ])('answers %s before it reads the request', async (_name, target, headers, status) => {
    const { call } = await start()
    const answer = await call('POST', target, { headers: { ...json, ...headers }, body: '{"bad":' })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer realm="coffer"' : null)
  })

  it('answers 400 for the request before 404 for a child', async () => {
    const { call } = await start()
    const target = `/merchants/${merchantId}/things/nonsense`
    expect((await call('POST', target, { headers: { ...json, ...bearer }, body: '{}' })).status).toBe(400)
    const good = { headers: { ...json, ...bearer }, body: '{"name":"x"}' }
    expect((await call('POST', target, good)).status).toBe(404)
  })

  it('gives the handler caller, merchant and ids in lower case', async () => {
    const { call } = await start()
    const target = `/merchants/${merchantId.toUpperCase()}/things/${childId.toUpperCase()}/`
    const answer = await call('POST', target, { headers: { ...json, ...bearer }, body: '{"name":"x"}' })
    expect(answer.body).toEqual({ merchant: { id: merchantId, role: 'owner' }, caller, thing: childId })
  })

  it('lets a viewer read and refuses a key on a Bearer route', async () => {
    const { call } = await start()
    const target = `/merchants/${merchantId}/things`
    expect((await call('GET', target, { headers: { authorization: 'Bearer viewer' } })).status).toBe(200)
    expect((await call('GET', target, { headers: key })).status).toBe(403)
    expect((await call('HEAD', target, { headers: bearer })).status).toBe(200)
    expect((await call('HEAD', target)).status).toBe(401)
  })

  it('ignores credentials on an open route', async () => {
    const { call } = await start()
    expect((await call('GET', '/healthz', { headers: { authorization: 'Bearer bad' } })).status).toBe(200)
  })

  it('refuses who may not use a route before it reads the body', async () => {
    const { call } = await start()
    expect((await call('POST', '/closed', { headers: { ...json, ...bearer }, body: '{"bad":' })).status).toBe(
      403,
    )
    expect((await call('POST', '/closed', { headers: json, body: '{"bad":' })).status).toBe(401)
  })

  it('opens the one public route to browsers of any origin', async () => {
    const { call } = await start()
    const preflight = await call('OPTIONS', `/public/${childId}`)
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect((await call('GET', `/public/${childId}`)).headers.get('access-control-allow-origin')).toBe('*')
    expect((await call('GET', '/public/nonsense')).headers.get('access-control-allow-origin')).toBe('*')
    expect((await call('OPTIONS', '/healthz')).status).toBe(405)
  })
})

describe('the server', () => {
  it('writes one line per request, naming the route and never the URL', async () => {
    const { call, lines } = await start()
    const answer = await call('GET', '/list?search=topsecret')
    await expect.poll(() => lines.length).toBe(1)
    expect(lines[0]).toEqual({
      message: 'request',
      method: 'GET',
      route: '/list',
      status: 200,
      ms: expect.any(Number),
      requestId: answer.headers.get('x-request-id'),
    })
  })

  it('takes the absolute form of a request', async () => {
    const { port } = await start()
    const answer = await raw(port, 'GET http://x/healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })

  it('ends a connection whose headers never finish with 408', async () => {
    const { port } = await start({ headersTimeoutMs: 100, requestTimeoutMs: 200 })
    expect(await raw(port, 'GET /healthz HTTP/1.1\r\nhost:')).toMatch(/^HTTP\/1.1 408 /)
  })

  it('ends a request whose body never finishes with 408', async () => {
    const { port } = await start({ headersTimeoutMs: 100, requestTimeoutMs: 200 })
    const head =
      'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{'
    expect(await raw(port, head)).toMatch(/^HTTP\/1.1 408 /)
  })

  it('ends a connection whose client reads nothing of what it asked for', async () => {
    const bytes = 64 * 1024 * 1024
    const large = route({
      method: 'GET',
      path: '/large',
      auth: 'open',
      summary: 'Much',
      replies: { 200: Type.String({ contentMediaType: 'text/plain' }) },
      handle: async () => ({
        status: 200,
        headers: { 'content-type': 'text/plain' },
        body: 'x'.repeat(bytes),
      }),
    })
    const { port, lines } = await start({ routes: [large], stallTimeoutMs: 200 })
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n'))
    socket.pause()
    socket.on('error', () => {})
    await expect.poll(() => lines.length, { timeout: 20_000 }).toBe(1)
    let read = 0
    socket.on('data', (part) => {
      read += part.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(read).toBeLessThan(bytes)
  })

  it('measures a request, and notes 499 where the connection ended before the answer began', async () => {
    const slow = slowRoute()
    const { port, call, lines } = await start({ routes: [slow.route] })
    const answered = call('GET', '/slow')
    await slow.arrived
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n'))
    socket.on('error', () => {})
    await expect.poll(() => slow.handled()).toBe(2)
    socket.destroy()
    await expect.poll(() => lines.length).toBe(1)
    slow.finish()
    await answered
    await expect.poll(() => lines.length).toBe(2)
    expect(lines.map(({ status }) => status)).toEqual([499, 204])
    expect(Number(lines[1]?.['ms'])).toBeGreaterThan(0)
  })

  it('lets a running request end when it stops', async () => {
    const slow = slowRoute()
    const { call } = await start({ routes: [slow.route] })
    const answer = call('GET', '/slow')
    await slow.arrived
    const closed = close?.()
    slow.finish()
    expect((await answer).status).toBe(204)
    await closed
  })

  it('notifies a handler that waits, so that its request is answered at once when it stops', async () => {
    let arrive = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const waits = route({
      method: 'GET',
      path: '/waits',
      auth: 'open',
      summary: 'Ends when told',
      replies: { 204: null },
      handle: async ({ signal }) => {
        arrive()
        await once(signal, 'abort')
        return { status: 204 }
      },
    })
    const { call } = await start({ routes: [waits], drainTimeoutMs: 60_000 })
    const answer = call('GET', '/waits')
    await arrived
    await close?.()
    expect((await answer).status).toBe(204)
  })

  it('cuts a running request that does not end in time when it stops', async () => {
    const slow = slowRoute()
    const { call } = await start({ routes: [slow.route], drainTimeoutMs: 50 })
    const outcome = call('GET', '/slow').then(
      () => 'answered',
      () => 'cut',
    )
    await slow.arrived
    await close?.()
    expect(await outcome).toBe('cut')
  })
})

/** Creates a route that reports when it was reached (`arrived`) and answers after `finish` is called. */
function slowRoute() {
  let arrive = () => {}
  let count = 0
  let finish = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const slow = route({
    method: 'GET',
    path: '/slow',
    auth: 'open',
    summary: 'Ends when told',
    replies: { 204: null },
    handle: async () => {
      count += 1
      arrive()
      await finished
      return { status: 204 }
    },
  })
  return { route: slow, arrived, handled: () => count, finish: () => finish() }
}
