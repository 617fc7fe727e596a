import { Agent, request as send } from 'node:http'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { afterAll, expect, it } from 'vitest'
import { problems } from '../../src/core/errors.ts'
import { closed } from '../../src/platform/http/json-schema.ts'
import { problemCodesOf } from '../../src/platform/http/openapi/problem-replies.ts'
import type { Route, SuccessStatus } from '../../src/platform/http/route.ts'
import { cursorRecords } from '../support/chains/records.ts'
import { useDatabase } from '../support/database.ts'
import { loginAttemptRecords } from '../support/people/records.ts'
import { now } from '../support/records/values.ts'
import { type Known, type Nonsense, nonsense, percentEncoded } from './nonsense.ts'
import { useShopApi } from './shop-api.ts'

/** The seed of the requests. NONSENSE_SEED repeats a run; otherwise each run has another seed. */
const seed = Number(process.env['NONSENSE_SEED'] ?? Date.now() % 2 ** 31)
/** The number of requests. NONSENSE_REQUESTS asks for more than a usual run has time for. */
const requestsMin = Number(process.env['NONSENSE_REQUESTS'] ?? 4_000)
const patienceMs = 5_000

const database = useDatabase()
const errors: string[] = []
const api = useShopApi(database, {
  log: { info() {}, warn() {}, error: (fields) => errors.push(String(fields['err'])) },
})
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/**
 * Creates a merchant with one of each object that a path can name. Each route gets a new one, because some
 * routes delete such objects.
 */
async function knownThings(): Promise<Known> {
  // Some random requests contain wrong passwords, which could block later logins. The login attempts are
  // therefore removed. Other tests cover their limit.
  await loginAttemptRecords.remove(database.db)
  const seller = await api.openSeller()
  const invoiceId = await seller.createInvoice({ paymentMethodIDs: [2, 3], reference: 'known' })
  const { address } = await api.shop.addressFor(invoiceId)
  await api.blocks.mine([api.blocks.pay(address, 10_000_000n)])
  await api.blocks.mine()
  const transaction = (await seller.call('POST', '/transactions/list')).body.data[0]
  const json = { address: `0x${'c0ffee'.repeat(6)}c0de`, amount: '2', paymentMethodID: 1 }
  const withdrawal = (await seller.call('POST', '/withdrawals', { json })).body
  const [member] = (await seller.call('GET', '/members', { token: seller.token })).body
  const { merchantId, token, key } = seller
  return {
    ids: {
      merchantID: [merchantId, merchantId, merchantId.toUpperCase()],
      invoiceID: [invoiceId],
      transactionID: [transaction.id],
      txHash: [transaction.txHash],
      withdrawalID: [withdrawal.id],
      accountID: [member.accountID],
      methodID: ['1', '2', '3'],
      code: ['not-found', 'toString'],
    },
    credentials: [{ authorization: `Bearer ${token}` }, { 'x-api-key': key }],
  }
}

afterAll(() => agent.destroy())

interface Outcome {
  readonly status: number
  readonly mediaType: string | undefined
  readonly retryAfter: string | undefined
  readonly body: string
}

/** Sends a request with node:http, because fetch corrects invalid requests. */
function outcomeOf({ method, path, headers, body }: Nonsense): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': body.length }
    const options = { host: '127.0.0.1', port: api.port, agent, method, headers: { ...headers, ...length } }
    const request = send({ ...options, path: sendable(path) }, (response) => {
      const chunks: Buffer[] = []
      const mediaType = response.headers['content-type']
      const end = () =>
        resolve({
          status: response.statusCode ?? 0,
          mediaType,
          retryAfter: response.headers['retry-after'],
          body: Buffer.concat(chunks).toString('utf8'),
        })
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        // A stream of events never ends by itself. Its beginning counts as the answer.
        if (mediaType?.startsWith('text/event-stream') !== true) return
        end()
        request.destroy()
      })
      response.on('error', reject)
      response.on('end', end)
    })
    const waitMs = patienceMs + askedWaitMs(path)
    request.setTimeout(waitMs, () => request.destroy(new Error(`no answer to ${path} within ${waitMs} ms`)))
    request.on('error', reject)
    request.end(body)
  })
}

/** Returns how long the request asks the feed to wait for events. */
function askedWaitMs(path: string): number {
  const [, seconds = '0'] = /[?&]waitS(?:\[\]|%5B%5D)?=0*(\d{1,2})(?:&|$)/i.exec(path) ?? []
  return Number(seconds) * 1_000
}

/** Percent-encodes characters that node:http refuses to send in a path. */
function sendable(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/gu, (character) => percentEncoded(character))
}

