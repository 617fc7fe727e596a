/** What addresses of ours were sent by others. */
import { type ChainReader, NodeError, type Transfer } from '../chains/port.ts'

type Ours = { has(address: string): boolean }

/**
 * Whether one address of ours sent it to another, by the node's word. It is no deposit: it was booked when it came in. Where money
 * lies in outpoints, which of them are ours is known only when the blocks below are booked, so that it is told then.
 */
export function isOwn({ traits }: Pick<ChainReader, 'traits'>, { sender }: Transfer, ours: Ours): boolean {
  return !traits.hasOutpoints && sender !== undefined && ours.has(sender)
}

/**
 * Leaves out what one address of ours sent to another. A node that is believed alone could hide a payment by naming one of ours as
 * its sender, so that coin counts as ours only where we signed the transaction: our addresses are swept by our hot wallets alone. The
 * log of a token names its sender.
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
