/** What addresses of ours were sent by others, as far as senders can be believed. */
import type { ChainReader, Transfer } from '../chains/port.ts'

/**
 * Leaves out what one address of ours sent to another, which is no deposit: it was booked when it came in. A node that is believed
 * alone could hide a payment by naming one of ours as its sender, so that signatures are asked for.
 * @throws NodeError where a transfer names one of ours as its sender, and somebody else signed it
 */
export async function fromOthers(
  chain: Pick<ChainReader, 'requireSigned'>,
  transfers: readonly Transfer[],
  ours: { has(address: string): boolean },
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const isOurs = ({ sender }: Transfer) => sender !== undefined && ours.has(sender)
  const own = transfers.filter(isOurs)
  if (own.length > 0) await chain.requireSigned?.(own, signal)
  return transfers.filter((transfer) => !isOurs(transfer))
}
