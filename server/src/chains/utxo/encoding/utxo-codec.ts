/**
 * Parses and signs UTXO transactions that are given as PSBTs of version 0 (BIP 174). The parser rejects every
 * field that it does not use. The signed transaction is rebuilt from the parsed fields alone.
 */
import { Address, OutScript, p2pkh, p2wpkh } from '@scure/btc-signer/payment.js'
import { SigHash, Transaction } from '@scure/btc-signer/transaction.js'
import { required } from '../../../core/assert.ts'
import { SignedBytesError, type SignedTransaction } from '../../port.ts'
import { addressEncodingOf } from '../address-encoding.ts'
import { readAddress } from '../read-address.ts'
import type { UtxoChain } from '../utxo-chains.ts'
import {
  type ClaimedKey,
  PsbtError,
  type SpendInput,
  type SpendOutput,
  type UtxoCodec,
  type UtxoSpend,
} from '../utxo-port.ts'

export function utxoCodec(chain: UtxoChain): UtxoCodec {
  const addressEncoding = addressEncodingOf(chain)
  const hasWitness = chain.bech32 !== undefined
  const toKey = hasWitness ? p2wpkh : p2pkh
  return {
    parse: (psbt) => spendIn(readPsbt(psbt), hasWitness),
    sign: (psbt, keyOf) => sign(readPsbt(psbt), keyOf),
    canonical: (address) => {
      const read = readAddress(address, chain)
      return 'address' in read ? read.address : undefined
    },
    scriptOf: (address) => hexOf(OutScript.encode(Address(addressEncoding).decode(address))),
    scriptOfKey: (publicKey) => hexOf(toKey(Buffer.from(publicKey, 'hex'), addressEncoding).script),
  }
}

/** Options with which the library accepts any script, because only the transaction's id is needed. */
const anyScripts = { allowUnknownInputs: true, allowUnknownOutputs: true, disableScriptCheck: true }

/**
 * Returns the id of a signed transaction, whatever the transaction does.
 * @param raw is in hex
 * @throws SignedBytesError unless the bytes are a transaction
 */
export function readTransactionId(raw: string): string {
  try {
    return Transaction.fromRaw(Buffer.from(raw, 'hex'), anyScripts).id
  } catch {
    // The library's own error message is not passed on, because it would not help the caller.
    throw new SignedBytesError('they are not a transaction')
  }
}

type Input = ReturnType<Transaction['getInput']>
type Output = ReturnType<Transaction['getOutput']>

const inputFields = [
  'txid',
  'index',
  'sequence',
  'witnessUtxo',
  'nonWitnessUtxo',
  'bip32Derivation',
  'sighashType',
]
const outputFields = ['script', 'amount', 'bip32Derivation']
/**
 * The lowest accepted sequence of an input, which marks the transaction as replaceable (BIP 125). A lower
 * sequence can delay the transaction until the spent output has a certain age (BIP 68).
 */
const sequenceMin = 0xfffffffd

function readPsbt(psbt: string): Transaction {
  const transaction = decode(psbt)
  const { opts, version, lockTime, inputsLength, outputsLength } = transaction
  if (opts.PSBTVersion !== 0) throw new PsbtError('The PSBT must have version 0')
  if (version !== 1 && version !== 2) throw new PsbtError('The transaction must have version 1 or 2')
  if (lockTime !== 0) throw new PsbtError('The transaction must not have a lock time')
  if (inputsLength === 0 || outputsLength === 0)
    throw new PsbtError('The transaction has no inputs or no outputs')
  return transaction
}

function decode(psbt: string): Transaction {
  try {
    return Transaction.fromPSBT(Buffer.from(psbt, 'base64'), { unknown: 'strict', proprietary: 'strict' })
  } catch {
    // The library's own error message is not passed on, because it would not help the caller.
    throw new PsbtError('The PSBT cannot be read')
  }
}

function spendIn(transaction: Transaction, hasWitness: boolean): UtxoSpend {
  const inputs = inputsOf(transaction).map(inputOf)
  // Legacy signatures do not cover the amounts of the inputs, so the PSBT must prove these amounts.
  if (!hasWitness && !inputs.every(({ isProven }) => isProven))
    throw new PsbtError('An input lacks its complete previous transaction')
  const outputs = outputsOf(transaction).map(outputOf)
  return { inputs, outputs, vbytes: vbytesOf(inputs.length, outputs, hasWitness) }
}

