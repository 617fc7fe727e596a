/** Parses an address that a person typed. If the address must not be paid, returns the reason. */
import { bech32, bech32m, createBase58check } from '@scure/base'
import { Address, OutScript } from '@scure/btc-signer'
import { sha256 } from '@scure/btc-signer/utils.js'
import type { Destination } from '../port.ts'
import { addressEncodingOf } from './address-encoding.ts'
import { type UtxoChain, utxoChains } from './utxo-chains.ts'

const base58check = createBase58check(sha256)
/**
 * The form of BIP 173: a prefix, then the digit 1, then at least six characters. MWEB addresses may have more
 * characters than BIP 173 allows.
 */
const bech32Form = /^([a-z]{1,20})1[02-9ac-hj-np-z]{6,140}$/
const base58Form = /^[1-9A-HJ-NP-Za-km-z]{25,36}$/

const badChecksum = { error: 'does not match its checksum: a character is wrong, copy it again' }
const noAddress = { error: 'is incomplete or belongs to another network' }
const unknownKind = { error: 'has a type from which nobody can spend yet' }

export function readAddress(text: string, chain: UtxoChain): Destination {
  const lower = text.toLowerCase()
  const [, prefix] = bech32Form.exec(lower) ?? []
  if (prefix !== undefined && isPrefix(prefix)) {
    // BIP 173 forbids an address that mixes upper and lower case.
    if (text !== lower && text !== text.toUpperCase()) return badChecksum
    return readBech32(lower, prefix, chain)
  }
  return base58Form.test(text) ? readBase58(text, chain) : noAddress
}

/**
 * Decides whether a known coin uses the prefix. If no coin does, the text may be a base58 address that only
 * looks like a bech32 address.
 */
function isPrefix(prefix: string): boolean {
  return allChains.some(({ chain }) => chain.bech32 === prefix || chain.mweb === prefix)
}

function readBech32(lower: string, prefix: string, chain: UtxoChain): Destination {
  if (allChains.some((one) => one.chain.mweb === prefix)) {
    return {
      error: 'is in the extension block of Litecoin (MWEB), to which Coffer cannot pay: use one outside it',
    }
  }
  if (prefix !== chain.bech32) return ofAnother((other) => other.bech32 === prefix)
  if (bech32.decodeUnsafe(lower, false) === undefined && bech32m.decodeUnsafe(lower, false) === undefined)
    return badChecksum
  return encodedAnew(lower, chain) ?? unknownKind
}

function readBase58(text: string, chain: UtxoChain): Destination {
  const bytes = decodeBase58(text)
  if (bytes === undefined) return badChecksum
  const version = bytes[0]
  if (bytes.length !== 21 || version === undefined) return noAddress
  if (version === chain.pubKeyHash || version === chain.scriptHash)
    return encodedAnew(text, chain) ?? unknownKind
  if (version === chain.sharedScriptHash) {
    return { error: 'has an old form that another coin uses too: use its new form' }
  }
  return ofAnother((other) => other.pubKeyHash === version || other.scriptHash === version)
}

function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return base58check.decode(text)
  } catch {
    return undefined
  }
}

/**
 * Decodes the address and returns its canonical form. Undefined if no standard script pays to the address, if
 * its taproot key is invalid, or if anybody could spend from it (P2A).
 */
function encodedAnew(text: string, chain: UtxoChain): Destination | undefined {
  try {
    const address = Address(addressEncodingOf(chain))
    const output = address.decode(text)
    // This call throws if a taproot key is not a point of the curve.
    OutScript.encode(output)
    return output.type === 'p2a' ? undefined : { address: address.encode(output) }
  } catch {
    return undefined
  }
}

const allChains = Object.entries(utxoChains).flatMap(([network, chains]) =>
  Object.values<UtxoChain>(chains).map((chain) => ({ network, chain })),
)

const kinds = { main: '', test: ' testnet', regtest: ' regtest' }

function ofAnother(isOf: (chain: UtxoChain) => boolean): Destination {
  const other = allChains.find(({ chain }) => isOf(chain))
  if (other === undefined) return noAddress
  const name = `${other.network[0]?.toUpperCase()}${other.network.slice(1)}`
  return { error: `belongs to another network (${name}${kinds[other.chain.kind]})` }
}
