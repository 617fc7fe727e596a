import * as Secp256k1 from 'ox/Secp256k1'
import type { SignDigest } from '../chains/port.ts'
import { assert } from '../core/assert.ts'
import type { Wallet } from './keys/key-tree.ts'

/**
 * Returns a function that signs with the keys of these wallets only. The same digest always has the same
 * signature (RFC 6979).
 */
export function digestSigner(wallets: readonly Wallet[]): SignDigest {
  const byAddress = new Map(wallets.map((wallet) => [wallet.address, wallet]))
  return async (address, digest) => {
    const wallet = byAddress.get(address)
    assert(wallet !== undefined, `${address} is not a wallet of this transaction`)
    const { privateKey } = wallet
    const { r, s, yParity } = Secp256k1.sign({
      payload: digest as `0x${string}`,
      privateKey,
      extraEntropy: false,
    })
    return { r: word(r), s: word(s), yParity }
  }
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
