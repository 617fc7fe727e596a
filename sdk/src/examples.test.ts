/** Tests the example receivers of the README, exactly as the README shows them, on a real port. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { signTestEvent } from './sign-test-event.ts'

const secret = 'a-secret-of-at-least-32-characters'
const examples = new URL('../examples/', import.meta.url)
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** Loads an example and starts a server with it. */
async function serve(name: string): Promise<Server> {
  const example = await import(`../examples/${name}.js`)
  if (name === 'express') return createServer(example.app)
  if (name === 'node-http') return example.server
  if (name === 'fastify') {
    await example.app.ready()
    return example.app.server
  }
  return createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method = 'POST', headers } = incoming
    const body = Buffer.concat(chunks)
    const request = new Request('http://localhost/', {
      method,
      headers: headers as Record<string, string>,
      body,
    })
    const { status } = await example.default.fetch(request, { COFFER_WEBHOOK_SECRET: secret })
    outgoing.writeHead(status).end()
  })
}

describe.each(['express', 'fastify', 'node-http', 'fetch'])('the example for %s', (name) => {
  let server: Server
  let url = ''
  const handled: string[] = []

  beforeAll(async () => {
    vi.stubEnv('COFFER_WEBHOOK_SECRET', secret)
    vi.spyOn(console, 'log').mockImplementation((...words) => void handled.push(words.join(' ')))
    vi.spyOn(console, 'warn').mockImplementation((...words) => void handled.push(words.join(' ')))
    server = await serve(name)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/coffer-events`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })

  it('equals the code in the README', () => {
    const text = readFileSync(new URL(`${name}.js`, examples), 'utf8')
    expect(readme).toContain(`\`\`\`js\n${text}\`\`\`\n`)
  })

  it('accepts a valid event and refuses an altered one, an unsigned one and an empty one', async () => {
    const { body, headers } = await signTestEvent({
      type: 'invoice.paid',
      secret,
      data: {
        invoiceID: 'inv-1',
        amount: '25',
        currency: 'USDT',
        paidAt: '2027-03-14T15:09:26.535Z',
        txHash: '0x1',
      },
    })
    const send = async (request: RequestInit) => (await fetch(url, { method: 'POST', ...request })).status
    const json = { 'content-type': 'application/json' }
    expect(await send({ body, headers })).toBe(200)
    expect(handled).toEqual(['paid: inv-1'])
    expect(await send({ body: body.replace('inv-1', 'inv-2'), headers })).toBe(400)
    expect(await send({ body, headers: json })).toBe(400)
    expect(await send({ headers: json })).toBe(400)
    expect(handled[1]).toMatch(/^refused: signature-wrong /)
    expect(handled).toHaveLength(4)
  })
})

it('the README shows every example', () => {
  expect(readdirSync(examples).sort()).toEqual(['express.js', 'fastify.js', 'fetch.js', 'node-http.js'])
})
