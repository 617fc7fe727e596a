/** Reads an address as a person typed it, and says of one that cannot be paid why not. */
import { bech32, bech32m, createBase58check } from '@scure/base'
import { Address, OutScript } from '@scure/btc-signer'
import { sha256 } from '@scure/btc-signer/utils.js'
import type { Destination } from '../port.ts'
import { spellingOf } from './spelling.ts'
import { type UtxoChain, utxoChains } from './utxo-chains.ts'

const base58check = createBase58check(sha256)
/** BIP 173: a prefix, the digit 1 and at least six characters. MWEB addresses are longer than it allows. */
const bech32Form = /^([a-z]{1,20})1[02-9ac-hj-np-z]{6,140}$/
const base58Form = /^[1-9A-HJ-NP-Za-km-z]{25,36}$/

const badChecksum = { fault: 'does not fit its own checksum: a character is wrong, copy it again' }
const noAddress = { fault: 'is of another network or cut' }
const unknownKind = { fault: 'is of a kind that nobody can spend from yet' }

export function readAddress(text: string, chain: UtxoChain): Destination {
  const lower = text.toLowerCase()
  const [, prefix] = bech32Form.exec(lower) ?? []
  if (prefix !== undefined && isPrefix(prefix)) {
    // BIP 173: letters of both cases are no address.
    if (text !== lower && text !== text.toUpperCase()) return badChecksum
    return readBech32(lower, prefix, chain)
  }
  return base58Form.test(text) ? readBase58(text, chain) : noAddress
}

/** A base58 address may look like bech32 with a prefix that no coin has. */
function isPrefix(prefix: string): boolean {
  return allChains.some(({ chain }) => chain.bech32 === prefix || chain.mweb === prefix)
}

function readBech32(lower: string, prefix: string, chain: UtxoChain): Destination {
  if (allChains.some((one) => one.chain.mweb === prefix)) {
    return {
      fault: 'is in the extension block of Litecoin (MWEB), where Coffer cannot pay: ask for one outside it',
    }
  }
  if (prefix !== chain.bech32) return ofAnother((other) => other.bech32 === prefix)
  if (bech32.decodeUnsafe(lower, false) === undefined && bech32m.decodeUnsafe(lower, false) === undefined)
    return badChecksum
  return spelledAnew(lower, chain) ?? unknownKind
}

function readBase58(text: string, chain: UtxoChain): Destination {
  const bytes = decodeBase58(text)
  if (bytes === undefined) return badChecksum
  const version = bytes[0]
  if (bytes.length !== 21 || version === undefined) return noAddress
  if (version === chain.pubKeyHash || version === chain.scriptHash)
    return spelledAnew(text, chain) ?? unknownKind
  if (version === chain.sharedScriptHash) {
    return { fault: 'is spelled in an old way that another coin uses too: ask for the new spelling of it' }
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

/** As the chain itself spells what was read; undefined for what no usual script pays, or nobody could spend. */
function spelledAnew(text: string, chain: UtxoChain): Destination | undefined {
  try {
    const address = Address(spellingOf(chain))
    const output = address.decode(text)
    // Refuses a taproot key that is no point of the curve.
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
  return { fault: `is of another network (${name}${kinds[other.chain.kind]})` }
}
