/** Addresses of the UTXO family: BIP 84 (BIP 44 where there are no witnesses), BIP 173 and 350, BIP 21 links. */
import type { HDKey } from '@scure/bip32'
import { Address, OutScript, p2pkh, p2wpkh } from '@scure/btc-signer'
import { hash160 } from '@scure/btc-signer/utils.js'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import type { UtxoNetwork } from '../networks.ts'
import type { AddressCodec } from '../port.ts'
import { readAccountKey } from './account-key.ts'
import { readAddress } from './read-address.ts'
import { spellingOf } from './spelling.ts'
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
    // The scheme of each coin is its name.
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
  const spelling = spellingOf(chain)
  const toAddress = chain.bech32 === undefined ? p2pkh : p2wpkh
  const node = branchNode(xpub, branch, () => readAccountKey(xpub, chain))
  return Array.from({ length: count }, (_, offset) => {
    const { publicKey } = node.deriveChild(from + offset)
    return required(toAddress(required(publicKey, 'public key'), spelling).address, 'address')
  })
}

/** P2PKH, and P2WPKH within P2SH (BIP 49), of the key whose hash a P2WPKH address is. */
function ofSameKey(address: string, chain: UtxoChain): readonly string[] {
  const codec = Address(spellingOf(chain))
  const output = codec.decode(address)
  if (output.type !== 'wpkh') return []
  return [
    codec.encode({ type: 'pkh', hash: output.hash }),
    codec.encode({ type: 'sh', hash: hash160(OutScript.encode(output)) }),
  ]
}

/** By xpub and branch: with the node kept an address costs one derivation instead of three. */
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
