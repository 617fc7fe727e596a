import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from './client.ts'
import { CofferError } from './coffer-error.ts'

const merchantID = '0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70'
const body = { amount: '10', type: 'onetime', paymentMethodID: 1 } as const

interface Sent {
  readonly method: string | undefined
  readonly url: string
  readonly headers: Headers
  readonly body: unknown
}

type Scripted = () => Response | Promise<Response>

/**
 * Returns a client of a fake server. The server sends the scripted responses one after another and then
 * repeats the last one.
 */
function clientOf(script: readonly Scripted[], options: object = {}) {
  const sent: Sent[] = []
  const send: typeof fetch = async (url, { method, headers, body: text, signal } = {}) => {
    sent.push({
      method,
      url: String(url),
      headers: new Headers(headers),
      body: text && JSON.parse(String(text)),
    })
    const answer = script[Math.min(sent.length, script.length) - 1]
    return Promise.race([
      answer?.() ?? Response.error(),
      new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    ])
  }
  const retries = { delayMs: 1 }
  const client = createClient({
    baseUrl: 'https://pay.example/',
    apiKey: 'k',
    fetch: send,
    retries,
    ...options,
  })
  return { client, sent }
}

const ok: (value: unknown) => Scripted = (value) => () => Response.json(value, { status: 200 })

function errorReply(status: number, over: object = {}, headers: Record<string, string> = {}): Scripted {
  const problem = {
    type: 't',
    title: 'No',
    status,
    detail: 'not so',
    code: 'too-busy',
    requestID: 'r',
    ...over,
  }
  return () =>
    new Response(JSON.stringify(problem), {
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
    })
}

const broken: Scripted = () => Promise.reject(new TypeError('fetch failed'))

describe('a call', () => {
  it('sends path, query and body with the credential and the Idempotency-Key', async () => {
    const { client, sent } = clientOf([ok({ id: 'i' })])
    expect(await client.createInvoice({ merchantID, body })).toEqual({ id: 'i' })
    await client.listInvoices({ merchantID, types: ['onetime', 'collect'], search: 'a&b', limit: 5 })
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: `https://pay.example/merchants/${merchantID}/invoices`,
      body,
    })
    expect(sent[0]?.headers.get('x-api-key')).toBe('k')
    expect(sent[0]?.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/)
    expect(sent[1]?.url.split('?')[1]).toBe('limit=5&types%5B%5D=onetime&types%5B%5D=collect&search=a%26b')
    expect(sent[1]?.headers.has('idempotency-key')).toBe(false)
  })

  it('escapes values in a path, and refuses an empty value', async () => {
    const { client, sent } = clientOf([ok({})])
    await client.getMerchant({ merchantID: '../x?y' })
    expect(sent[0]?.url).toBe('https://pay.example/merchants/..%2Fx%3Fy')
    await expect(client.getMerchant({ merchantID: '' })).rejects.toThrow('merchantID is missing')
  })

  it.each(['.', '..'])('sends nothing for the id %s, which would lead to another path', async (invoiceID) => {
    const { client, sent } = clientOf([() => new Response(null, { status: 204 })])
    await expect(client.deleteInvoice({ merchantID, invoiceID })).rejects.toThrow(
      'invoiceID is not a valid path segment',
    )
    expect(sent).toHaveLength(0)
  })

  it('returns undefined if the answer has no body', async () => {
    const { client } = clientOf([() => new Response(null, { status: 204 })])
    expect(await client.revokeKey({ merchantID })).toBeUndefined()
  })

  it("throws the server's refusal with its fields", async () => {
    const errors = [{ pointer: '/amount', detail: 'is required' }]
    const { client, sent } = clientOf([errorReply(400, { code: 'invalid-request', errors })])
    const error = await client.createInvoice({ merchantID, body }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(CofferError)
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid-request',
      detail: 'not so',
      errors,
      requestID: 'r',
    })
    expect(sent).toHaveLength(1)
  })

  it('throws a readable error if the answer is not a problem document', async () => {
    const { client } = clientOf([() => new Response('<h1>Bad gateway</h1>', { status: 418 })])
    const error = await client.getMerchant({ merchantID }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ status: 418, code: 'unreadable', detail: '<h1>Bad gateway</h1>' })
  })
})

