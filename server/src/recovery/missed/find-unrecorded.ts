import { addressFamilyOf } from '../../chains/networks.ts'
import type { BlockFacts, ChainReader, Transfer } from '../../chains/port.ts'
import { externalTransfers } from '../../payments/deposits/recording/external-transfers.ts'
import { unrecordedTransfers } from '../../payments/deposits/recording/unrecorded-transfers.ts'
import { findWatched } from '../../payments/deposits/recording/watched-store.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readBookedTransfers, readKnownOutputs } from './books-store.ts'

interface SearchContext {
  readonly on: Queryable
  readonly chain: Pick<ChainReader, 'network' | 'traits' | 'readSigners'>
  readonly methods: PaymentMethods
}

/**
 * Returns the transfers of a block that are missing from the books. These are transfers of listed assets to
 * our addresses, sent by others.
 * @throws NodeError if a coin transfer names one of our addresses as the sender and none of our keys signed
 * it
 */
export async function findUnrecorded(
  { on, chain, methods }: SearchContext,
  { transfers }: BlockFacts,
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const { network } = chain
  const touched = transfers.flatMap(({ sender, recipient }) =>
    sender === undefined ? [recipient] : [sender, recipient],
  )
  const found = await findWatched(on, { family: addressFamilyOf(network), network }, [...new Set(touched)])
  const ownAddresses = new Set(found.map(({ address }) => address))
  const received = transfers.filter(({ recipient, asset }) => {
    const contract = asset.type === 'token' ? asset.contract : undefined
    return ownAddresses.has(recipient) && methods.byTransferred(network, contract) !== undefined
  })
  return unrecordedOf(on, chain, await externalTransfers(chain, received, ownAddresses, signal))
}

/** Returns those of the given payments that are not in the books. */
export async function unrecordedOf(
  on: Queryable,
  { network, traits }: Pick<ChainReader, 'network' | 'traits'>,
  payments: readonly Transfer[],
): Promise<readonly Transfer[]> {
  if (payments.length === 0) return []
  // On UTXO chains, outputs are compared instead of deposits, because our own change is an output but not a
  // deposit.
  if (traits.hasOutpoints) {
    const outpoints = payments.map(({ key }) => key)
    const known = await readKnownOutputs(on, network, outpoints)
    return payments.filter(({ key }) => !known.has(key))
  }
  const txHashes = [...new Set(payments.map(({ txHash }) => txHash))]
  return unrecordedTransfers(payments, await readBookedTransfers(on, network, txHashes))
}
