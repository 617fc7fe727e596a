/** Finds the block in which coin was received that was found by balance. */
import type { ChainReader } from '../../chains/port.ts'

/**
 * Returns the lowest known height at or below `height` at which the whole excess was there, by bisection. Most
 * nodes keep only the state of recent blocks. A block whose state no node has counts as one before the payment,
 * so the result is never too early.
 * @param excessAt returns the excess at a height; 0 if no node has the state of the block
 */
export async function findPaidHeight(
  excessAt: (height: number) => Promise<bigint>,
  { firstHeight, height, amountMinor }: { firstHeight: number; height: number; amountMinor: bigint },
): Promise<number> {
  const isThere = async (at: number) => (await excessAt(at)) >= amountMinor
  let without = firstHeight
  let withIt = height
  while (withIt - without > 1) {
    const middle = Math.floor((without + withIt) / 2)
    if (await isThere(middle)) withIt = middle
    else without = middle
  }
  return withIt
}

/**
 * Returns the coin of one address at a height. Two nodes must report it alike if several are configured: what is
 * found by balance has no other proof.
 * @throws NodeError if too few nodes have the state of the block
 */
export async function balanceAt(
  chain: Pick<ChainReader, 'readBalances'>,
  address: string,
  height: number,
  signal: AbortSignal,
): Promise<bigint> {
  const [heldMinor = 0n] = await chain.readBalances({ type: 'coin' }, [address], height, signal, {
    needsTwo: true,
  })
  return heldMinor
}
