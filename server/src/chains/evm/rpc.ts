/**
 * JSON-RPC 2.0 over HTTP, as EVM nodes speak it. Calls travel together in one request: on loopback that reads small
 * blocks twice as fast as single calls on the same kept connections, and ten times as fast as over `fetch`; behind a
 * load balancer it also keeps calls that belong together on one node.
 */
import { Pool } from 'undici'
import { required } from '../../core/assert.ts'
import { linkSignal } from '../../core/linked-signal.ts'
import { NodeError } from '../port.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What the node answered to one call: a result nobody has checked yet, or its refusal. */
export type RpcAnswer =
  | { readonly result: unknown; readonly refusal?: undefined }
  | { readonly refusal: RpcRefusal }

export interface RpcRefusal {
  readonly code: number
  readonly message: string
}

export interface Rpc {
  /** The node's name in logs and errors: its host only, since paths and passwords of node URLs are secrets. */
  readonly node: string
  /** Answers in the order of the calls. Rejects with NodeError, or with the signal's reason when it aborts. */
  ask(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcAnswer[]>
  close(): Promise<void>
}

/** The result of an answer that must not be a refusal. */
export function resultOf(answer: RpcAnswer | undefined, method: string): unknown {
  if (answer === undefined) throw new NodeError(`${method} was not answered`)
  if (answer.refusal === undefined) return answer.result
  throw new NodeError(`${method} was refused: ${answer.refusal.message} (${answer.refusal.code})`)
}

const timeoutMs = 10_000
const connections = 16
const responseBytesMax = 256 * 1024 * 1024

/** Opens kept connections to the node at `url` (http or https); connects only when first asked. */
export function openRpc(url: string): Rpc {
  const { origin, pathname, search, host, username, password } = new URL(url)
  const pool = new Pool(origin, { connections, maxResponseSize: responseBytesMax })
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (username !== '') headers['authorization'] = basicAuthorization(username, password)

  const post = async (body: string, signal: AbortSignal): Promise<string> => {
    const bounded = linkSignal([signal], timeoutMs)
    try {
      const path = pathname + search
      const response = await pool.request({ method: 'POST', path, headers, body, signal: bounded.signal })
      const text = await response.body.text()
      if (response.statusCode !== 200) throw new NodeError(`HTTP status ${response.statusCode}`)
      return text
    } finally {
      bounded.release()
    }
  }
  const ask = async (calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcAnswer[]> => {
    try {
      return answersOf(await post(requestBody(calls), signal), calls.length)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw new NodeError(`node ${host}: ${error instanceof Error ? error.message : 'no answer'}`, {
        cause: error,
      })
    }
  }
  return { node: host, ask, close: () => pool.destroy() }
}

function basicAuthorization(username: string, password: string): string {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

function requestBody(calls: readonly RpcCall[]): string {
  return JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })))
}

/** Puts the answers of a batch, which may come in any order, back in the order of its calls. */
function answersOf(text: string, count: number): readonly RpcAnswer[] {
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed)) throw new NodeError(`it does not answer batches: ${text.slice(0, 200)}`)
  const byId = new Map<unknown, RpcAnswer>(parsed.map((item) => [field(item, 'id'), answerOf(item)]))
  const answers = Array.from({ length: count }, (_, id) => byId.get(id))
  if (answers.includes(undefined)) throw new NodeError('it left calls unanswered')
  return answers.map((answer) => required(answer, 'answer'))
}

function answerOf(item: unknown): RpcAnswer {
  const error = field(item, 'error')
  if (error === undefined || error === null) return { result: field(item, 'result') }
  const code = field(error, 'code')
  const message = field(error, 'message')
  return {
    refusal: {
      code: typeof code === 'number' ? code : 0,
      message: typeof message === 'string' ? message.slice(0, 300) : 'no reason given',
    },
  }
}

/** The named property of anything; undefined where there is none. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
