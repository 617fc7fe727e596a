/** The sizes of the blocks of the benchmarked networks. */

/** How the blocks of a network look. */
export interface Shape {
  readonly network: 'ethereum' | 'base' | 'arbitrum'
  readonly blockTimeMs: number
  readonly transactions: number
  /** Most are transfers of tokens. */
  readonly logs: number
  /** Calls that contracts make in each transaction. */
  readonly innerCalls: number
  /** Number of blocks above the final one. */
  readonly unfinalBlocks: number
}

/** Base has a block each 2 s in this benchmark, with as many transactions as ten blocks of 200 ms. */
export const shapes: readonly Shape[] = [
  {
    network: 'ethereum',
    blockTimeMs: 12_000,
    transactions: 250,
    logs: 700,
    innerCalls: 3,
    unfinalBlocks: 64,
  },
  { network: 'base', blockTimeMs: 2_000, transactions: 400, logs: 1_500, innerCalls: 3, unfinalBlocks: 300 },
  {
    network: 'arbitrum',
    blockTimeMs: 250,
    transactions: 20,
    logs: 60,
    innerCalls: 3,
    unfinalBlocks: 2_400,
  },
]
