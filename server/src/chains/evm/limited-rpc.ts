/**
 * Keeps to the limits of hosted nodes. Calls are sent in as few requests as the node accepts. If the node
 * refuses a request because it is too long, the request is divided, and the shorter length is kept for this
 * node. If the node refuses it because too many calls came in a short time, all requests to the node wait as
 * long as it asks for.
 */
import { monotonicMs, systemClock } from '../../core/clock.ts'
import {
  openRpc,
  type Refusal,
  RefusedRequestError,
  type Rpc,
  type RpcAnswer,
  type RpcCall,
  type RpcError,
  type RpcReply,
} from '../json-rpc.ts'
import { NodeError } from '../port.ts'
import { BatchLength } from './batch-length.ts'

/** Maximum number of calls in one request to any node (geth accepts 1000). */
const callsPerRequest = 100
/** Maximum time for which a node's wish to wait is honoured. */
const waitMsMax = 60_000
/** Shortest wait after a refusal. It doubles with each refusal in a row, whatever the node asks for. */
const waitMsMin = 50
/** First wait after HTTP 429 if the node does not state how long to wait. It doubles with each refusal in a row. */
const unstatedWaitMs = 500

/** Opens the JSON-RPC interface of a node, as `openRpc` does, and keeps to the node's limits. */
export function openLimitedRpc(url: string): Rpc {
  return new LimitedRpc(openRpc(url))
}

class LimitedRpc implements Rpc {
  readonly node: string
  readonly #rpc: Rpc
  readonly #length = new BatchLength(callsPerRequest)
  /** Whether the node refuses a batch of one call. Single calls are then sent without a batch. */
  #refusesBatches = false
  /** No request is sent before this time, in milliseconds of `monotonicMs()`. */
  #pausedUntilMs = 0

  constructor(rpc: Rpc) {
    this.#rpc = rpc
    this.node = rpc.node
  }

  close(): Promise<void> {
    return this.#rpc.close()
  }

  /**
   * Sends the calls in one request or in several, one after the other. Each request may take `timeoutMs`. The
   * waits that the node asks for may take `timeoutMs` together, counted anew whenever calls were answered.
   * @throws NodeError as `Rpc.ask`, and if the node asks for a longer wait
   */
  async ask(calls: readonly RpcCall[], signal: AbortSignal, timeoutMs: number): Promise<RpcReply> {
    const answers = new Map<RpcCall, RpcAnswer>()
    let patience = new Patience(timeoutMs)
    let sizeBytes = 0
    let pending = calls
    while (pending.length > 0) {
      await this.#waitForNode(patience, signal)
      const part = pending.slice(0, this.#length.current)
      const reply = await this.#send(part, patience, signal, timeoutMs)
      if (reply === undefined) continue
      sizeBytes += reply.sizeBytes
      for (const [index, one] of part.entries()) {
        const answer = reply.answers[index]
        if (answer !== undefined && !isTooFast(answer.error)) answers.set(one, answer)
      }
      const left = pending.filter((one) => !answers.has(one))
      if (left.length < pending.length) patience = new Patience(timeoutMs)
      const refused = part.flatMap((_, index) => reply.answers[index]?.error ?? []).find(isTooFast)
      if (refused === undefined) this.#length.wasAccepted(part.length)
      else this.#slowDown(part.length, undefined, this.#tooFastError(refused), patience)
      pending = left
    }
    return { answers: calls.flatMap((one) => answers.get(one) ?? []), sizeBytes }
  }

  /** Sends one request. Returns undefined if it must be sent again, shorter or later. */
  async #send(
    part: readonly RpcCall[],
    patience: Patience,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<RpcReply | undefined> {
    const form = part.length === 1 && this.#refusesBatches ? 'single' : 'batch'
    try {
      return await this.#rpc.ask(part, signal, timeoutMs, form)
    } catch (error) {
      if (!(error instanceof RefusedRequestError)) throw error
      const { refusal } = error
      if (refusal.status === 429 || (refusal.status === 503 && refusal.retryAfterMs !== undefined)) {
        this.#slowDown(refusal.status === 429 ? part.length : 1, refusal.retryAfterMs, error, patience)
      } else if (part.length > 1 && isTooLong(refusal)) {
        this.#length.wasTooLong(part.length)
      } else if (isTooFast(refusal.error)) {
        this.#slowDown(part.length, refusal.retryAfterMs, error, patience)
      } else if (form === 'batch' && part.length === 1 && isTooLong(refusal)) {
        this.#refusesBatches = true
      } else throw error
      return undefined
    }
  }

  /** Shortens the next requests, and pauses all requests to the node. `length` is that of the refused request. */
  #slowDown(length: number, askedMs: number | undefined, error: NodeError, patience: Patience): void {
    if (length > 1) this.#length.wasTooFast(length)
    const waitMs = patience.waitAfterRefusal(error, askedMs)
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, monotonicMs() + waitMs)
  }

  /**
   * Waits until requests may be sent to the node.
   * @throws NodeError if that takes longer than the patience lasts, or the signal's reason if it aborts
   */
  async #waitForNode(patience: Patience, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const waitMs = Math.ceil(this.#pausedUntilMs - monotonicMs())
      if (waitMs <= 0) return
      patience.spend(waitMs, () => {
        const message = `node ${this.node}: it limits requests and asks for a wait of ${Math.ceil(waitMs / 1000)} s`
        return new NodeError(message, { cause: new Error(message) })
      })
      await systemClock.sleep(waitMs, signal)
    }
  }

  #tooFastError({ message, code }: RpcError): NodeError {
    const text = `node ${this.node}: ${message} (${code})`
    return new NodeError(text, { cause: new Error(text) })
  }
}

