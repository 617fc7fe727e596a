import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'

/** Twelve words (BIP 39) for a sandbox, where nothing of worth is ever kept. */
export function newMnemonic(): string {
  return generateMnemonic(wordlist, 128)
}

/** The account xpub m/44'/60'/0' (BIP 44) under which EVM deposit addresses are derived. */
export function evmAccountXpub(mnemonic: string): string {
  return HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive("m/44'/60'/0'").publicExtendedKey
}
