import { addressFamilyOf } from '../chains/networks.ts'
import type { BlockFacts, ChainReader, Transfer } from '../chains/port.ts'
import type { Queryable } from '../db/pool.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { findWatched } from '../transactions/watched-store.ts'
import { readBookedTransfers, readKnownCoins } from './books-store.ts'

/** What a block moved to addresses of ours from others, in assets that are listed, and the books do not tell of. */
export async function findUnrecorded(
  {
    on,
    chain,
    methods,
  }: {
    readonly on: Queryable
    readonly chain: Pick<ChainReader, 'network' | 'traits'>
    readonly methods: PaymentMethods
  },
  { transfers }: BlockFacts,
): Promise<readonly Transfer[]> {
  const { network, traits } = chain
  const touched = transfers.flatMap(({ sender, recipient }) =>
    sender === undefined ? [recipient] : [sender, recipient],
  )
  const found = await findWatched(on, { family: addressFamilyOf(network), network }, [...new Set(touched)])
  const ours = new Set(found.map(({ address }) => address))
  const due = transfers.filter(({ recipient, sender, asset }) => {
    const contract = asset.type === 'token' ? asset.contract : undefined
    if (!ours.has(recipient) || methods.byTransferred(network, contract) === undefined) return false
    return traits.hasOutpoints || sender === undefined || !ours.has(sender)
  })
  if (due.length === 0) return []
  const keys = due.map(({ key }) => key)
  // Change of ours is a coin and no deposit.
  const known = await (traits.hasOutpoints ? readKnownCoins : readBookedTransfers)(on, network, keys)
  return due.filter(({ key }) => !known.has(key))
}
