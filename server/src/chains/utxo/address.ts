/**
 * Addresses of the UTXO family. Keys are derived by BIP 84, or by BIP 44 on chains without SegWit. SegWit
 * addresses are encoded by BIP 173 and BIP 350, and payment links by BIP 21.
 */
import type { HDKey } from '@scure/bip32'
import { Address, OutScript, p2pkh, p2wpkh } from '@scure/btc-signer'
import { hash160 } from '@scure/btc-signer/utils.js'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import type { UtxoNetwork } from '../networks.ts'
import type { AddressCodec } from '../port.ts'
import { readAccountKey } from './account-key.ts'
import { addressEncodingOf } from './address-encoding.ts'
import { readAddress } from './read-address.ts'
import type { UtxoChain } from './utxo-chains.ts'

export function utxoAddressesOf(network: UtxoNetwork): AddressCodec {
  const { chain } = network
  return {
    family: network.name,
    canonical: (text) => {
      const read = readAddress(text, chain)
      return 'address' in read ? read.address : undefined
    },
    readDestination: (text) => readAddress(text, chain),
    display: (canonical) => canonical,
    derive: (xpub, branch, from, count) => derive(network, xpub, branch, from, count),
    ofSameKey: (address) => ofSameKey(address, network.chain),
    // The URI scheme of each coin is the name of its network.
    paymentUri: (_, address, amountMinor) =>
      `${network.name}:${address}?amount=${formatDecimal(amountMinor, network.coin.decimals)}`,
  }
}

function derive(
  { chain }: UtxoNetwork,
  xpub: string,
  branch: number,
  from: number,
  count: number,
): readonly string[] {
  const addressEncoding = addressEncodingOf(chain)
  const toAddress = chain.bech32 === undefined ? p2pkh : p2wpkh
  const node = branchNode(xpub, branch, () => readAccountKey(xpub, chain))
  return Array.from({ length: count }, (_, offset) => {
    const { publicKey } = node.deriveChild(from + offset)
    return required(toAddress(required(publicKey, 'public key'), addressEncoding).address, 'address')
  })
}

/** Returns the other addresses of a P2WPKH address's key: P2PKH, and P2SH that wraps P2WPKH (BIP 49). */
function ofSameKey(address: string, chain: UtxoChain): readonly string[] {
  const codec = Address(addressEncodingOf(chain))
  const output = codec.decode(address)
  if (output.type !== 'wpkh') return []
  return [
    codec.encode({ type: 'pkh', hash: output.hash }),
    codec.encode({ type: 'sh', hash: hash160(OutScript.encode(output)) }),
  ]
}

/**
 * Cache of BIP 32 nodes of branches, by xpub and branch. A cached node saves parsing the xpub and deriving
 * the branch again.
 */
const branchNodes = new Map<string, HDKey>()
const branchNodesMax = 100

function branchNode(xpub: string, branch: number, readAccount: () => HDKey): HDKey {
  const key = `${xpub}/${branch}`
  const known = branchNodes.get(key)
  if (known !== undefined) return known
  if (branchNodes.size >= branchNodesMax) branchNodes.clear()
  const node = readAccount().deriveChild(branch)
  branchNodes.set(key, node)
  return node
}
