/**
 * Checks a signed transaction against the PSBT that was sent to the signer. Each input must have exactly one
 * signature, by the expected key and over the whole transaction; nothing else may be added. The transaction's
 * id is computed from the signed bytes, and never taken from the signer's answer.
 */
import { createHash } from 'node:crypto'
import { p2pkh, p2wpkh, Transaction } from '@scure/btc-signer'
import { RawTx } from '@scure/btc-signer/script.js'
import * as Secp256k1 from 'ox/Secp256k1'
import { assert, required } from '../../../core/assert.ts'
import { SignedBytesError } from '../../port.ts'
import { addressEncodingOf } from '../address-encoding.ts'
import type { UtxoChain } from '../utxo-chains.ts'

type RawTransaction = ReturnType<typeof RawTx.decode>

const sighashAll = 1
const nothing = new Uint8Array()

/**
 * Returns the id of a signed transaction.
 * @param psbt is in base64, without signatures, as `toPsbt` writes it
 * @param raw is in hex
 * @throws SignedBytesError unless `raw` is the transaction of `psbt`, signed with the keys that `psbt` names
 */
export function readSignedTransaction(chain: UtxoChain, psbt: string, raw: string): string {
  const asked = Transaction.fromPSBT(Buffer.from(psbt, 'base64'))
  const given = decoded(raw)
  if (!sameBytes(encoded(given, given.inputs.map(noScript)), asked.unsignedTx))
    throw new SignedBytesError('their inputs or outputs differ from the request')
  for (const inputIndex of given.inputs.keys()) requireSigned(chain, asked, given, inputIndex)
  return Buffer.from(sha256d(encoded(given, given.inputs)))
    .reverse()
    .toString('hex')
}

function decoded(raw: string): RawTransaction {
  try {
    const bytes = Uint8Array.from(Buffer.from(raw, 'hex'))
    const given = RawTx.decode(bytes)
    assert(Buffer.from(RawTx.encode(given)).toString('hex') === raw, 'the bytes have additional content')
    return given
  } catch {
    // The library's own error message is not passed on, because it would not help the caller.
    throw new SignedBytesError('they are not a transaction')
  }
}

/** Encodes a transaction without witnesses and with the given inputs. */
function encoded({ version, outputs, lockTime }: RawTransaction, inputs: RawTransaction['inputs']) {
  return RawTx.encode({ version, segwitFlag: false, inputs, outputs, witnesses: undefined, lockTime })
}

function noScript(input: RawTransaction['inputs'][number]) {
  return { ...input, finalScriptSig: nothing }
}

function requireSigned(
  chain: UtxoChain,
  asked: Transaction,
  given: RawTransaction,
  inputIndex: number,
): void {
  const { bip32Derivation, witnessUtxo, nonWitnessUtxo, index = 0 } = asked.getInput(inputIndex)
  const key = required(bip32Derivation?.[0]?.[0], 'the key of an input')
  const spent = required(nonWitnessUtxo?.outputs[index] ?? witnessUtxo, 'what an input spends')
  const hasWitness = chain.bech32 !== undefined
  const own = (hasWitness ? p2wpkh : p2pkh)(key, addressEncodingOf(chain)).script
  const shown = hasWitness ? witnessOf(given, inputIndex) : pushesOf(given, inputIndex)
  const [signature = nothing, shownKey = nothing, ...more] = shown
  const isOfKey = sameBytes(own, spent.script) && sameBytes(shownKey, key) && more.length === 0
  const keyScript = p2pkh(key, addressEncodingOf(chain)).script
  const digest = hasWitness
    ? asked.preimageWitnessV0(inputIndex, keyScript, sighashAll, spent.amount)
    : legacyDigest(given, inputIndex, keyScript)
  if (!isOfKey || !isSignature(signature, digest, key))
    throw new SignedBytesError(`input ${inputIndex} is not signed with the requested key`)
}

/** Returns the witness of an input; empty if the input has a script, which SegWit forbids (BIP 141). */
function witnessOf({ inputs, witnesses }: RawTransaction, inputIndex: number): readonly Uint8Array[] {
  return inputs[inputIndex]?.finalScriptSig.length === 0 ? (witnesses?.[inputIndex] ?? []) : []
}

/**
 * Returns the data items that an input's script pushes. The result is empty if the script contains anything
 * but pushes of at most 75 bytes.
 */
function pushesOf({ inputs, segwitFlag }: RawTransaction, inputIndex: number): readonly Uint8Array[] {
  const script = inputs[inputIndex]?.finalScriptSig ?? nothing
  const pushes: Uint8Array[] = []
  for (let at = 0; at < script.length; ) {
    const length = script[at] ?? 0
    const end = at + 1 + length
    if (segwitFlag || length > 75 || end > script.length) return []
    pushes.push(script.subarray(at + 1, end))
    at = end
  }
  return pushes
}

/**
 * Returns the digest that a legacy signature covers. For this digest, the signed input holds the script of
 * the output that it spends; the scripts of all other inputs are empty.
 */
function legacyDigest(given: RawTransaction, inputIndex: number, script: Uint8Array): Uint8Array {
  const inputs = given.inputs.map((input, at) => ({
    ...input,
    finalScriptSig: at === inputIndex ? script : nothing,
  }))
  return sha256d(encoded(given, inputs), Uint8Array.of(sighashAll, 0, 0, 0))
}

/**
 * Verifies a DER signature that ends with its sighash type (BIP 66). The signature's s must be in the lower
 * half of the curve's order (BIP 146).
 */
function isSignature(signature: Uint8Array, digest: Uint8Array, key: Uint8Array): boolean {
  if (signature.at(-1) !== sighashAll) return false
  try {
    const der = Secp256k1.noble.Signature.fromDER(signature.subarray(0, -1))
    return Secp256k1.noble.verify(der, digest, key, { lowS: true })
  } catch {
    return false
  }
}

function sha256d(...parts: readonly Uint8Array[]): Uint8Array {
  const inner = createHash('sha256')
  for (const part of parts) inner.update(part)
  return createHash('sha256').update(inner.digest()).digest()
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other)
}
