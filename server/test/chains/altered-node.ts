/** A proxy in front of a node that changes its answers, as a faulty or lying provider does. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'

export interface RpcMessage {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

export interface AlteredNode {
  readonly url: string
  /** Every call that was received. */
  readonly calls: readonly RpcMessage[]
  /** The number of HTTP requests. A batch is one request. */
  readonly requests: number
  close(): Promise<void>
}

/** Changes the answer to one call. The proxy waits for the result and sends it instead of the node's answer. */
export type Alter = (call: RpcMessage, answer: Record<string, unknown>) => unknown
/** Answers a whole request itself, or returns false to leave it to the node. */
export type Intercept = (response: ServerResponse) => boolean

export async function startAlteredNode(
  nodeUrl: string,
  alter: Alter,
  intercept: Intercept = () => false,
): Promise<AlteredNode> {
  const node = new URL(nodeUrl)
  const headers = { 'content-type': 'application/json', ...credentialsOf(node) }
  const calls: RpcMessage[] = []
  let requests = 0
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (intercept(response)) return
    const batch: readonly RpcMessage[] = JSON.parse(body)
    calls.push(...batch)
    requests += 1
    const forwarded = await fetch(node.href, { method: 'POST', headers, body })
    const answers = (await forwarded.json()) as readonly (Record<string, unknown> & { readonly id: number })[]
    const altered = await Promise.all(
      answers.map((answer) => {
        const call = batch.find(({ id }) => id === answer.id)
        return call === undefined ? answer : alter(call, answer)
      }),
    )
    response.setHeader('content-type', 'application/json').end(JSON.stringify(altered))
  })
  const sockets = passSubscriptions(server, nodeUrl)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
    })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    get requests() {
      return requests
    },
    close,
  }
}

/** Passes subscriptions (WebSocket) to the node unchanged. Returns the open connections. */
export function passSubscriptions(server: Server, nodeUrl: string): ReadonlySet<Duplex> {
  const sockets = new Set<Duplex>()
  server.on('upgrade', (request, socket) => {
    const { hostname, port } = new URL(nodeUrl)
    const node = connect(Number(port), hostname)
    const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    node.write(`GET / HTTP/1.1\r\n${headers.join('')}\r\n`)
    node.pipe(socket).pipe(node)
    for (const end of [node, socket])
      end.on('error', () => {}).on('close', () => [node, socket].map((one) => one.destroy()))
    sockets.add(socket)
  })
  return sockets
}

/** Moves the credentials out of the URL into a header, so that the proxy can be called without any. */
function credentialsOf(node: URL): Readonly<Record<string, string>> {
  const { username, password } = node
  if (username === '') return {}
  node.username = ''
  node.password = ''
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** Answers as a node without these methods. */
export function without(...methods: readonly string[]): Alter {
  return (call, answer) =>
    methods.includes(call.method)
      ? { jsonrpc: '2.0', id: call.id, error: { code: -32601, message: 'Method not found' } }
      : answer
}

/** Answers these methods as a node that knows no results. */
export function emptyAnswers(...methods: readonly string[]): Alter {
  return (call, answer) => (methods.includes(call.method) ? { ...answer, result: [] } : answer)
}