function inputsOf(transaction: Transaction): readonly Input[] {
  return Array.from({ length: transaction.inputsLength }, (_, position) => transaction.getInput(position))
}

function outputsOf(transaction: Transaction): readonly Output[] {
  return Array.from({ length: transaction.outputsLength }, (_, position) => transaction.getOutput(position))
}

function inputOf(input: Input): SpendInput {
  requireFields(input, inputFields)
  const { txid, index, sequence, sighashType, nonWitnessUtxo, witnessUtxo, bip32Derivation } = input
  if (sighashType !== undefined && sighashType !== SigHash.ALL)
    throw new PsbtError('A signature must cover the whole transaction')
  if (sequence !== undefined && sequence < sequenceMin)
    throw new PsbtError('The transaction must not have a relative lock time')
  const position = required(index, 'position of an input')
  // The library has verified that `nonWitnessUtxo` has the transaction id of the input's outpoint.
  const made = nonWitnessUtxo?.outputs[position]
  const spent = made ?? witnessUtxo
  if (spent === undefined) throw new PsbtError('An input lacks the UTXO that it spends')
  return {
    outpoint: `${hexOf(required(txid, 'id of an input'))}:${position}`,
    amountMinor: spent.amount,
    script: hexOf(spent.script),
    isProven: made !== undefined,
    ...keyIn(bip32Derivation),
  }
}

function outputOf(output: Output): SpendOutput {
  requireFields(output, outputFields)
  const { script, amount, bip32Derivation } = output
  return {
    script: hexOf(required(script, 'script of an output')),
    amountMinor: required(amount, 'amount of an output'),
    key: bip32Derivation === undefined ? undefined : keyIn(bip32Derivation),
  }
}

function keyIn(derivations: Input['bip32Derivation']): ClaimedKey {
  const [derivation, ...more] = derivations ?? []
  if (derivation === undefined || more.length > 0)
    throw new PsbtError('An input or output of ours must have exactly one key')
  const [publicKey, { path }] = derivation
  return { publicKey: hexOf(publicKey), path }
}

function requireFields(fields: object, allowed: readonly string[]): void {
  const other = Object.entries(fields).find(([name, value]) => value !== undefined && !allowed.includes(name))
  if (other !== undefined) throw new PsbtError('The PSBT has an unexpected field')
}

function sign(transaction: Transaction, keyOf: (publicKey: string) => Uint8Array): SignedTransaction {
  const { version } = transaction
  const made = new Transaction({ version, disableScriptCheck: true, allowUnknownOutputs: true })
  for (const { txid, index, sequence, nonWitnessUtxo, witnessUtxo } of inputsOf(transaction)) {
    made.addInput({
      txid: required(txid, 'id'),
      index: required(index, 'index'),
      ...(sequence !== undefined && { sequence }),
      ...(nonWitnessUtxo !== undefined && { nonWitnessUtxo }),
      ...(witnessUtxo !== undefined && { witnessUtxo }),
    })
  }
  for (const { script, amount } of outputsOf(transaction))
    made.addOutput({ script: required(script, 'script'), amount: required(amount, 'amount') })
  for (const [position, input] of inputsOf(transaction).entries())
    made.signIdx(keyOf(keyIn(input.bip32Derivation).publicKey), position, [SigHash.ALL])
  made.finalize()
  return { txHash: made.id, raw: made.hex }
}

/** Maximum size of a signature with its sighash type (72 bytes) and a key (33), each with a length byte. */
const spentByBytes = 107

/**
 * Returns the maximum virtual size of the signed transaction, in which four witness bytes count as one (BIP
 * 141).
 */
function vbytesOf(inputs: number, outputs: readonly SpendOutput[], hasWitness: boolean): number {
  const paid = outputs.map(({ script }) => 8 + countBytes(script.length / 2) + script.length / 2)
  const framed = 8 + countBytes(inputs) + 41 * inputs + countBytes(outputs.length)
  const base = framed + paid.reduce((total, bytes) => total + bytes, 0)
  // The witness part also has the marker, the flag, and a count of witness items for each input.
  if (hasWitness) return Math.ceil((4 * base + 2 + inputs * (1 + spentByBytes)) / 4)
  return base + inputs * spentByBytes
}

/** Returns the number of bytes in which a count is encoded ("compact size" of Bitcoin). */
function countBytes(count: number): number {
  return count < 0xfd ? 1 : 3
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
