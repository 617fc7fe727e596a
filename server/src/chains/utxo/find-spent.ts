/**
 * Finds the transaction that spent an output, through a node that has no index of spent outputs. The node
 * first reports whether the output is spent. Then blocks are searched for the transaction, the newest first.
 */

import { call } from '../json-rpc.ts'
import { countOf, foundAnswer, heightAnswer } from './answers.ts'
import type { CoreCalls } from './core-calls.ts'
import { spentBy } from './encoding/raw-block.ts'
import { fetchRawBlock } from './fetch-raw-block.ts'
import type { BlockSpan, SpentOutput } from './utxo-port.ts'

const hashesAtOnce = 20
const foundMax = 10_000

export class SpentFinder {
  readonly #calls: CoreCalls
  readonly #hasAuxPow: boolean
  /** Cache of spent outputs, oldest entry first. An entry is valid while its block is canonical. */
  readonly #found = new Map<string, SpentOutput>()

  constructor(calls: CoreCalls, hasAuxPow: boolean) {
    this.#calls = calls
    this.#hasAuxPow = hasAuxPow
  }

  /**
   * Returns the block and the transaction that spent the output; undefined if the output is not spent in
   * `span`.
   */
  async find(outpoint: string, span: BlockSpan, signal: AbortSignal): Promise<SpentOutput | undefined> {
    if (!(await this.#isSpent(outpoint, signal))) return undefined
    const spent = (await this.#known(outpoint, signal)) ?? (await this.#search(outpoint, span.from, signal))
    if (spent === undefined) return undefined
    this.#keep(outpoint, spent)
    return spent.height >= span.from && spent.height <= span.to ? spent : undefined
  }

  /**
   * Decides whether the output is spent in a block; spending in the mempool does not count. An output that
   * never existed counts as spent.
   */
  async #isSpent(outpoint: string, signal: AbortSignal): Promise<boolean> {
    const [txid = '', index = ''] = outpoint.split(':')
    const [answer] = await this.#calls.ask([call('gettxout', txid, Number(index), false)], signal)
    return foundAnswer(answer, 'gettxout') === undefined
  }

  async #known(outpoint: string, signal: AbortSignal): Promise<SpentOutput | undefined> {
    const known = this.#found.get(outpoint)
    if (known === undefined) return undefined
    const [hash] = await this.#hashesAt([known.height], signal)
    return hash === known.blockHash ? known : undefined
  }

  /** Searches blocks from the head down to `from`, because most of the outputs were spent recently. */
  async #search(outpoint: string, from: number, signal: AbortSignal): Promise<SpentOutput | undefined> {
    const head = countOf(await this.#calls.result(call('getblockcount'), signal), 'count of blocks')
    for (let top = head; top >= from; top -= hashesAtOnce) {
      const count = Math.min(hashesAtOnce, top - from + 1)
      const heights = Array.from({ length: count }, (_, down) => top - down)
      const hashes = await this.#hashesAt(heights, signal)
      for (const [at, blockHash] of hashes.entries()) {
        const txHash = blockHash && (await this.#spenderIn(blockHash, outpoint, signal))
        if (blockHash && txHash) return { height: top - at, blockHash, txHash }
      }
    }
    return undefined
  }

  async #spenderIn(blockHash: string, outpoint: string, signal: AbortSignal): Promise<string | undefined> {
    const { transactions } = await fetchRawBlock(this.#calls, blockHash, this.#hasAuxPow, signal)
    return transactions.flatMap(spentBy).find((spent) => spent.outpoint === outpoint)?.txHash
  }

  async #hashesAt(heights: readonly number[], signal: AbortSignal): Promise<readonly (string | undefined)[]> {
    const calls = heights.map((height) => call('getblockhash', height))
    return (await this.#calls.ask(calls, signal)).map(heightAnswer)
  }

  #keep(outpoint: string, spent: SpentOutput): void {
    this.#found.delete(outpoint)
    this.#found.set(outpoint, spent)
    const [oldest] = this.#found.keys()
    if (this.#found.size > foundMax && oldest !== undefined) this.#found.delete(oldest)
  }
}
