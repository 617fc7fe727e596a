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
import type { CoinPlace, WalletPlace } from '../../signing/intent.ts'
import type { Account } from '../../signing/signer-port.ts'
import { statementKeyOf } from './statement-key.ts'

/** A key of ours with its address in canonical spelling. */
export interface Wallet {
  readonly address: string
  readonly privateKey: Uint8Array
}

/** A key of a chain of the UTXO family. */
export interface CoinKey {
  /** Compressed, in hex. */
  readonly publicKey: string
  readonly privateKey: Uint8Array
}

/** All keys under one seed; nothing here leaves the signer's process. */
export class KeyTree {
  readonly depositXpub: string
  /** Addresses of the hot lanes by their numbers. */
  readonly lanes: readonly string[]
  /** Vouches for the signer's own log. */
  readonly logKey: KeyObject
  /** Signs statements (Ed25519): heads of history, and lifts of halts. */
  readonly statementKey: KeyObject
  readonly #root: HDKey
  readonly #deposits: HDKey
  readonly #lanes: readonly Wallet[]
  readonly #branches = new Map<string, HDKey>()

  /** @param laneCount how many hot lanes there are, from 1 */
  constructor(mnemonic: string, laneCount: number) {
    const seed = mnemonicToSeedSync(mnemonic)
    const root = HDKey.fromMasterSeed(seed)
    this.#root = root
    this.#deposits = root.derive("m/44'/60'/0'")
    const hot = root.derive("m/44'/60'/1'/0")
    this.#lanes = Array.from({ length: laneCount }, (_, lane) => walletOf(hot.deriveChild(lane)))
    this.depositXpub = this.#deposits.publicExtendedKey
    this.lanes = this.#lanes.map(({ address }) => address)
    this.logKey = deriveKey(Buffer.from(seed), 'coffer signer log')
    this.statementKey = statementKeyOf(deriveKey(Buffer.from(seed), 'coffer signer statements'))
  }

  /** The accounts of a chain of the UTXO family: of deposits, and of the hot wallet. */
  accountOf(chain: CoinKind): Omit<Account, 'family'> {
    const [deposits, hot] = [0, 1].map((account) => this.#root.derive(accountPath(chain, account)))
    return {
      xpub: required(deposits, 'account').publicExtendedKey,
      hotXpub: required(hot, 'account').publicExtendedKey,
    }
  }

  coinKeyAt(chain: CoinKind, { type, branch, index }: CoinPlace): CoinKey {
    const path = `${accountPath(chain, type === 'hot' ? 1 : 0)}/${branch}`
    const { publicKey, privateKey } = this.#branch(path, () => this.#root.derive(path)).deriveChild(index)
    return {
      publicKey: Buffer.from(required(publicKey, 'public key')).toString('hex'),
      privateKey: required(privateKey, 'private key'),
    }
  }

  /** Those of all networks of the family, on their main chains or on those for tests. */
  accounts(kind: 'main' | 'regtest'): readonly Account[] {
    return utxoNetworkNames.map((family) => ({ family, ...this.accountOf(utxoChains[family][kind]) }))
  }

  /** Undefined for a lane that there is not. */
  walletAt(place: WalletPlace): Wallet | undefined {
    if (place.type === 'lane') return this.#lanes[place.lane]
    if (place.type === 'hot') return undefined
    const { branch, index } = place
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

type CoinKind = Pick<UtxoChain, 'bech32' | 'coinType'>

/** BIP 84, or BIP 44 where there are no witnesses. */
function accountPath({ bech32, coinType }: CoinKind, account: number): string {
  return `m/${bech32 === undefined ? 44 : 84}'/${coinType}'/${account}'`
}

/** A place that BIP 32 has without hardening. */
export function isPlaceNumber(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31
}

/** @param words 24 where something of worth is kept, 12 for a sandbox */
export function newMnemonic(words: 12 | 24): string {
  return generateMnemonic(wordlist, words === 24 ? 256 : 128)
}

/** Whether the words are a seed of BIP 39, their checksum included. */
export function isMnemonic(text: string): boolean {
  return validateMnemonic(text, wordlist)
}

/** The last twenty bytes of the hash of the uncompressed public key without its prefix (Yellow Paper, appendix F). */
function walletOf(node: HDKey): Wallet {
  const compressed = required(node.publicKey, 'public key')
  const point = ECDH.convertKey(compressed, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer
  const hash = Hash.keccak256(Uint8Array.from(point.subarray(1)), { as: 'Hex' })
  return { address: `0x${hash.slice(-40)}`, privateKey: required(node.privateKey, 'private key') }
}
