import { Agent, request as send } from 'node:http'
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { problems } from '../../src/core/errors.ts'
import type { Route } from '../../src/http/route.ts'
import { useDatabase } from '../support/database.ts'
import { password } from './api.ts'
import { type Known, type Nonsense, nonsense, percentEncoded } from './nonsense.ts'
import { type Seller, useShopApi } from './shop-api.ts'

/** NONSENSE_SEED repeats a run; without it each run draws its own. */
const seed = Number(process.env['NONSENSE_SEED'] ?? Date.now() % 2 ** 31)
const requestsMin = 4_000
const patienceMs = 5_000

const database = useDatabase()
const errors: string[] = []
const api = useShopApi(database, {
  log: { info() {}, warn() {}, error: (fields) => errors.push(String(fields['err'])) },
})
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
let seller: Seller
let ids: Known['ids']

beforeAll(async () => {
  seller = await api.openSeller()
  const invoiceId = await seller.createInvoice({ paymentMethodIDs: [2, 3], reference: 'known' })
  const { address } = await api.shop.addressFor(invoiceId)
  await api.blocks.mine([api.blocks.pay(address, 10_000_000n)])
  const { id } = await api.shop.row<{ id: string }>(sql`select id from transaction`)
  ids = {
    merchantID: [seller.merchantId, seller.merchantId, seller.merchantId.toUpperCase()],
    invoiceID: [invoiceId],
    transactionID: [id],
    methodID: ['1', '2', '3'],
    code: ['not-found', 'toString'],
  }
})

afterAll(() => agent.destroy())

interface Outcome {
  readonly status: number
  readonly mediaType: string | undefined
  readonly retryAfter: string | undefined
  readonly body: string
}

/** By node:http, as fetch repairs what it is given. */
function outcomeOf({ method, path, headers, body }: Nonsense): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': body.length }
    const options = { host: '127.0.0.1', port: api.port, agent, method, headers: { ...headers, ...length } }
    const request = send({ ...options, path: sendable(path) }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          mediaType: response.headers['content-type'],
          retryAfter: response.headers['retry-after'],
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    request.setTimeout(patienceMs, () => request.destroy(new Error(`no answer within ${patienceMs} ms`)))
    request.on('error', reject)
    request.end(body)
  })
}

/** What the client itself refuses to send in a path (it never leaves this process) is percent-encoded. */
function sendable(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/gu, (character) => percentEncoded(character))
}

function faultOf(route: Route, { method }: Nonsense, outcome: Outcome): string | undefined {
  const { status, mediaType, retryAfter, body } = outcome
  if (status >= 200 && status < 300) return undefined
  if (mediaType !== 'application/problem+json') return `${status} with the media type ${mediaType}`
  if (method === 'HEAD') return body === '' ? undefined : 'HEAD with a body'
  const problem = JSON.parse(body)
  if (problem.status !== status) return `${status} says it is ${problem.status}`
  if (!Object.hasOwn(problems, problem.code)) return `the code ${problem.code} is not in the catalogue`
  if (typeof problem.detail !== 'string' || typeof problem.title !== 'string') return 'no title or detail'
  if (status < 500) return undefined
  if (status !== 503) return `${status} ${problem.detail}`
  if (!route.errors.includes(problem.code)) return `503 ${problem.code} is not declared by the route`
  return retryAfter === undefined ? '503 without Retry-After' : undefined
}

it(`never answers nonsense with a fault of its own, nor not at all (NONSENSE_SEED=${seed})`, async () => {
  const perRoute = Math.ceil(requestsMin / api.routes.length)
  const statuses = new Map<number, number>()
  let requests = 0
  for (const [place, route] of api.routes.entries()) {
    // Anew for each route, as some of them end a session or a key.
    const { body } = await api.call('POST', '/auth/login', { json: { email: seller.email, password } })
    const key = await api.makeKey(body.token, seller.merchantId)
    const credentials = [{ authorization: `Bearer ${body.token}` }, { 'x-api-key': key }]
    const known = { ids, credentials }
    const drawn = fc.sample(nonsense(route, known), { numRuns: perRoute, seed: seed + place })
    for (let start = 0; start < drawn.length; start += 8) {
      await Promise.all(
        drawn.slice(start, start + 8).map(async (request) => {
          const outcome = await outcomeOf(request)
          const fault = faultOf(route, request, outcome)
          const told = { ...request, body: request.body?.toString('utf8').slice(0, 500) }
          expect(fault === undefined ? undefined : `${fault}: ${JSON.stringify(told)} ${errors.at(-1)}`).toBe(
            undefined,
          )
          statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1)
          requests += 1
        }),
      )
    }
  }
  expect(requests).toBeGreaterThanOrEqual(requestsMin)
  expect(errors).toEqual([])
  // Nonsense that never gets past the first check proves little.
  const served = [200, 201, 204].map((status) => statuses.get(status) ?? 0).reduce((a, b) => a + b)
  expect(served).toBeGreaterThan(requestsMin / 20)
  for (const status of [400, 401, 403, 404, 405, 413, 415]) expect([...statuses.keys()]).toContain(status)
  expect((await api.call('GET', '/healthz')).status).toBe(200)
  expect((await api.call('GET', '/readyz')).status).toBe(200)
})
