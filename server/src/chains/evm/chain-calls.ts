import { call, type Rpc, type RpcAnswer, type RpcCall, resultOf } from '../json-rpc.ts'
import { WrongChainError } from '../port.ts'
import { countOf } from './answers.ts'
import type { EvmNetwork } from './evm-networks.ts'
import { openLimitedRpc } from './limited-rpc.ts'

/** Default timeout of an answer; slow calls get a longer timeout. */
export const answerTimeoutMs = 10_000

/** Sends calls to one node, after checking once that the node belongs to the right chain. */
export class ChainCalls {
  readonly rpc: Rpc
  readonly #network: EvmNetwork
  readonly #timeoutMs: number
  /** Further checks of the node, which run after its chain id was verified. */
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
    this.rpc = openLimitedRpc(url)
    this.#requireMore = requireMore
  }

  async checkIdentity(signal: AbortSignal): Promise<void> {
    const { answers } = await this.rpc.ask([call('eth_chainId')], signal, this.#timeoutMs)
    const chainId = countOf(resultOf(answers[0], 'eth_chainId'), 'chain id')
    if (chainId !== this.#network.chainId) {
      const { name, chainId: right } = this.#network
      throw new WrongChainError(`node ${this.rpc.node} is on chain ${chainId}; ${name} is chain ${right}`)
    }
    await this.#requireMore(signal)
    this.#isChecked = true
  }

  async requireIdentity(signal: AbortSignal): Promise<void> {
    if (!this.#isChecked) await this.checkIdentity(signal)
  }

  /** Returns the answers in the order of the calls, in as few requests as the node accepts. */
  async ask(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcAnswer[]> {
    await this.requireIdentity(signal)
    return (await this.rpc.ask(calls, signal, this.#timeoutMs)).answers
  }
}