/** Returns the route that answers a path, chosen as the router does: a literal segment before a parameter. */
function answering({ method, path }: Nonsense): Route | undefined {
  const asked = method === 'HEAD' ? 'GET' : method
  const [plain = ''] = path.split('?', 1)
  return api.routes
    .filter((route) => route.method === asked && patternOf(route.path).test(plain))
    .sort((one, other) => one.path.split(':').length - other.path.split(':').length)[0]
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`)
}

const replySchemas = new Map<TSchema, Validator>()

/**
 * Returns an error if the contract does not describe the answer: its status, its fields, or the code of its
 * problem.
 */
function contractError(route: Route, { status, body }: Outcome): string | undefined {
  if (status >= 400) {
    const { code } = JSON.parse(body)
    return problemCodesOf(route).has(code) ? undefined : `${status} ${code} is not in the contract`
  }
  const schema = route.replies[status as SuccessStatus]
  if (schema === undefined) return `${status} is not in the contract`
  if (schema === null) return body === '' ? undefined : `${status} has a body`
  const validator = replySchemas.get(schema) ?? Compile(closed(schema))
  replySchemas.set(schema, validator)
  const value = closed(schema).type === 'string' ? body : JSON.parse(body)
  return validator.Check(value) ? undefined : `${status} has other fields: ${body.slice(0, 300)}`
}

/**
 * Decides whether the answer is a page. A browser on a payer's path gets errors as a page, not as a problem
 * document.
 */
function isPage({ path, headers }: Nonsense): boolean {
  return /^\/pay(\/|\?|$)/.test(path) && String(headers?.['accept']).includes('text/html')
}

function errorOf(request: Nonsense, outcome: Outcome): string | undefined {
  const { status, mediaType, retryAfter, body } = outcome
  if (request.method === 'HEAD') return body === '' ? undefined : 'HEAD with a body'
  const route = answering(request)
  if (status >= 200 && status < 400) return route && contractError(route, outcome)
  if (isPage(request) && mediaType?.startsWith('text/html') === true)
    return status >= 500 && status !== 503 ? `${status} as a page` : undefined
  if (mediaType !== 'application/problem+json') return `${status} with the media type ${mediaType}`
  const problem = JSON.parse(body)
  if (problem.status !== status) return `${status} says it is ${problem.status}`
  if (!Object.hasOwn(problems, problem.code)) return `the code ${problem.code} is not in the catalogue`
  if (typeof problem.detail !== 'string' || typeof problem.title !== 'string') return 'no title or detail'
  if (status >= 500 && status !== 503) return `${status} ${problem.detail}`
  if (status === 503 && retryAfter === undefined) return '503 without Retry-After'
  return route && contractError(route, outcome)
}

it(`answers every invalid request, and never with an internal error (NONSENSE_SEED=${seed})`, async () => {
  const perRoute = Math.ceil(requestsMin / api.routes.length)
  const statuses = new Map<number, number>()
  let requests = 0
  for (const [index, route] of api.routes.entries()) {
    const known = await knownThings()
    const drawn = fc.sample(nonsense(route, known), { numRuns: perRoute, seed: seed + index })
    for (let start = 0; start < drawn.length; start += 8) {
      await Promise.all(
        drawn.slice(start, start + 8).map(async (request) => {
          const outcome = await outcomeOf(request)
          const error = errorOf(request, outcome)
          const shownRequest = { ...request, body: request.body?.toString('utf8').slice(0, 500) }
          expect(
            error === undefined ? undefined : `${error}: ${JSON.stringify(shownRequest)} ${errors.at(-1)}`,
          ).toBe(undefined)
          statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1)
          requests += 1
        }),
      )
    }
  }
  expect(requests).toBeGreaterThanOrEqual(requestsMin)
  expect(errors).toEqual([])
  // If all requests failed at the first check, the run would test little.
  const served = [200, 201, 204].map((status) => statuses.get(status) ?? 0).reduce((a, b) => a + b)
  expect(served).toBeGreaterThan(requestsMin / 20)
  for (const status of [400, 401, 403, 404, 405, 413, 415]) expect([...statuses.keys()]).toContain(status)
  expect((await api.call('GET', '/healthz')).status).toBe(200)
  // A server is ready only if a node has answered recently. No node is read in this test, so the test sets
  // the time of the last answer to now.
  await cursorRecords.change(database.db, {}, { seenAt: now })
  expect((await api.call('GET', '/readyz')).body).toMatchObject({ status: 'ready' })
}, 300_000)
