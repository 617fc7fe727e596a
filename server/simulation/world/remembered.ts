/**
 * Derivations and checks of signatures that remember their results. The results depend on nothing but the
 * parameters, and many runs of a process, or many steps of a run, ask for the same ones.
 */
import type { AddressCodec, ReadSigned, SpendCodec } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { KeyTree, type UtxoKey, type Wallet } from '../../src/signer/keys/key-tree.ts'

type KeyChain = Parameters<KeyTree['utxoKeyAt']>[0]
type UtxoPath = Parameters<KeyTree['utxoKeyAt']>[1]
type WalletPath = Parameters<KeyTree['walletAt']>[0]

/** The keys of the simulated signer, which belong to a published seed. */
export class RememberedKeys extends KeyTree {
  readonly #wallets = new Map<string, Wallet | undefined>()
  readonly #utxoKeys = new Map<string, UtxoKey>()

  override walletAt(path: WalletPath): Wallet | undefined {
    return remember(this.#wallets, JSON.stringify(path), () => super.walletAt(path))
  }

  override utxoKeyAt(chain: KeyChain, path: UtxoPath): UtxoKey {
    const key = `${chain.coinType} ${chain.bech32} ${JSON.stringify(path)}`
    return remember(this.#utxoKeys, key, () => super.utxoKeyAt(chain, path))
  }
}

/** Returns a codec that remembers derived addresses. */
export function rememberDerived(codec: AddressCodec): AddressCodec {
  const known = new Map<string, string>()
  const deriveOne = (xpub: string, branch: number, index: number) =>
    remember(known, `${xpub}/${branch}/${index}`, () =>
      required(codec.derive(xpub, branch, index, 1)[0], 'an address'),
    )
  return {
    ...codec,
    derive: (xpub, branch, from, count) =>
      Array.from({ length: count }, (_, offset) => deriveOne(xpub, branch, from + offset)),
  }
}

/** Number of signed transactions that are remembered: some more than one run has. */
const signedMax = 500

/** Returns a codec that remembers the signed transactions it has read. */
export function rememberSigned(codec: SpendCodec): SpendCodec {
  const known = new Map<string, ReadSigned>()
  return {
    ...codec,
    readSigned: (raw, sender) => {
      if (known.size >= signedMax) known.clear()
      return remember(known, `${raw} ${sender}`, () => codec.readSigned(raw, sender))
    },
  }
}

function remember<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make()
  known.set(key, made)
  return made
}
