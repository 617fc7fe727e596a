/**
 * Decides by which method a node reports the calls of a block. `trace_block` is preferred: it needs no hash, so
 * that one request reads the whole block. geth has only `debug_traceBlockByHash`.
 */
import { call, type Rpc, type RpcAnswer, type RpcCall, resultOf, SlowNodeError } from '../../json-rpc.ts'
import { type BlockFacts, NodeError } from '../../port.ts'
import { arrayOf, type Header, readHeader, readTraces, type Trace } from '../answers.ts'
import { callTracer, readCallFrames } from './call-tracer.ts'

export type TraceMethod = NonNullable<BlockFacts['tracedBy']>

export class Tracing {
  readonly #rpc: Rpc
  readonly #timeoutMs: number
  #method: TraceMethod | undefined

  constructor(rpc: Rpc, timeoutMs: number) {
    this.#rpc = rpc
    this.#timeoutMs = timeoutMs
  }

  /**
   * Returns the method of the node. The node is asked once, and again after `forget`.
   * @throws NodeError if the node has neither method, because payments made by contracts would be missed for
   * ever
   */
  async method(signal: AbortSignal): Promise<TraceMethod> {
    this.#method ??= await this.#detect(signal)
    return this.#method
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
  async #detect(signal: AbortSignal): Promise<TraceMethod> {
    const traced = await this.#try(call('trace_block', 'latest'), signal)
    if (!isUnknownMethod(traced)) {
      if (traced !== undefined) resultOf(traced, 'trace_block')
      return 'trace_block'
    }
    const latest = await this.#try(call('eth_getBlockByNumber', 'latest', false), signal)
    const header = readHeader(resultOf(latest, 'eth_getBlockByNumber'))
    if (header === undefined) throw new NodeError(`node ${this.#rpc.node} has no latest block`)
    const framed = await this.#try(traceCall('debug_traceBlockByHash', header.block), signal)
    if (isUnknownMethod(framed)) throw new NodeError(cannotTrace(this.#rpc.node))
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

function cannotTrace(node: string): string {
  return (
    `node ${node} cannot trace, so payments by contracts would be missed: use a node with trace_block, ` +
    'such as anvil, Erigon, Nethermind or Reth, or with debug_traceBlockByHash, such as geth'
  )
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
