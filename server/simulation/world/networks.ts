/**
 * Chooses the networks of a run. Most runs have either EVM networks or a UTXO network, because each further network
 * takes time. Many runs together cover all networks.
 */
import { Dice } from '../dice.ts'
import type { EvmName } from './evm-side.ts'
import { type FixedUtxo, fixedUtxo } from './fixed.ts'

export interface DrawnNetworks {
  /** The EVM networks; empty if the run has a UTXO network alone. */
  readonly evm: readonly EvmName[]
  /** The UTXO network, if the run has one. Nodes of bitcoin replace transactions; nodes of litecoin do not. */
  readonly utxo: FixedUtxo | undefined
}

const weights = {
  evm: 8,
  bitcoin: 3,
  litecoin: 3,
  'evm and bitcoin': 1,
  'evm and litecoin': 1,
}

const evmWeights = { 'ethereum base': 6, ethereum: 1, base: 1 }

/** Chooses the networks of a seed. */
export function drawNetworks(seed: number): DrawnNetworks {
  const drawn = new Dice(seed ^ 0x7e75).weighted(weights)
  const name = (['bitcoin', 'litecoin'] as const).find((one) => drawn.endsWith(one))
  const evm = new Dice(seed ^ 0xba5e).weighted(evmWeights).split(' ') as EvmName[]
  return { evm: drawn.startsWith('evm') ? evm : [], utxo: name && fixedUtxo(name) }
}

/** Returns the names of the chosen networks. */
export function namesOf({ evm, utxo }: DrawnNetworks): readonly string[] {
  return [...evm, ...(utxo === undefined ? [] : [utxo.network.name])]
}
