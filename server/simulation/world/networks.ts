/** The networks on which a run plays. Each run pays for few of them, and many runs play on all. */
import { Dice } from '../dice.ts'
import { type FixedUtxo, fixedUtxo } from './fixed.ts'

export interface DrawnNetworks {
  readonly hasEthereum: boolean
  /** The UTXO network: bitcoin, whose nodes replace transactions, or litecoin, whose nodes do not. */
  readonly utxo: FixedUtxo | undefined
}

const weights = {
  ethereum: 8,
  bitcoin: 3,
  litecoin: 3,
  'ethereum and bitcoin': 1,
  'ethereum and litecoin': 1,
}

export const ethereumAlone: DrawnNetworks = { hasEthereum: true, utxo: undefined }

/** Draws the networks of a seed. */
export function drawNetworks(seed: number): DrawnNetworks {
  const drawn = new Dice(seed ^ 0x7e75).weighted(weights)
  const name = (['bitcoin', 'litecoin'] as const).find((one) => drawn.endsWith(one))
  return { hasEthereum: drawn.startsWith('ethereum'), utxo: name && fixedUtxo(name) }
}

/** Returns the names of the networks. */
export function namesOf({ hasEthereum, utxo }: DrawnNetworks): readonly string[] {
  return [...(hasEthereum ? ['ethereum'] : []), ...(utxo === undefined ? [] : [utxo.network.name])]
}