/** The time that a caller still waits for a node, because the node asks for it. */
class Patience {
  #leftMs: number
  #refusals = 0
  /** The newest refusal, which says best why the node was given up. */
  #refusal: NodeError | undefined

  constructor(leftMs: number) {
    this.#leftMs = leftMs
  }

  /** Notes a refusal. Returns the milliseconds to wait after it; `askedMs` is what the node asks for. */
  waitAfterRefusal(refusal: NodeError, askedMs: number | undefined): number {
    this.#refusal = refusal
    const growth = 2 ** this.#refusals
    this.#refusals += 1
    const waitMs = askedMs === undefined ? unstatedWaitMs * growth : Math.max(askedMs, waitMsMin * growth)
    return Math.min(waitMs, waitMsMax)
  }

  /** Takes a wait off the time. @throws the newest refusal, or else `otherwise`, if less time is left */
  spend(waitMs: number, otherwise: () => NodeError): void {
    if (waitMs > this.#leftMs) throw this.#refusal ?? otherwise()
    this.#leftMs -= waitMs
  }
}

/**
 * Decides whether a node refused a request because it had too many calls or was too large. Nodes use various
 * codes for it: geth -32600, others -32005 or -32014, or HTTP 400 or 413. A node without batches cannot parse
 * the list (-32700).
 */
function isTooLong({ status, error }: Refusal): boolean {
  if (status === 413 || status === 400) return true
  if (status !== 200 || error === undefined) return false
  return tooLongCodes.has(error.code) || /batch|too (large|many|big)|limit|exceed/i.test(error.message)
}

const tooLongCodes: ReadonlySet<number> = new Set([-32600, -32005, -32014, -32700])

/**
 * Decides whether a call was refused because too many came in a short time. The words decide, because nodes
 * give the code -32005 to other limits too, such as "query returned more than 10000 results".
 */
function isTooFast(error: RpcError | undefined): boolean {
  if (error === undefined) return false
  return error.code === 429 || tooFastPattern.test(error.message)
}

const tooFastPattern =
  /\b(call )?rate[ -]?limit|call rate|too many requests|compute units|(requests?|calls?) per (second|minute)|\/second/i
