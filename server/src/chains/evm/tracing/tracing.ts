/**
 * Decides by which method a node reports the calls of a block. `trace_block` is preferred: it needs no hash, so
 * that one request reads the whole block. geth has only `debug_traceBlockByHash`, and many hosted nodes have
 * neither.
 */
import { monotonicMs } from '../../../core/clock.ts'
import { call, type Rpc, type RpcAnswer, type RpcCall, resultOf, SlowNodeError } from '../../json-rpc.ts'
import { NodeError, type TracedBy } from '../../port.ts'
import { arrayOf, type Header, readHeader, readTraces, type Trace } from '../answers.ts'
import { callTracer, readCallFrames } from './call-tracer.ts'

/** A method that reports the calls of a block. */
export type TraceMethod = Exclude<TracedBy, 'none'>

/** Time after which a node that has neither method is asked for its methods again. */
const askAgainMs = 60_000

/**
 * Time for which a node that had a method must lack both before its blocks are read without traces. Until then
 * it fails. A backend behind a load balancer may lack a method only for a moment.
 */
const lostAfterMs = 30_000

export class Tracing {
  readonly #rpc: Rpc
  readonly #timeoutMs: number
  #method: TracedBy | undefined
  /** The time of the last question for the methods, in milliseconds of `monotonicMs()`. */
  #askedMs = 0
  /** Since when a node that had a method lacks both; undefined if it has one, or never had any. */
  #lostSinceMs: number | undefined
  #hadMethod = false

  constructor(rpc: Rpc, timeoutMs: number) {
    this.#rpc = rpc
    this.#timeoutMs = timeoutMs
  }

  /** Whether the node reports calls, by its last answer. True until the node was asked. */
  get seesCalls(): boolean {
    return this.#method !== 'none'
  }

  /**
   * Returns the method of the node. The node is asked once, and again after `forget`. A node with neither
   * method is asked again each minute, so that traces are used as soon as the node has them.
   */
  async method(signal: AbortSignal): Promise<TracedBy> {
    const known = this.#method
    if (known !== undefined && (known !== 'none' || monotonicMs() - this.#askedMs < askAgainMs)) return known
    const asked = await this.#detect(signal)
    // Behind a load balancer, one node may lack the methods. A second request probably reaches another node.
    const method = asked === 'none' && known === undefined ? await this.#detect(signal) : asked
    if (method === 'none') this.#requireLost()
    else this.#lostSinceMs = undefined
    this.#method = method
    this.#hadMethod ||= method !== 'none'
    this.#askedMs = monotonicMs()
    return method
  }

  /** @throws NodeError if the node had a method until a moment ago */
  #requireLost(): void {
    if (!this.#hadMethod) return
    const now = monotonicMs()
    this.#lostSinceMs ??= now
    if (now - this.#lostSinceMs < lostAfterMs)
      throw new NodeError(`node ${this.#rpc.node} reports no traces, which it did before`)
  }

  /** Makes the next `method` ask the node again. */
  forget(): void {
    this.#method = undefined
  }

  /**
   * Parses the answer about the traces of a block.
   * @throws NodeError if the answer is an error or incomplete. If the node no longer has the method, the next
   * attempt asks for its methods again.
   */
  read(method: TraceMethod, answer: RpcAnswer | undefined, header: Header): Trace[] {
    if (isUnknownMethod(answer)) this.forget()
    const result = resultOf(answer, method)
    return method === 'trace_block' ? readTraces(result, header) : readCallFrames(result, header)
  }

  /** A node that exceeds the timeout has the method, but is slow. Its traces get a longer timeout later. */
  async #detect(signal: AbortSignal): Promise<TracedBy> {
    const traced = await this.#try(call('trace_block', 'latest'), signal)
    if (!isUnknownMethod(traced)) {
      if (traced !== undefined) resultOf(traced, 'trace_block')
      return 'trace_block'
    }
    const latest = await this.#try(call('eth_getBlockByNumber', 'latest', false), signal)
    const header = readHeader(resultOf(latest, 'eth_getBlockByNumber'))
    if (header === undefined) throw new NodeError(`node ${this.#rpc.node} has no latest block`)
    const framed = await this.#try(traceCall('debug_traceBlockByHash', header.block), signal)
    if (isUnknownMethod(framed)) return 'none'
    // geth does not trace the genesis block, which is the latest block of a new chain.
    if (framed !== undefined && header.block.height > 0)
      arrayOf(resultOf(framed, 'debug_traceBlockByHash'), 'call frames')
    return 'debug_traceBlockByHash'
  }

  /** Returns the answer to one call; undefined if the node exceeds the timeout. */
  async #try(asked: RpcCall, signal: AbortSignal): Promise<RpcAnswer | undefined> {
    try {
      return (await this.#rpc.ask([asked], signal, this.#timeoutMs)).answers[0]
    } catch (error) {
      if (error instanceof SlowNodeError) return undefined
      throw error
    }
  }
}

/** Returns the call for the traces of a block, with the block's hash if the method needs it. */
export function traceCall(method: 'debug_traceBlockByHash', block: { readonly hash: string }): RpcCall {
  return call(method, block.hash, callTracer)
}

/**
 * Decides whether the node lacks the method. -32601 is JSON-RPC's "method not found", -32004 is EIP-1474's
 * "method not supported". Hosted nodes also state it in words, with other codes.
 */
export function isUnknownMethod(answer: RpcAnswer | undefined): boolean {
  if (answer?.error === undefined) return false
  const { code, message } = answer.error
  return code === -32601 || code === -32004 || unknownMethodPattern.test(message)
}

const unknownMethodPattern =
  /unsupported method|method (\S+ )?(is )?(not (found|supported|available|allowed|whitelisted)|does not exist)/i
