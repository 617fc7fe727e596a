/**
 * Chooses the networks of a run. Most runs have only one network, because each further network takes time.
 * Many runs together cover all networks.
 */
import { Dice } from '../dice.ts'
import { type FixedUtxo, fixedUtxo } from './fixed.ts'

export interface DrawnNetworks {
  readonly hasEthereum: boolean
  /** The UTXO network, if the run has one. Nodes of bitcoin replace transactions; nodes of litecoin do not. */
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

/** Chooses the networks of a seed. */
export function drawNetworks(seed: number): DrawnNetworks {
  const drawn = new Dice(seed ^ 0x7e75).weighted(weights)
  const name = (['bitcoin', 'litecoin'] as const).find((one) => drawn.endsWith(one))
  return { hasEthereum: drawn.startsWith('ethereum'), utxo: name && fixedUtxo(name) }
}

/** Returns the names of the chosen networks. */
export function namesOf({ hasEthereum, utxo }: DrawnNetworks): readonly string[] {
  return [...(hasEthereum ? ['ethereum'] : []), ...(utxo === undefined ? [] : [utxo.network.name])]
}
