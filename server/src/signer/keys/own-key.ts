/** Finds our keys on UTXO chains by the derivation paths that a PSBT states. */

import type { UtxoChain } from '../../chains/utxo/utxo-chains.ts'
import type { ClaimedKey } from '../../chains/utxo/utxo-port.ts'
import type { UtxoKeyPath } from '../../signing/intent.ts'
import type { KeyTree, UtxoKey } from './key-tree.ts'

const hardened = 2 ** 31

/** Returns our key at a path; undefined if the path is not ours or the stated public key is different. */
export function ownKeyAt(
  keys: KeyTree,
  chain: UtxoChain,
  { path, publicKey }: ClaimedKey,
): (UtxoKey & { readonly keyPath: UtxoKeyPath }) | undefined {
  const keyPath = keyPathAt(path, chain)
  if (keyPath === undefined) return undefined
  const key = keys.utxoKeyAt(chain, keyPath)
  return key.publicKey === publicKey ? { ...key, keyPath } : undefined
}

/**
 * Parses a path: m/84'/coin'/0'/<branch>/<index> for deposits and m/84'/coin'/1'/{0,1}/<index> for the hot
 * wallet. Chains without SegWit use m/44'. Returns undefined for any other path.
 */
function keyPathAt(path: readonly number[], { bech32, coinType }: UtxoChain): UtxoKeyPath | undefined {
  const [purpose, coin, account, branch, index] = path
  if (path.length !== 5 || branch === undefined || index === undefined) return undefined
  if (purpose !== (bech32 === undefined ? 44 : 84) + hardened || coin !== coinType + hardened)
    return undefined
  if (branch >= hardened || index >= hardened) return undefined
  if (account === hardened) return { type: 'deposit', branch, index }
  const isHot = account === hardened + 1 && (branch === 0 || branch === 1)
  return isHot ? { type: 'hot', branch, index } : undefined
}
