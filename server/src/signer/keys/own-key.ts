/** Keys of ours where money lies in coins, found by the paths that PSBTs claim. */
import type { ClaimedKey } from '../../chains/utxo/coin-port.ts'
import type { UtxoChain } from '../../chains/utxo/utxo-chains.ts'
import type { CoinPlace } from '../../signing/intent.ts'
import type { CoinKey, KeyTree } from './key-tree.ts'

const hardened = 2 ** 31

/** Undefined where the path is none of ours, or the key there is another. */
export function ownKeyAt(
  keys: KeyTree,
  chain: UtxoChain,
  { path, publicKey }: ClaimedKey,
): (CoinKey & { readonly place: CoinPlace }) | undefined {
  const place = placeAt(path, chain)
  if (place === undefined) return undefined
  const key = keys.coinKeyAt(chain, place)
  return key.publicKey === publicKey ? { ...key, place } : undefined
}

/** m/84'/coin'/0'/<branch>/<index> for deposits, m/84'/coin'/1'/{0,1}/<index> for the hot wallet; m/44' without witnesses. */
function placeAt(path: readonly number[], { bech32, coinType }: UtxoChain): CoinPlace | undefined {
  const [purpose, coin, account, branch, index] = path
  if (path.length !== 5 || branch === undefined || index === undefined) return undefined
  if (purpose !== (bech32 === undefined ? 44 : 84) + hardened || coin !== coinType + hardened)
    return undefined
  if (branch >= hardened || index >= hardened) return undefined
  if (account === hardened) return { type: 'deposit', branch, index }
  const isHot = account === hardened + 1 && (branch === 0 || branch === 1)
  return isHot ? { type: 'hot', branch, index } : undefined
}
