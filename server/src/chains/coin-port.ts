/** The port to chains whose money lies in coins: outputs of transactions, each spent once and whole. */
import type { NetworkName } from './networks.ts'
import type { BroadcastAnswer, TakenPlace } from './port.ts'

/** What is asked for being mined soon, in the coin's smallest unit for 1,000 virtual bytes. */
export interface FeeRate {
  /** Never below `leastMinor`; above the network's `feeRateMax` only where that is. */
  readonly rateMinor: bigint
  /** The least that the nodes take into their mempools just now. */
  readonly leastMinor: bigint
  /** `usual`: the nodes have seen too little to tell, so that it is the network's `usualFeeRate`. */
  readonly source: 'estimate' | 'usual'
}

/** Blocks from `from` to `to`, both included. */
export interface BlockSpan {
  readonly from: number
  readonly to: number
}

/** The writing side of such a chain. Every method rejects with NodeError when no node answers. */
export interface CoinSender {
  readonly network: NetworkName
  /** @param blocks within which it should be mined */
  readFeeRate(blocks: number, signal: AbortSignal): Promise<FeeRate>
  /** What the mempool would say, which nobody is sent; undefined where the nodes cannot tell. @param raw in hex */
  testAccept(raw: string, signal: AbortSignal): Promise<BroadcastAnswer | undefined>
  /** @param raw in hex */
  broadcast(raw: string, signal: AbortSignal): Promise<BroadcastAnswer>
  /**
   * Which transaction spends a coin in blocks of `span`; undefined where none does up to its end, and where several nodes
   * do not tell the same. A hold is released by it, so it is shown, never concluded from what is not seen.
   * @param span begins where the coin is known to be unspent, so that no more is searched
   */
  findSpent(outpoint: string, span: BlockSpan, signal: AbortSignal): Promise<SpentCoin | undefined>
  /** The transaction that waits in a mempool and spends a coin; undefined where none does. */
  findWaitingSpender(outpoint: string, signal: AbortSignal): Promise<string | undefined>
  close(): Promise<void>
}

/** Where a coin was spent, and by what. */
export interface SpentCoin extends TakenPlace {
  readonly txHash: string
}
