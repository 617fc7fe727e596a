/** Whose outputs a transaction spends, as far as its inputs show it: the key or the script that an address is a hash of. */
import { Address, Script } from '@scure/btc-signer'
import { hash160, sha256 } from '@scure/btc-signer/utils.js'
import type { RawInput, RawTransaction } from './encoding/raw-block.ts'
import { spellingOf } from './spelling.ts'
import type { UtxoChain } from './utxo-chains.ts'

export type PayersOf = (transaction: RawTransaction) => readonly string[] | undefined

/** Says who pays; undefined where one of them cannot be told (taproot shows neither), and for a coinbase. */
export function payerReader(chain: UtxoChain): PayersOf {
  const payerOf = inputReader(chain)
  return ({ isCoinbase, inputs }) => {
    const payers = isCoinbase ? [] : inputs.map(payerOf)
    const known = payers.filter((payer) => payer !== undefined)
    return known.length === 0 || known.length < payers.length ? undefined : [...new Set(known)]
  }
}

function inputReader(chain: UtxoChain): (input: RawInput) => string | undefined {
  const { encode } = Address(spellingOf(chain))
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

/** A public key, compressed or not (SEC 1). */
function isKey(bytes: Uint8Array): boolean {
  const [first] = bytes
  return bytes.length === 33 ? first === 2 || first === 3 : bytes.length === 65 && first === 4
}

/** Coins that lie at bare keys are spent by signatures alone (BIP 66, and the kind of hash): they show no key. */
function isSignature(bytes: Uint8Array): boolean {
  return bytes[0] === 0x30 && bytes.length >= 9 && bytes.length <= 73 && bytes[1] === bytes.length - 3
}

/**
 * A control block of a script path, of whatever version, or an annex (BIP 341). Scripts of that length may begin so, too:
 * then rather nobody is told.
 */
function isTaproot(last: Uint8Array): boolean {
  const first = last[0] ?? 0
  return first === 0x50 || (first & 0xfe) === 0xc0 || (first >= 0x66 && last.length % 32 === 1)
}
