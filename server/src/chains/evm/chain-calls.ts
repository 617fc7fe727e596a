import { call, openRpc, type Rpc, type RpcAnswer, type RpcCall, resultOf } from '../json-rpc.ts'
import type { EvmNetwork } from '../networks.ts'
import { WrongChainError } from '../port.ts'
import { countOf } from './answers.ts'

/** How long an answer may take, unless it is known to need longer. */
export const answerTimeoutMs = 10_000
/** Calls in one request where their number follows the caller's list; nodes bound it (geth: 1000). */
const callsPerRequest = 100

/** Calls to one node, which is asked nothing before it has shown to be of the right chain. */
export class ChainCalls {
  readonly rpc: Rpc
  readonly #network: EvmNetwork
  readonly #timeoutMs: number
  /** What else the node must show, once. */
  readonly #requireMore: (signal: AbortSignal) => Promise<void>
  #isChecked = false

  constructor(
    network: EvmNetwork,
    url: string,
    timeoutMs: number,
    requireMore: (signal: AbortSignal) => Promise<void> = async () => {},
  ) {
    this.#network = network
    this.#timeoutMs = timeoutMs
    this.rpc = openRpc(url)
    this.#requireMore = requireMore
  }

  async checkIdentity(signal: AbortSignal): Promise<void> {
    const { answers } = await this.rpc.ask([call('eth_chainId')], signal, this.#timeoutMs)
    const chainId = countOf(resultOf(answers[0], 'eth_chainId'), 'chain id')
    if (chainId !== this.#network.chainId) {
      const { name, chainId: right } = this.#network
      throw new WrongChainError(`node ${this.rpc.node} is of chain ${chainId}; ${name} is chain ${right}`)
    }
    await this.#requireMore(signal)
    this.#isChecked = true
  }

  async requireIdentity(signal: AbortSignal): Promise<void> {
    if (!this.#isChecked) await this.checkIdentity(signal)
  }

  /** Answers in the order of the calls, which travel in as few requests as nodes accept. */
  async ask(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcAnswer[]> {
    await this.requireIdentity(signal)
    const answers: RpcAnswer[] = []
    for (let from = 0; from < calls.length; from += callsPerRequest) {
      const part = calls.slice(from, from + callsPerRequest)
      answers.push(...(await this.rpc.ask(part, signal, this.#timeoutMs)).answers)
    }
    return answers
  }
}
