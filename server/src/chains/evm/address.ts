/** Derives (BIP 32) and shows (EIP-55) addresses of the EVM family, and makes payment links (EIP-681). */
import { ECDH } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import * as Address from 'ox/Address'
import { required } from '../../core/assert.ts'
import { quantity } from '../json-rpc.ts'
import type { AddressCodec, Destination, TransferAsset, WalletCall } from '../port.ts'
import { keccak256 } from './encoding/keccak.ts'
import { callOf } from './spend-call.ts'

/** Returns the address rules of the chain with `chainId`. Payment links and wallet calls contain this id. */
export function evmAddressesOf(chainId: number): AddressCodec {
  return {
    family: 'evm',
    canonical,
    readDestination,
    display,
    derive,
    ofSameKey: () => [],
    paymentUri: (asset, address, amountMinor) => paymentUri(asset, chainId, address, amountMinor),
    walletCall: (asset, address, amountMinor) => walletCall(asset, chainId, address, amountMinor),
  }
}

/**
 * The address rules that are the same on all EVM chains. Payment links and wallet calls depend on the chain,
 * so they must not be made with these rules.
 */
export const evmAddresses = evmAddressesOf(1)

const form = /^0x[0-9a-fA-F]{40}$/

/**
 * Returns the address in lower case. A text of mixed case is an address only if its checksum is right
 * (EIP-55). A text whose letters are all lower case or all upper case has no checksum.
 */
function canonical(text: string): string | undefined {
  if (!form.test(text)) return undefined
  const lower = text.toLowerCase()
  const digits = text.slice(2)
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  return hasChecksum && display(lower) !== text ? undefined : lower
}

const zeroAddress = `0x${'0'.repeat(40)}`

function readDestination(text: string): Destination {
  if (!form.test(text)) {
    return { error: 'is not a valid Ethereum address: it must be "0x" and 40 hexadecimal digits' }
  }
  const address = canonical(text)
  if (address === undefined) {
    return { error: 'does not match its checksum (EIP-55): a character is wrong, copy it again' }
  }
  return address === zeroAddress
    ? { error: 'is the zero address, which burns all payments to it' }
    : { address }
}

/**
 * Returns an address with its checksum. Any other text is returned unchanged: a malformed value from a node
 * must not prevent a payment from being shown.
 */
function display(address: string): string {
  return form.test(address) ? Address.checksum(hex(address)) : address
}

/**
 * Derives `count` addresses from the xpub of an account at m/44'/60'/<account>'. The first address has the
 * path <branch>/<from> below the account.
 * @throws Error if `xpub` is any other key, above all a private key, because this process must never hold one
 */
function derive(xpub: string, branch: number, from: number, count: number): readonly string[] {
  const chain = chainNode(xpub, branch)
  return Array.from({ length: count }, (_, offset) => addressOf(chain.deriveChild(from + offset)))
}

/**
 * Cache of BIP 32 nodes of branches, by xpub and branch. A cached node saves parsing the xpub and deriving
 * the branch again.
 */
const chainNodes = new Map<string, HDKey>()
const chainNodesMax = 100

function chainNode(xpub: string, branch: number): HDKey {
  const key = `${xpub}/${branch}`
  const known = chainNodes.get(key)
  if (known !== undefined) return known
  if (chainNodes.size >= chainNodesMax) chainNodes.clear()
  const node = readAccountXpub(xpub).deriveChild(branch)
  chainNodes.set(key, node)
  return node
}

const accountDepth = 3

function readAccountXpub(xpub: string): HDKey {
  let account: HDKey
  try {
    account = HDKey.fromExtendedKey(xpub)
  } catch {
    // An error message of the library may contain the key.
    throw new Error('The extended public key is malformed.')
  }
  if (account.privateKey !== null) throw new Error('This is an extended PRIVATE key; use the account xpub.')
  if (account.depth !== accountDepth) {
    throw new Error(
      `The xpub has depth ${account.depth}; an account xpub (m/44'/60'/0') has depth ${accountDepth}.`,
    )
  }
  return account
}

/**
 * Returns the last 20 bytes of the Keccak hash of the uncompressed public key without its prefix (Yellow
 * Paper, appendix F).
 */
function addressOf(node: HDKey): string {
  const compressed = required(node.publicKey, 'public key')
  const point = ECDH.convertKey(compressed, 'secp256k1', undefined, undefined, 'uncompressed')
  return `0x${keccak256(Buffer.from(point).subarray(1)).toString('hex', 12)}`
}

function paymentUri(asset: TransferAsset, chainId: number, address: string, amountMinor: bigint): string {
  if (asset.type === 'coin') return `ethereum:${display(address)}@${chainId}?value=${amountMinor}`
  const contract = display(asset.contract)
  return `ethereum:${contract}@${chainId}/transfer?address=${display(address)}&uint256=${amountMinor}`
}

function walletCall(
  asset: TransferAsset,
  chainId: number,
  recipient: string,
  amountMinor: bigint,
): WalletCall {
  const call = callOf({ type: 'pay', asset, recipient, amountMinor })
  return {
    chainId: quantity(chainId),
    to: display(call.to),
    value: quantity(call.amountMinor),
    data: call.callBytes,
  }
}

function hex(address: string): `0x${string}` {
  return `0x${address.slice(2)}`
}
