/** Addresses of the EVM family: EIP-55 spelling, BIP-32 derivation, EIP-681 links. */
import { ECDH } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import * as Address from 'ox/Address'
import { required } from '../../core/assert.ts'
import { quantity } from '../json-rpc.ts'
import type { AddressCodec, Destination, TransferAsset, WalletCall } from '../port.ts'
import { keccak256 } from './encoding/keccak.ts'
import { callOf } from './spend-call.ts'

/** Addresses on the chain of `chainId`, which their links name. */
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

/** Addresses alone, whose spelling is the same on every chain. */
export const evmAddresses = evmAddressesOf(1)

const form = /^0x[0-9a-fA-F]{40}$/

/**
 * Lower case. Of the spellings with letters of both cases only the one with the right checksum is an address
 * (EIP-55); all-lower and all-upper carry none.
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
    return { fault: 'is of another network or cut: it must be "0x" and 40 hexadecimal digits' }
  }
  const address = canonical(text)
  if (address === undefined) {
    return { fault: 'does not fit its own checksum (EIP-55): a character is wrong, copy it again' }
  }
  return address === zeroAddress ? { fault: 'is the zero address, which burns what it gets' } : { address }
}

/** What is no address is shown as it is: what a node once told must not keep anybody from seeing a payment. */
function display(address: string): string {
  return form.test(address) ? Address.checksum(hex(address)) : address
}

/**
 * `count` addresses at <branch>/<from>.. below an account's xpub m/44'/60'/<account>'. Throws on anything else, on a
 * private key most of all: this process must never hold one.
 */
function derive(xpub: string, branch: number, from: number, count: number): readonly string[] {
  const chain = chainNode(xpub, branch)
  return Array.from({ length: count }, (_, offset) => addressOf(chain.deriveChild(from + offset)))
}

/** Chain nodes by xpub and branch: with the node kept an address costs one derivation instead of three. */
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
    // The library's message may quote the key.
    throw new Error('The extended public key is malformed.')
  }
  if (account.privateKey !== null) throw new Error('This is an extended PRIVATE key; give the account xpub.')
  if (account.depth !== accountDepth) {
    throw new Error(
      `The xpub is of depth ${account.depth}; an account xpub (m/44'/60'/0') has depth ${accountDepth}.`,
    )
  }
  return account
}

/** The last twenty bytes of the hash of the uncompressed public key without its prefix (Yellow Paper, appendix F). */
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
