/**
 * A proxy in front of a real node that limits it as hosted nodes are limited: methods are missing, batches must
 * be short, calls are counted per second, and receipts are indexed late. Call traces in the form of geth come
 * from the node itself, because anvil has the tracer `callTracer`.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { passSubscriptions, type RpcMessage } from '../chains/altered-node.ts'

/** How a node refuses a batch that is too long. */
export type BatchRefusal =
  /** One JSON-RPC error alone, with this code. */
  | { readonly type: 'error'; readonly code: number }
  /** One JSON-RPC error in a list, with the id of the first call, as geth does. */
  | { readonly type: 'list' }
  | { readonly type: 'status'; readonly status: 400 | 413 }

export interface NodeLimits {
  /** Methods that the node does not have. */
  missing: readonly string[]
  /** Whether the node knows the block tag `finalized`. If `null`, it answers the tag with null. */
  readonly finalized: boolean | null
  /** Maximum number of calls in a batch. With 0, the node accepts no batches at all. */
  readonly batchMax: number
  readonly batchRefusal: BatchRefusal
  /** Maximum number of calls in each second. More are refused with HTTP 429 and `Retry-After: 1`. */
  readonly callsPerSecond: number
  /** Number of requests for a receipt that are still answered with null. */
  receiptsDelayed: number
  /** Refuses requests before they reach the node. Each entry refuses one request. */
  readonly refusals: RequestRefusal[]
}

export interface RequestRefusal {
  readonly status: number
  /** The header Retry-After; the header is left out without it. */
  readonly retryAfter?: string
}

export interface LimitedNode {
  readonly url: string
  /** The limits, which a test may change while the node runs. */
  readonly limits: NodeLimits
  /** The calls of each request that the node received, refused requests included. */
  readonly requests: readonly (readonly RpcMessage[])[]
  /** The number of requests that were refused. */
  readonly refused: number
  close(): Promise<void>
}

const unlimited = {
  missing: [],
  finalized: true,
  batchMax: Number.POSITIVE_INFINITY,
  batchRefusal: { type: 'error', code: -32600 },
  callsPerSecond: Number.POSITIVE_INFINITY,
  receiptsDelayed: 0,
} as const

export async function startLimitedNode(
  nodeUrl: string,
  changes: Partial<NodeLimits> = {},
): Promise<LimitedNode> {
  const limits: NodeLimits = { ...unlimited, refusals: [], ...changes }
  const requests: (readonly RpcMessage[])[] = []
  let refused = 0
  const isOverRate = countCalls(limits)
  const server = createServer(async (request, response) => {
    const body: RpcMessage | readonly RpcMessage[] = JSON.parse(await text(request))
    const batch = Array.isArray(body) ? body : undefined
    const calls: readonly RpcMessage[] = Array.isArray(body) ? body : [body]
    requests.push(calls)
    const refusal = limits.refusals.shift() ?? (isOverRate(calls.length) ? tooFast : undefined)
    if (refusal !== undefined || (batch?.length ?? 0) > limits.batchMax) refused += 1
    if (refusal !== undefined) return refuse(response, refusal)
    if (batch !== undefined && batch.length > limits.batchMax)
      return refuseBatch(response, limits.batchRefusal, batch)
    const answers = await Promise.all(calls.map((call) => answerOf(nodeUrl, limits, call)))
    send(response, 200, batch === undefined ? answers[0] : answers)
  })
  const sockets = passSubscriptions(server, nodeUrl)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
    })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    limits,
    requests,
    get refused() {
      return refused
    },
    close,
  }
}

const tooFast: RequestRefusal = { status: 429, retryAfter: '1' }

/** Returns a function that counts calls and decides whether they exceed the limit of the current second. */
function countCalls({ callsPerSecond }: NodeLimits): (calls: number) => boolean {
  let second = 0
  let counted = 0
  return (calls) => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) counted = 0
    second = now
    if (counted + calls > callsPerSecond) return true
    counted += calls
    return false
  }
}

async function answerOf(nodeUrl: string, limits: NodeLimits, call: RpcMessage): Promise<unknown> {
  const { id, method, params } = call
  if (limits.missing.includes(method)) {
    const message = `the method ${method} does not exist/is not available`
    return { jsonrpc: '2.0', id, error: { code: -32601, message } }
  }
  if (params[0] === 'finalized' && limits.finalized !== true)
    return limits.finalized === null
      ? { jsonrpc: '2.0', id, result: null }
      : { jsonrpc: '2.0', id, error: { code: -32602, message: 'invalid block tag' } }
  if (method === 'eth_getTransactionReceipt' && limits.receiptsDelayed > 0) {
    limits.receiptsDelayed -= 1
    return { jsonrpc: '2.0', id, result: null }
  }
  const headers = { 'content-type': 'application/json' }
  const forwarded = await fetch(nodeUrl, { method: 'POST', headers, body: JSON.stringify(call) })
  return forwarded.json()
}

function refuse(response: ServerResponse, { status, retryAfter }: RequestRefusal): void {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
  send(response, status, {})
}

function refuseBatch(response: ServerResponse, refusal: BatchRefusal, [first]: readonly RpcMessage[]): void {
  if (refusal.type === 'status') {
    send(response, refusal.status, {})
    return
  }
  const code = refusal.type === 'error' ? refusal.code : -32600
  const error = { jsonrpc: '2.0', id: null, error: { code, message: 'batch too large' } }
  send(response, 200, refusal.type === 'error' ? error : [{ ...error, id: first?.id }])
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
