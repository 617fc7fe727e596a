import type { ChainReader } from '../../../chains/port.ts'
import { monotonicMs } from '../../../core/clock.ts'
import { withinTime } from '../../../core/concurrency/linked-signal.ts'
import { limits } from '../../../core/limits.ts'
import {
  type ContractAnswer,
  checkForeignContract,
  type ForeignContract,
  noForeignContract,
} from './foreign-contract.ts'

/**
 * Asks every network whether an address is a contract there. All networks are asked at the same time, so the
 * answer takes as long as the slowest node, and at most `limits.contractCheckMs`. That an address is a contract
 * is remembered for a while. That it is none is asked again, because a contract may be deployed at any time.
 */
export class ForeignContracts {
  readonly #chains: readonly AskedChain[]
  /** The time until which an address counts as a contract, by network and address. */
  readonly #known = new Map<string, number>()

  /** @param chains The networks that are followed. More may be added later, and are asked from then on. */
  constructor(chains: readonly AskedChain[]) {
    this.#chains = chains
  }

  /** Whether destinations on `network` must be checked. False if no other network has contracts. */
  mustAsk(network: string): boolean {
    const asked = this.#withContracts()
    return asked.length > 1 && asked.some((chain) => chain.network === network)
  }

  /**
   * Returns the networks on which the address is a contract although it is none on `network`. Resolves even if
   * nodes do not answer.
   */
  async find(network: string, address: string): Promise<ForeignContract> {
    if (!this.mustAsk(network) || this.#isKnown(network, address)) return noForeignContract
    const answers = await Promise.all(
      this.#withContracts().map(async (chain) => [chain.network, await this.#ask(chain, address)] as const),
    )
    const others = new Map(answers)
    const own = others.get(network) ?? 'unknown'
    others.delete(network)
    return checkForeignContract(own, others)
  }

  #withContracts(): readonly AskedChain[] {
    return this.#chains.filter(({ isContract }) => isContract !== undefined)
  }

  async #ask(chain: AskedChain, address: string): Promise<ContractAnswer> {
    const { network } = chain
    if (this.#isKnown(network, address)) return 'contract'
    try {
      const found = await withinTime([], limits.contractCheckMs, async (signal) =>
        chain.isContract?.(address, signal),
      )
      if (found === undefined) return 'unknown'
      if (found) this.#remember(network, address)
      return found ? 'contract' : 'no-contract'
    } catch {
      // Whatever the error is, nothing is known of this network. The caller records it in the audit log.
      return 'unknown'
    }
  }

  #isKnown(network: string, address: string): boolean {
    return monotonicMs() < (this.#known.get(keyOf(network, address)) ?? 0)
  }

  #remember(network: string, address: string): void {
    const [oldest] = this.#known.keys()
    if (this.#known.size >= limits.knownContracts && oldest !== undefined) this.#known.delete(oldest)
    const key = keyOf(network, address)
    this.#known.delete(key)
    this.#known.set(key, monotonicMs() + limits.knownContractMs)
  }
}

type AskedChain = Pick<ChainReader, 'network' | 'isContract'>

function keyOf(network: string, address: string): string {
  return `${network} ${address}`
}
