/** Account keys of the UTXO family: BIP 32, in the spellings of SLIP-132 and of the coins' own wallets. */
import { HDKey } from '@scure/bip32'
import type { UtxoChain } from './utxo-chains.ts'

const accountDepth = 3
const privateForm = /^(?:[xyzYZtuvUV]prv|Ltpv|Mtpv|ttpv|dgpv|tgpv)/

/**
 * The key at m/purpose'/coin'/<account>' of an extended public key. Its errors do not quote the key, which may be a
 * private one by mistake: this process must never hold one.
 */
export function readAccountKey(text: string, chain: UtxoChain): HDKey {
  if (privateForm.test(text)) {
    throw new Error('This is an extended PRIVATE key; give the account xpub.')
  }
  const account = chain.xpubVersions.map((version) => parse(text, version)).find((key) => key !== undefined)
  if (account === undefined) {
    throw new Error(
      'The extended public key is malformed, or of another coin, another kind of addresses or another chain.',
    )
  }
  if (account.depth !== accountDepth) {
    throw new Error(
      `The xpub is of depth ${account.depth}; an account xpub (${accountPathOf(chain)}) has depth ${accountDepth}.`,
    )
  }
  return account
}

/** Where the account of deposit addresses lies: BIP 84, or BIP 44 where there are no witnesses. */
export function accountPathOf({ bech32, coinType }: Pick<UtxoChain, 'bech32' | 'coinType'>): string {
  return `m/${bech32 === undefined ? 44 : 84}'/${coinType}'/0'`
}

/** The same key as an "xpub", under which keys are compared. @throws Error as `readAccountKey` does */
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
