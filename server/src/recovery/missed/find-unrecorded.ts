import { addressFamilyOf } from '../../chains/networks.ts'
import type { BlockFacts, ChainReader, Transfer } from '../../chains/port.ts'
import { fromOthers } from '../../payments/deposits/recording/from-others.ts'
import { findWatched } from '../../payments/deposits/recording/watched-store.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readBookedTransfers, readKnownCoins } from './books-store.ts'

interface Place {
  readonly on: Queryable
  readonly chain: Pick<ChainReader, 'network' | 'traits' | 'readSigners'>
  readonly methods: PaymentMethods
}

/**
 * What a block moved to addresses of ours from others, in assets that are listed, and the books do not tell of.
 * @throws NodeError where the node names one of ours as a sender that is none
 */
export async function findUnrecorded(
  { on, chain, methods }: Place,
  { transfers }: BlockFacts,
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const { network } = chain
  const touched = transfers.flatMap(({ sender, recipient }) =>
    sender === undefined ? [recipient] : [sender, recipient],
  )
  const found = await findWatched(on, { family: addressFamilyOf(network), network }, [...new Set(touched)])
  const ours = new Set(found.map(({ address }) => address))
  const received = transfers.filter(({ recipient, asset }) => {
    const contract = asset.type === 'token' ? asset.contract : undefined
    return ours.has(recipient) && methods.byTransferred(network, contract) !== undefined
  })
  return unrecordedOf(on, chain, await fromOthers(chain, received, ours, signal))
}

/** Returns the payments that are not in the books. */
export async function unrecordedOf(
  on: Queryable,
  { network, traits }: Pick<ChainReader, 'network' | 'traits'>,
  payments: readonly Transfer[],
): Promise<readonly Transfer[]> {
  if (payments.length === 0) return []
  const keys = payments.map(({ key }) => key)
  // Change of ours is a coin and no deposit.
  const known = await (traits.hasOutpoints ? readKnownCoins : readBookedTransfers)(on, network, keys)
  return payments.filter(({ key }) => !known.has(key))
}
