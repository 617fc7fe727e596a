/**
 * Parses account keys of the UTXO family (BIP 32). Accepts version bytes of SLIP-132 and of coins' wallets.
 */
import { HDKey } from '@scure/bip32'
import type { UtxoChain } from './utxo-chains.ts'

const accountDepth = 3
const privateForm = /^(?:[xyzYZtuvUV]prv|Ltpv|Mtpv|ttpv|dgpv|tgpv)/

/**
 * Parses the extended public key of an account, whose path is m/purpose'/coin'/<account>'. Error messages
 * omit the key, because it may be a private key by mistake. This process must never hold a private key.
 * @throws Error if the key is private, malformed, of another chain or not that of an account
 */
export function readAccountKey(text: string, chain: UtxoChain): HDKey {
  if (privateForm.test(text)) {
    throw new Error('This is an extended PRIVATE key; use the account xpub.')
  }
  const account = chain.xpubVersions.map((version) => parse(text, version)).find((key) => key !== undefined)
  if (account === undefined) {
    throw new Error(
      'The extended public key is malformed, or belongs to another coin, address type or chain.',
    )
  }
  if (account.depth !== accountDepth) {
    throw new Error(
      `The xpub has depth ${account.depth}; an account xpub (${accountPathOf(chain)}) has depth ${accountDepth}.`,
    )
  }
  return account
}

/** Returns the path of the account for deposits: by BIP 84, or by BIP 44 on chains without SegWit. */
export function accountPathOf({ bech32, coinType }: Pick<UtxoChain, 'bech32' | 'coinType'>): string {
  return `m/${bech32 === undefined ? 44 : 84}'/${coinType}'/0'`
}

/**
 * Returns an account key with the prefix "xpub", so that keys with different prefixes can be compared.
 * @throws Error if the key is private, malformed, of another chain or not that of an account
 */
export function plainXpub(text: string, chain: UtxoChain): string {
  const { publicKey, chainCode, depth, index, parentFingerprint } = readAccountKey(text, chain)
  if (publicKey === null || chainCode === null) throw new Error('The extended public key is malformed.')
  return new HDKey({ publicKey, chainCode, depth, index, parentFingerprint }).publicExtendedKey
}

function parse(text: string, version: number): HDKey | undefined {
  try {
    const key = HDKey.fromExtendedKey(text, { public: version, private: 0 })
    return key.privateKey === null ? key : undefined
  } catch {
    return undefined
  }
}
