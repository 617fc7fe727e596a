import type { ModelAsset } from '../../simulation/model/asset.ts'

/**
 * Returns a coin as the model knows it.
 * @param name the asset's name, such as "bitcoin/BTC"
 * @param changes the properties that matter to a test
 */
export function modelCoin(name: string, changes: Partial<ModelAsset> = {}): ModelAsset {
  const [network = ''] = name.split('/')
  return {
    methodId: 1,
    name,
    network,
    family: ['bitcoin', 'litecoin'].includes(network) ? 'utxo' : 'evm',
    contract: null,
    decimals: 8,
    isStable: false,
    isPlain: false,
    minimumMinor: 0n,
    dustMinor: 0n,
    ...changes,
  }
}
