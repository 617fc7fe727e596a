/** Separates payments that others make from transfers between our own addresses. */
import { type ChainReader, NodeError, type Transfer } from '../../../chains/port.ts'

type AddressSet = { has(address: string): boolean }

/**
 * Returns whether the node reports a transfer as one between our own addresses. Such a transfer is no
 * deposit, because its money was booked when it first came in. On a UTXO chain the answer is always false,
 * because our outpoints are known only after all lower blocks are booked. `recordOutputs` removes the
 * transfers between our addresses on UTXO chains.
 */
export function isOwn(
  { traits }: Pick<ChainReader, 'traits'>,
  { sender }: Transfer,
  ownAddresses: AddressSet,
): boolean {
  return !traits.hasOutpoints && sender !== undefined && ownAddresses.has(sender)
}

/**
 * Returns the transfers without those between our own addresses. A dishonest node could hide a payment by
 * naming one of our addresses as its sender. For a coin transfer between our addresses, one of our keys must
 * therefore have signed the transaction. This is true for every genuine internal transfer, because only our
 * hot wallets sweep our addresses. The sender of a token transfer needs no such check, because it is in the
 * transfer's log, which is proven.
 * @param ownAddresses All our addresses that are a sender or recipient of the transfers.
 * @throws NodeError if somebody else signed the transaction of a transfer that the node reports as ours
 */
export async function externalTransfers(
  chain: Pick<ChainReader, 'traits' | 'readSigners'>,
  transfers: readonly Transfer[],
  ownAddresses: AddressSet,
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const own = transfers.filter((transfer) => isOwn(chain, transfer, ownAddresses))
  const coin = own.filter(({ asset }) => asset.type === 'coin')
  const txHashes = [...new Set(coin.map(({ txHash }) => txHash))]
  const signers = txHashes.length === 0 ? [] : await chain.readSigners?.(txHashes, signal)
  for (const [index, signer] of signers?.entries() ?? [])
    if (signer === undefined || !ownAddresses.has(signer))
      throw new NodeError(
        `the node reports that an address of ours sent coin in ${txHashes[index]}, but that ${signer ?? 'nobody'} signed it`,
      )
  return transfers.filter((transfer) => !isOwn(chain, transfer, ownAddresses))
}
