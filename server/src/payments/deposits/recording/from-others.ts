/** What addresses of ours were sent by others. */
import { type ChainReader, NodeError, type Transfer } from '../../../chains/port.ts'

type Ours = { has(address: string): boolean }

/**
 * Whether one address of ours sent it to another, by the node's word. It is no deposit: it was booked when it came in. Where money
 * lies in outpoints, which of them are ours is known only when the blocks below are booked, so that it is told then.
 */
export function isOwn({ traits }: Pick<ChainReader, 'traits'>, { sender }: Transfer, ours: Ours): boolean {
  return !traits.hasOutpoints && sender !== undefined && ours.has(sender)
}

/**
 * Returns the transfers that came from others, without those between our own addresses. A single trusted node could hide a
 * payment by naming one of our addresses as its sender. So a coin transfer counts as ours only if one of our keys signed the
 * transaction: only our hot wallets sweep our addresses. The sender of a token transfer is in its log, which is proven.
 * @param ours all of ours on either side of the transfers
 * @throws NodeError where somebody else signed
 */
export async function fromOthers(
  chain: Pick<ChainReader, 'traits' | 'readSigners'>,
  transfers: readonly Transfer[],
  ours: Ours,
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const own = transfers.filter((transfer) => isOwn(chain, transfer, ours))
  const coin = own.filter(({ asset }) => asset.type === 'coin')
  const txHashes = [...new Set(coin.map(({ txHash }) => txHash))]
  const signers = txHashes.length === 0 ? [] : await chain.readSigners?.(txHashes, signal)
  for (const [place, signer] of signers?.entries() ?? [])
    if (signer === undefined || !ours.has(signer))
      throw new NodeError(
        `the node says that an address of ours sent coin by ${txHashes[place]}, which ${signer ?? 'nobody'} signed`,
      )
  return transfers.filter((transfer) => !isOwn(chain, transfer, ours))
}
