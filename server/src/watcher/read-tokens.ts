import { addressFamilyOf } from '../chains/networks.ts'
import type { BlockFacts, ChainReader, SightedBlock, TokenReader } from '../chains/port.ts'
import { assert, required } from '../core/assert.ts'
import { settled } from '../core/concurrency/read-ahead.ts'
import { limits } from '../core/limits.ts'
import { findWatched } from '../payments/deposits/recording/watched-store.ts'
import type { Queryable } from '../platform/db/pool.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'

export interface ReadTokensParts {
  readonly db: Queryable
  readonly chain: ChainReader
  readonly methods: PaymentMethods
}

/**
 * Reads the blocks from `from` to `to` on a network of tokens alone. Only transactions that pay an address of
 * ours are read whole, so a block's other transfers are left out. Stops early if the node lacks a block.
 */
export async function* readTokenBlocks(
  parts: ReadTokensParts,
  from: number,
  to: number,
  signal: AbortSignal,
): AsyncGenerator<BlockFacts> {
  const tokens = required(parts.chain.tokens, 'a reader of tokens')
  // A token that is no longer offered, or not yet, is read too: addresses for it may have been given out.
  const contracts = parts.methods.followed
    .filter(({ network }) => network === parts.chain.network)
    .flatMap(({ contract }) => contract ?? [])
  // A filter without contracts would match the events of all contracts.
  assert(contracts.length > 0, `no token of ${parts.chain.network} is known`)
  const read = (first: number) => {
    const last = Math.min(to, first + limits.sightedBlocksPerRead - 1)
    return settled(tokens.readSighted({ from: first, to: last }, contracts, signal))
  }
  let next = from
  let ahead = read(next)
  while (next <= to) {
    const outcome = await ahead
    if ('error' in outcome) throw outcome.error
    if (outcome.value.length === 0) return
    next += outcome.value.length
    if (next <= to) ahead = read(next)
    yield* paidBlocks(parts, tokens, outcome.value, signal)
  }
}

async function* paidBlocks(
  { db, chain: { network } }: ReadTokensParts,
  tokens: TokenReader,
  blocks: readonly SightedBlock[],
  signal: AbortSignal,
): AsyncGenerator<BlockFacts> {
  const recipients = new Set(blocks.flatMap(({ transfers }) => transfers.map(({ recipient }) => recipient)))
  const watched = await findWatched(db, { family: addressFamilyOf(network), network }, [...recipients])
  const ours = new Set(watched.map(({ address }) => address))
  for (const { block, transfers } of blocks) {
    const paid = new Set(transfers.filter(({ recipient }) => ours.has(recipient)).map(({ txHash }) => txHash))
    yield { block, transfers: paid.size === 0 ? [] : await tokens.readTransfers(block, [...paid], signal) }
  }
}
