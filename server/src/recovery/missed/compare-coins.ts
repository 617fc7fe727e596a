/** Compares the nodes' lists of unspent outputs at our addresses with our list of coins (UTXO). */
import type { ListedCoin } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { type OwnAddress, readKnownCoins } from './books-store.ts'
import type { ComparedBlock, Comparison, ComparisonParts } from './comparison.ts'
import type { Missed } from './missed-payment.ts'

/** An output that nothing of ours tells of is a payment that was missed: no amounts need to be compared. */
export async function compareCoins(
  parts: ComparisonParts,
  addresses: readonly Pick<OwnAddress, 'address'>[],
  at: ComparedBlock,
  signal: AbortSignal,
): Promise<Comparison> {
  const { db, chain, methods } = parts
  const listCoins = required(chain.listCoins, 'a list of unspent outputs')
  const method = required(methods.byTransferred(chain.network, undefined), 'the coin of a network')
  const spelled = addresses.map(({ address }) => address)
  const listed = await listCoins(spelled, at.height, signal)
  const known = await readKnownCoins(
    db,
    chain.network,
    listed.map(({ outpoint }) => outpoint),
  )
  const missed = listed.filter(({ outpoint, height }) => height > at.firstHeight && !known.has(outpoint))
  return { missed: missed.map((coin) => toMissed(chain.network, method.asset, coin)), uncompared: new Set() }
}

function toMissed(
  network: string,
  asset: string,
  { outpoint, recipient, amountMinor, height }: ListedCoin,
): Missed {
  const [txHash] = outpoint.split(':')
  const found = { network, address: recipient, asset, height, amountMinor } as const
  return { ...found, isLocated: true, txHash, foundBy: 'output' }
}
