/** Tests the pages of the contract and of problems, as the server serves them. A shell runs the examples. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { problems } from '../../src/core/errors.ts'
import type { OpenApiDocument, Operation } from '../../src/platform/http/openapi/openapi.ts'
import { curlExample, firstSteps } from '../../src/platform/http/pages/curl-example.ts'
import { useDatabase } from '../support/database.ts'
import { publicUrl } from './api.ts'
import { useShopApi } from './shop-api.ts'

const database = useDatabase()
const api = useShopApi(database)
const run = promisify(execFile)
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

const readContract = async () => (await api.call('GET', '/openapi.json')).body as OpenApiDocument

describe('GET /openapi.json and /docs', () => {
  it('serve the contract of this server, as a document and as a page', async () => {
    const contract = await readContract()
    expect(contract).toMatchObject({ openapi: '3.1.0', servers: [{ url: publicUrl }] })
    const page = await api.call('GET', '/docs')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('id="createInvoice"')
  })
})

describe('the examples', () => {
  it.skipIf(!hasCurl)('run unchanged after the first steps (needs curl)', async () => {
    const { paths } = await readContract()
    const examples = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method, operation]) => method === 'get' && isReachable(path, operation))
        .map(([method, operation]) => curlExample(method, path, operation)),
    )
    expect(examples.length).toBeGreaterThan(8)
    const status = "-o /dev/null -w '%{http_code}\\n'"
    const calls = examples.map((example) => example.replace('curl -sS', `curl -sS -g ${status}`))
    const script = `set -eu\n${[firstSteps(`http://127.0.0.1:${api.port}`), ...calls].join('\n')}\n`
    const { stdout } = await run('sh', ['-c', script])
    const statuses = stdout.trim().split('\n').slice(-examples.length)
    const failed = examples.filter((_, index) => statuses[index] !== '200')
    expect(failed).toEqual([])
  })
})

/** Decides whether an example names only objects that the first steps created. */
function isReachable(path: string, { operationId }: Operation): boolean {
  const needed = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const isMade = needed.every((name) => ['merchantID', 'invoiceID', 'methodID', 'code'].includes(name ?? ''))
  // Two more operations are left out. The first steps create no webhook, so `getWebhook` finds none.
  // `getReadiness` fails, because a server whose blocks are made by hand is never ready.
  return isMade && !path.startsWith('/operator') && !['getWebhook', 'getReadiness'].includes(operationId)
}

describe('problems', () => {
  const fields = ['type', 'title', 'status', 'detail', 'code', 'requestID']

  it('G20 every refusal of every route has exactly the documented fields, and a type that is the address of a page', async () => {
    const { token } = await api.register()
    const answers = await Promise.all(
      api.routes.flatMap(({ method, path }) => {
        const target = path.replaceAll(/:\w+/g, 'nonsense')
        const headers = { 'content-type': 'application/json' }
        return [
          api.call(method, `${target}?nothing=1`, { token }),
          ...(method === 'GET' ? [] : [api.call(method, target, { token, headers, json: { nothing: 1 } })]),
          api.call(method, target),
          api.call('PATCH', target),
        ]
      }),
    )
    const problems = answers.filter(({ status }) => status >= 400)
    expect(problems.length).toBeGreaterThan(2 * api.routes.length)
    for (const { status, headers, body, text } of problems) {
      expect(headers.get('content-type')).toBe('application/problem+json')
      expect(Object.keys(body)).toEqual(body.errors === undefined ? fields : [...fields, 'errors'])
      expect([body.status, body.type]).toEqual([status, `${publicUrl}/problems/${body.code}`])
      expect(text).not.toMatch(/at \w+ \(|node_modules|\.ts:|\.js:|select |insert |relation "/i)
    }
  })

  it('G20 the type of every problem is the address of a page', async () => {
    for (const code of Object.keys(problems)) {
      const page = await api.call('GET', `/problems/${code}`)
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    }
    expect((await api.call('GET', '/problems')).text).toContain('insufficient-balance')
  })
})
