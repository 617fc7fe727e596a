/** Asks one node questions to which it may have no answer. */
import { call, type Rpc } from '../../json-rpc.ts'
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
    const answer = answers[0]
    if (answer === undefined || answer.error !== undefined) return undefined
    return answer.result === null || answer.result === '0x' ? undefined : answer.result
  }

  /** Returns a hex result; undefined if there is none. */
  async askHex(method: string, ...params: readonly unknown[]): Promise<`0x${string}` | undefined> {
    const result = await this.ask(method, ...params)
    return typeof result === 'string' && /^0x[0-9a-f]+$/i.test(result) ? (result as `0x${string}`) : undefined
  }

  async askNumber(method: string, ...params: readonly unknown[]): Promise<number | undefined> {
    const result = await this.askHex(method, ...params)
    return result === undefined ? undefined : Number(result)
  }

  close(): Promise<void> {
    return this.#rpc.close()
  }
}

/** Returns a number field of a block; undefined if the answer has none. */
export function numberIn(block: unknown, field: string): number | undefined {
  const value = (block as Readonly<Record<string, unknown>> | undefined)?.[field]
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? Number(value) : undefined
}