describe('retries', () => {
  it('repeat a request that takes effect once, under the same Idempotency-Key, until it is answered', async () => {
    const { client, sent } = clientOf([broken, errorReply(503), errorReply(429), ok({ id: 'i' })])
    expect(await client.createInvoice({ merchantID, body })).toEqual({ id: 'i' })
    expect(sent).toHaveLength(4)
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1)
  })

  it('leave the Idempotency-Key in the error, so that the request can be sent again without a second effect', async () => {
    const withdrawal = { merchantID, body: { address: 'a', amount: '1', paymentMethodID: 1 } }
    for (const script of [broken, errorReply(503), errorReply(422)]) {
      const { client, sent } = clientOf([script])
      const error = await client.createWithdrawal(withdrawal).catch((reason: unknown) => reason)
      const idempotencyKey = sent[0]?.headers.get('idempotency-key')
      expect(error).toMatchObject({ idempotencyKey })
      const own = { ...withdrawal, idempotencyKey: 'own' }
      await expect(client.createWithdrawal(own)).rejects.toMatchObject({ idempotencyKey: 'own' })
    }
    const { client } = clientOf([errorReply(403)])
    await expect(client.listPaymentMethods()).rejects.toMatchObject({ idempotencyKey: undefined })
  })

  it('stop after the last attempt with the error of that attempt', async () => {
    const { client, sent } = clientOf([errorReply(503)])
    await expect(client.listPaymentMethods()).rejects.toMatchObject({ status: 503, code: 'too-busy' })
    expect(sent).toHaveLength(4)
  })

  it.each([
    ['a broken connection', broken],
    ['503', errorReply(503)],
  ])('do not repeat a request after %s if it could take effect twice', async (_name, failure) => {
    const { client, sent } = clientOf([failure])
    await expect(client.generateKey({ merchantID })).rejects.toBeInstanceOf(CofferError)
    expect(sent).toHaveLength(1)
  })

  it('do not repeat a query that takes the database too long', async () => {
    const { client, sent } = clientOf([errorReply(503, { code: 'query-too-slow' })])
    await expect(client.listPaymentMethods()).rejects.toMatchObject({ code: 'query-too-slow' })
    expect(sent).toHaveLength(1)
  })

  it('wait as long as Retry-After says, and stop if that is too long', async () => {
    const { client, sent } = clientOf([errorReply(429, {}, { 'retry-after': '1' }), ok([])])
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const answer = client.listPaymentMethods()
    await vi.advanceTimersByTimeAsync(999)
    expect(sent).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    await answer
    expect(sent).toHaveLength(2)
    const far = clientOf([errorReply(429, {}, { 'retry-after': '3600' })])
    await expect(far.client.listPaymentMethods()).rejects.toMatchObject({ retryAfterS: 3600 })
    expect(far.sent).toHaveLength(1)
  })

  it('treat a server that does not answer in time as unavailable', async () => {
    const { client, sent } = clientOf([() => new Promise(() => {})], { timeoutMs: 5 })
    await expect(client.getHealth()).rejects.toMatchObject({ status: 0, code: 'unreachable' })
    expect(sent).toHaveLength(4)
  })

  it('allow more time for a request that the server may hold open', async () => {
    const late: Scripted = () => new Promise((resolve) => setTimeout(() => resolve(Response.json({})), 60))
    const { client, sent } = clientOf([late], { timeoutMs: 20, retries: { retriesMax: 0 } })
    const merchantID = '0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70'
    expect(await client.listEvents({ merchantID, waitS: 30 })).toEqual({})
    expect(sent[0]?.url).toContain('waitS=30')
    await expect(client.listEvents({ merchantID })).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('stop when the caller aborts, during an attempt and between two', async () => {
    for (const script of [
      () => new Promise<Response>(() => {}),
      errorReply(503, {}, { 'retry-after': '30' }),
    ]) {
      const stop = new AbortController()
      const { client, sent } = clientOf([script])
      const answer = client.getHealth({ signal: stop.signal })
      await expect.poll(() => sent.length).toBe(1)
      stop.abort(new Error('enough'))
      await expect(answer).rejects.toThrow('enough')
    }
  })
})

describe('each', () => {
  it('reads page after page, oldest first, until a short page', async () => {
    const page = (...ids: string[]) => ok({ data: ids.map((id) => ({ id })), total: 3, page: 1, limit: 2 })
    const { client, sent } = clientOf([page('a', 'b'), page('c')])
    const ids: string[] = []
    for await (const { id } of client.each('listInvoices', { merchantID, limit: 2 })) ids.push(id)
    expect(ids).toEqual(['a', 'b', 'c'])
    expect(sent.map(({ url }) => url.split('?')[1])).toEqual([
      'limit=2&page=1&order=asc',
      'limit=2&page=2&order=asc',
    ])
  })

  it('reads a list without pages as well', async () => {
    const { client } = clientOf([ok([{ id: 'm', name: 'Shop', balances: [] }])])
    const names: string[] = []
    for await (const { name } of client.each('listMerchants', {})) names.push(name)
    expect(names).toEqual(['Shop'])
  })
})
