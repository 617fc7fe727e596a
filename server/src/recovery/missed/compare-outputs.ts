/** Compares the nodes' lists of unspent outputs at our addresses with our list of UTXOs. */
import type { UnspentOutput } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { type OwnAddress, readKnownOutputs } from './books-store.ts'
import type { ComparedBlock, Comparison, ComparisonParts } from './comparison.ts'
import type { Missed } from './missed-payment.ts'

/**
 * Returns the unspent outputs that our list of UTXOs does not contain. Each of these outputs is a missed
 * payment, so no amounts need to be compared.
 */
export async function compareOutputs(
  parts: ComparisonParts,
  addresses: readonly Pick<OwnAddress, 'address'>[],
  at: ComparedBlock,
  signal: AbortSignal,
): Promise<Comparison> {
  const { db, chain, methods } = parts
  const listUnspent = required(chain.listUnspent, 'a list of unspent outputs')
  const method = required(methods.byTransferred(chain.network, undefined), 'the coin of a network')
  const listedAddresses = addresses.map(({ address }) => address)
  const listed = await listUnspent(listedAddresses, at.height, signal)
  const known = await readKnownOutputs(
    db,
    chain.network,
    listed.map(({ outpoint }) => outpoint),
  )
  const missed = listed.filter(({ outpoint, height }) => height > at.firstHeight && !known.has(outpoint))
  return {
    missed: missed.map((output) => toMissed(chain.network, method.asset, output)),
    uncompared: new Set(),
  }
}

function toMissed(
  network: string,
  asset: string,
  { outpoint, recipient, amountMinor, height }: UnspentOutput,
): Missed {
  const [txHash] = outpoint.split(':')
  const found = { network, address: recipient, asset, height, amountMinor } as const
  return { ...found, isLocated: true, txHash, foundBy: 'output' }
}
