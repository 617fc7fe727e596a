/**
 * Finds the addresses that paid, from a transaction's inputs. An address is the hash of a key or a script, so
 * a payer is found only if an input reveals that key or script.
 */
import { Address, Script } from '@scure/btc-signer'
import { hash160, sha256 } from '@scure/btc-signer/utils.js'
import { addressEncodingOf } from './address-encoding.ts'
import type { RawInput, RawTransaction } from './encoding/raw-block.ts'
import type { UtxoChain } from './utxo-chains.ts'

export type PayersOf = (transaction: RawTransaction) => readonly string[] | undefined

/**
 * Returns a function that returns the addresses of all payers of a transaction. The result is undefined for a
 * coinbase, or if any payer is unknown. For example, a taproot input reveals neither key nor script.
 */
export function payerReader(chain: UtxoChain): PayersOf {
  const payerOf = inputReader(chain)
  return ({ isCoinbase, inputs }) => {
    const payers = isCoinbase ? [] : inputs.map(payerOf)
    const known = payers.filter((payer) => payer !== undefined)
    return known.length === 0 || known.length < payers.length ? undefined : [...new Set(known)]
  }
}

function inputReader(chain: UtxoChain): (input: RawInput) => string | undefined {
  const { encode } = Address(addressEncodingOf(chain))
  return ({ script, witness }) => {
    try {
      if (script.length === 0) return witnessPayer(witness, encode)
      const pushed = Script.decode(script).at(-1)
      if (!(pushed instanceof Uint8Array) || isSignature(pushed)) return undefined
      return isKey(pushed)
        ? encode({ type: 'pkh', hash: hash160(pushed) })
        : encode({ type: 'sh', hash: hash160(pushed) })
    } catch {
      return undefined
    }
  }
}

type Encode = ReturnType<typeof Address>['encode']

function witnessPayer(witness: readonly Uint8Array[], encode: Encode): string | undefined {
  const last = witness.at(-1)
  if (last === undefined || witness.length < 2 || isTaproot(last)) return undefined
  return witness.length === 2 && last.length === 33 && isKey(last)
    ? encode({ type: 'wpkh', hash: hash160(last) })
    : encode({ type: 'wsh', hash: sha256(last) })
}

/** Decides whether the bytes are a public key, compressed or not (SEC 1). */
function isKey(bytes: Uint8Array): boolean {
  const [first] = bytes
  return bytes.length === 33 ? first === 2 || first === 3 : bytes.length === 65 && first === 4
}

/**
 * Decides whether the bytes are a signature (BIP 66) with its sighash type. An output that pays to a bare
 * public key (P2PK) is spent by a signature alone, which reveals no key.
 */
function isSignature(bytes: Uint8Array): boolean {
  return bytes[0] === 0x30 && bytes.length >= 9 && bytes.length <= 73 && bytes[1] === bytes.length - 3
}

/**
 * Decides whether the last witness item may belong to a taproot input (BIP 341). Such an item may be an annex,
 * or the control block of any script version. Other scripts may begin with the same bytes. In that case no
 * payer is reported, because a missing payer is safer than a wrong payer.
 */
function isTaproot(last: Uint8Array): boolean {
  const first = last[0] ?? 0
  return first === 0x50 || (first & 0xfe) === 0xc0 || (first >= 0x66 && last.length % 32 === 1)
}
