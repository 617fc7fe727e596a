/**
 * Compares a signed transaction with the PSBT that the signer was given. Nothing may differ but the signatures: one on each
 * input, by the expected key, over the whole transaction. The hash is computed here; the signer's is never used.
 */
import { createHash } from 'node:crypto'
import { p2pkh, p2wpkh, Transaction } from '@scure/btc-signer'
import { RawTx } from '@scure/btc-signer/script.js'
import * as Secp256k1 from 'ox/Secp256k1'
import { assert, required } from '../../../core/assert.ts'
import { SignedBytesError } from '../../port.ts'
import { spellingOf } from '../spelling.ts'
import type { UtxoChain } from '../utxo-chains.ts'

type RawTransaction = ReturnType<typeof RawTx.decode>

const sighashAll = 1
const nothing = new Uint8Array()

/**
 * The id of a signed transaction.
 * @param psbt in base64, without signatures, as `toPsbt` writes it
 * @param raw in hex
 * @throws SignedBytesError unless it is that PSBT, signed with the keys that it names
 */
export function readSignedCoins(chain: UtxoChain, psbt: string, raw: string): string {
  const asked = Transaction.fromPSBT(Buffer.from(psbt, 'base64'))
  const given = decoded(raw)
  if (!sameBytes(encoded(given, given.inputs.map(noScript)), asked.unsignedTx))
    throw new SignedBytesError('they spend or pay something else than was asked')
  for (const place of given.inputs.keys()) requireSigned(chain, asked, given, place)
  return Buffer.from(sha256d(encoded(given, given.inputs)))
    .reverse()
    .toString('hex')
}

function decoded(raw: string): RawTransaction {
  try {
    const bytes = Uint8Array.from(Buffer.from(raw, 'hex'))
    const given = RawTx.decode(bytes)
    assert(Buffer.from(RawTx.encode(given)).toString('hex') === raw, 'the bytes say more')
    return given
  } catch {
    // What a library says of foreign bytes is nobody's business.
    throw new SignedBytesError('they are no transaction of coins')
  }
}

/** Without witnesses, and with these inputs. */
function encoded({ version, outputs, lockTime }: RawTransaction, inputs: RawTransaction['inputs']) {
  return RawTx.encode({ version, segwitFlag: false, inputs, outputs, witnesses: undefined, lockTime })
}

function noScript(input: RawTransaction['inputs'][number]) {
  return { ...input, finalScriptSig: nothing }
}

function requireSigned(chain: UtxoChain, asked: Transaction, given: RawTransaction, place: number): void {
  const { bip32Derivation, witnessUtxo, nonWitnessUtxo, index = 0 } = asked.getInput(place)
  const key = required(bip32Derivation?.[0]?.[0], 'the key of an input')
  const spent = required(nonWitnessUtxo?.outputs[index] ?? witnessUtxo, 'what an input spends')
  const hasWitness = chain.bech32 !== undefined
  const own = (hasWitness ? p2wpkh : p2pkh)(key, spellingOf(chain)).script
  const shown = hasWitness ? witnessOf(given, place) : pushesOf(given, place)
  const [signature = nothing, shownKey = nothing, ...more] = shown
  const isOfKey = sameBytes(own, spent.script) && sameBytes(shownKey, key) && more.length === 0
  const keyScript = p2pkh(key, spellingOf(chain)).script
  const digest = hasWitness
    ? asked.preimageWitnessV0(place, keyScript, sighashAll, spent.amount)
    : legacyDigest(given, place, keyScript)
  if (!isOfKey || !isSignature(signature, digest, key))
    throw new SignedBytesError(`input ${place} is not signed with the key that was asked`)
}

/** Where there are witnesses, nothing stands in their place (BIP 143). */
function witnessOf({ inputs, witnesses }: RawTransaction, place: number): readonly Uint8Array[] {
  return inputs[place]?.finalScriptSig.length === 0 ? (witnesses?.[place] ?? []) : []
}

/** A script that pushes at most 75 bytes at a time; nothing where it does anything else. */
function pushesOf({ inputs, segwitFlag }: RawTransaction, place: number): readonly Uint8Array[] {
  const script = inputs[place]?.finalScriptSig ?? nothing
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

/** As Bitcoin signed before there were witnesses: the input's own script stands in its place, the others have none. */
function legacyDigest(given: RawTransaction, place: number, script: Uint8Array): Uint8Array {
  const inputs = given.inputs.map((input, at) => ({
    ...input,
    finalScriptSig: at === place ? script : nothing,
  }))
  return sha256d(encoded(given, inputs), Uint8Array.of(sighashAll, 0, 0, 0))
}

/** DER with the kind of hash behind it (BIP 66), s below half of the order (BIP 146). */
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
