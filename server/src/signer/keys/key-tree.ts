import type { KeyObject } from 'node:crypto'
import { ECDH } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import * as Hash from 'ox/Hash'
import { utxoNetworkNames } from '../../chains/networks.ts'
import { type UtxoChain, utxoChains } from '../../chains/utxo/utxo-chains.ts'
import { required } from '../../core/assert.ts'
import { deriveKey } from '../../core/derive-key.ts'
import type { UtxoKeyPath, WalletKeyPath } from '../../signing/intent.ts'
import type { Account } from '../../signing/signer-port.ts'
import { statementKeyOf } from './statement-key.ts'

/** A private key of ours with its address in canonical form. */
export interface Wallet {
  readonly address: string
  readonly privateKey: Uint8Array
}

export interface UtxoKey {
  /** The compressed public key, in hex. */
  readonly publicKey: string
  readonly privateKey: Uint8Array
}

/** All keys of one seed. The keys never leave the signer's process. */
export class KeyTree {
  readonly depositXpub: string
  /** Addresses of the hot wallets. The index is the hot wallet's number. */
  readonly hotWallets: readonly string[]
  /** The key of the MACs in the signer's logs. */
  readonly logKey: KeyObject
  /**
   * Signs statements with Ed25519. A statement countersigns a head (last hash of the sealed history), or
   * lifts a halt.
   */
  readonly statementKey: KeyObject
  readonly #root: HDKey
  readonly #deposits: HDKey
  readonly #hotWallets: readonly Wallet[]
  readonly #branches = new Map<string, HDKey>()

  /**
   * Derives the keys of a seed.
   * @param hotWalletCount number of hot wallets, from 1.
   */
  constructor(mnemonic: string, hotWalletCount: number) {
    const seed = mnemonicToSeedSync(mnemonic)
    const root = HDKey.fromMasterSeed(seed)
    this.#root = root
    this.#deposits = root.derive("m/44'/60'/0'")
    const hot = root.derive("m/44'/60'/1'/0")
    this.#hotWallets = Array.from({ length: hotWalletCount }, (_, hotWallet) =>
      walletOf(hot.deriveChild(hotWallet)),
    )
    this.depositXpub = this.#deposits.publicExtendedKey
    this.hotWallets = this.#hotWallets.map(({ address }) => address)
    this.logKey = deriveKey(Buffer.from(seed), 'coffer signer log')
    this.statementKey = statementKeyOf(deriveKey(Buffer.from(seed), 'coffer signer statements'))
  }

  /** Returns the xpubs of the two accounts of a UTXO chain: one for deposits and one for the hot wallet. */
  accountOf(chain: KeyChain): Omit<Account, 'family'> {
    const [deposits, hot] = [0, 1].map((account) => this.#root.derive(accountPath(chain, account)))
    return {
      xpub: required(deposits, 'account').publicExtendedKey,
      hotXpub: required(hot, 'account').publicExtendedKey,
    }
  }

  utxoKeyAt(chain: KeyChain, { type, branch, index }: UtxoKeyPath): UtxoKey {
    const path = `${accountPath(chain, type === 'hot' ? 1 : 0)}/${branch}`
    const { publicKey, privateKey } = this.#branch(path, () => this.#root.derive(path)).deriveChild(index)
    return {
      publicKey: Buffer.from(required(publicKey, 'public key')).toString('hex'),
      privateKey: required(privateKey, 'private key'),
    }
  }

  /** Returns the xpubs of all UTXO networks, for their mainnets or for regtest. */
  accounts(kind: 'main' | 'regtest'): readonly Account[] {
    return utxoNetworkNames.map((family) => ({ family, ...this.accountOf(utxoChains[family][kind]) }))
  }

  /** Returns the EVM wallet at a derivation path; undefined if there is no such wallet. */
  walletAt(keyPath: WalletKeyPath): Wallet | undefined {
    if (keyPath.type === 'hotWallet') return this.#hotWallets[keyPath.hotWallet]
    if (keyPath.type === 'hot') return undefined
    const { branch, index } = keyPath
    return walletOf(this.#branch(`${branch}`, () => this.#deposits.deriveChild(branch)).deriveChild(index))
  }

  #branch(name: string, derive: () => HDKey): HDKey {
    const known = this.#branches.get(name)
    if (known !== undefined) return known
    if (this.#branches.size >= branchesKept) this.#branches.clear()
    const node = derive()
    this.#branches.set(name, node)
    return node
  }
}

const branchesKept = 100

type KeyChain = Pick<UtxoChain, 'bech32' | 'coinType'>

/** Returns the derivation path of an account by BIP 84, or by BIP 44 for chains without SegWit. */
function accountPath({ bech32, coinType }: KeyChain, account: number): string {
  return `m/${bech32 === undefined ? 44 : 84}'/${coinType}'/${account}'`
}

/** Decides whether a value is a non-hardened index of BIP 32. */
export function isKeyPathIndex(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31
}

/**
 * Returns a new mnemonic.
 * @param words 24 for real money, 12 for a sandbox.
 */
export function newMnemonic(words: 12 | 24): string {
  return generateMnemonic(wordlist, words === 24 ? 256 : 128)
}

/** Decides whether a text is a mnemonic of BIP 39 with a valid checksum. */
export function isMnemonic(text: string): boolean {
  return validateMnemonic(text, wordlist)
}

/**
 * Returns the EVM wallet of a key. Its address is the last 20 bytes of the Keccak-256 hash of the public key
 * (Yellow Paper, appendix F). The public key is hashed in uncompressed form without its prefix byte.
 */
function walletOf(node: HDKey): Wallet {
  const compressed = required(node.publicKey, 'public key')
  const point = ECDH.convertKey(compressed, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer
  const hash = Hash.keccak256(Uint8Array.from(point.subarray(1)), { as: 'Hex' })
  return { address: `0x${hash.slice(-40)}`, privateKey: required(node.privateKey, 'private key') }
}
