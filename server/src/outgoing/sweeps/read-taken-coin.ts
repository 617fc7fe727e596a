/** Reads how much coin a sweep took, in a block whose calls no node reports. */
import { type BlockFacts, type ChainReader, NodeError } from '../../chains/port.ts'
import { groupBy } from '../../core/group-by.ts'
import { sum } from '../../core/money.ts'
import type { SweptAddress } from './swept-store.ts'
import type { Taken } from './taken.ts'
import { takenCoin } from './taken-coin.ts'

export interface UntracedSweep {
  readonly txHash: string
  readonly addresses: readonly SweptAddress[]
  readonly facts: BlockFacts
  readonly coin: string
}

/**
 * Returns the coin that a sweep took from each address, by the balances before and after its block and the known
 * payments of the block. Coin that a contract sent in the same block, before the sweep, is not known.
 * @throws NodeError if two nodes do not have the state of both blocks
 */
export async function readTakenCoin(
  chain: Pick<ChainReader, 'readBalances'>,
  { txHash, addresses, facts, coin }: UntracedSweep,
  signal: AbortSignal,
): Promise<readonly Taken[]> {
  const { height } = facts.block
  const broughtMinor = broughtAround(facts, txHash)
  const some = addresses.map(({ address }) => address)
  const before = await chain.readBalances({ type: 'coin' }, some, height - 1, signal, { needsTwo: true })
  const after = await chain.readBalances({ type: 'coin' }, some, height, signal, { needsTwo: true })
  return addresses.flatMap(({ addressId, address }, index): Taken[] => {
    const beforeMinor = before[index] ?? 0n
    const afterMinor = after[index] ?? 0n
    const amountMinor = takenCoin({ beforeMinor, afterMinor, ...broughtMinor(address) })
    return amountMinor > 0n ? [{ addressId, asset: coin, amountMinor }] : []
  })
}

/** Returns a function that sums the known coin for an address before and after a transaction of the block. */
function broughtAround({ block, transfers, txHashes = [] }: BlockFacts, txHash: string) {
  const positions = new Map(txHashes.map((hash, position) => [hash, position]))
  const swept = positions.get(txHash)
  if (swept === undefined) throw new NodeError(`block ${block.height} has no transaction ${txHash}`)
  const brought = groupBy(
    transfers.filter(({ asset }) => asset.type === 'coin'),
    ({ recipient }) => recipient,
  )
  return (address: string) => {
    const isEarlier = (hash: string) => (positions.get(hash) ?? 0) < swept
    const own = brought.get(address) ?? []
    const earlier = own.filter((one) => isEarlier(one.txHash))
    const later = own.filter((one) => !isEarlier(one.txHash))
    return {
      earlierMinor: sum(earlier.map(({ amountMinor }) => amountMinor)),
      laterMinor: sum(later.map(({ amountMinor }) => amountMinor)),
    }
  }
}
