/** Asks one node questions to which it may have no answer. */
import { call, type Rpc, type RpcAnswer, type RpcCall } from '../../json-rpc.ts'
import { openLimitedRpc } from '../limited-rpc.ts'

/** Hosted nodes answer within a second or two. */
const timeoutMs = 10_000

export class ProbeCalls {
  readonly #rpc: Rpc
  readonly #signal: AbortSignal

  constructor(url: string, signal: AbortSignal) {
    this.#rpc = openLimitedRpc(url)
    this.#signal = signal
  }

  /** The host of the node, without the rest of its URL, which may be a secret. */
  get node(): string {
    return this.#rpc.node
  }

  /**
   * Returns the result of a call; undefined if the node answered with an error, null or an empty result.
   * @throws NodeError if the node does not answer
   */
  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const { answers } = await this.#rpc.ask([call(method, ...params)], this.#signal, timeoutMs)
    return resultIn(answers[0])
  }

  /**
   * Returns the hex results of several calls, which are sent in as few requests as the node accepts.
   * @throws NodeError if the node does not answer
   */
  async askEachHex(calls: readonly RpcCall[]): Promise<readonly (`0x${string}` | undefined)[]> {
    const { answers } = await this.#rpc.ask(calls, this.#signal, timeoutMs)
    return calls.map((_, index) => hexIn(resultIn(answers[index])))
  }

  /** Returns a hex result; undefined if there is none. */
  async askHex(method: string, ...params: readonly unknown[]): Promise<`0x${string}` | undefined> {
    return hexIn(await this.ask(method, ...params))
  }

  async askNumber(method: string, ...params: readonly unknown[]): Promise<number | undefined> {
    const result = await this.askHex(method, ...params)
    return result === undefined ? undefined : Number(result)
  }

  close(): Promise<void> {
    return this.#rpc.close()
  }
}

function resultIn(answer: RpcAnswer | undefined): unknown {
  if (answer === undefined || answer.error !== undefined) return undefined
  return answer.result === null || answer.result === '0x' ? undefined : answer.result
}

function hexIn(result: unknown): `0x${string}` | undefined {
  return typeof result === 'string' && /^0x[0-9a-f]+$/i.test(result) ? (result as `0x${string}`) : undefined
}

/** Returns a number field of a block; undefined if the answer has none. */
export function numberIn(block: unknown, field: string): number | undefined {
  const value = (block as Readonly<Record<string, unknown>> | undefined)?.[field]
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? Number(value) : undefined
}
