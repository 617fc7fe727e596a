/**
 * Transactions of coins as PSBTs of version 0 (BIP 174), read so narrowly that nothing in one is passed over: what is
 * signed is made anew of what was read.
 */
import { Address, OutScript, p2pkh, p2wpkh } from '@scure/btc-signer/payment.js'
import { SigHash, Transaction } from '@scure/btc-signer/transaction.js'
import { required } from '../../../core/assert.ts'
import { SignedBytesError, type SignedTransaction } from '../../port.ts'
import {
  type ClaimedKey,
  type CoinCodec,
  type CoinSpend,
  PsbtError,
  type SpendInput,
  type SpendOutput,
} from '../coin-port.ts'
import { readAddress } from '../read-address.ts'
import { spellingOf } from '../spelling.ts'
import type { UtxoChain } from '../utxo-chains.ts'

export function coinCodec(chain: UtxoChain): CoinCodec {
  const spelling = spellingOf(chain)
  const hasWitness = chain.bech32 !== undefined
  const toKey = hasWitness ? p2wpkh : p2pkh
  return {
    parse: (psbt) => spendIn(readPsbt(psbt), hasWitness),
    sign: (psbt, keyOf) => sign(readPsbt(psbt), keyOf),
    canonical: (address) => {
      const read = readAddress(address, chain)
      return 'address' in read ? read.address : undefined
    },
    scriptOf: (address) => hexOf(OutScript.encode(Address(spelling).decode(address))),
    scriptOfKey: (publicKey) => hexOf(toKey(Buffer.from(publicKey, 'hex'), spelling).script),
  }
}

/** Scripts decide nothing here. */
const anyScripts = { allowUnknownInputs: true, allowUnknownOutputs: true, disableScriptCheck: true }

/**
 * The id of signed bytes, whatever they do.
 * @param raw in hex
 * @throws SignedBytesError unless they are a transaction
 */
export function readTransactionId(raw: string): string {
  try {
    return Transaction.fromRaw(Buffer.from(raw, 'hex'), anyScripts).id
  } catch {
    // What a library says of foreign bytes is nobody's business.
    throw new SignedBytesError('they are no transaction of coins')
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
/** Of BIP 125: lower ones delay a transaction by the age of what it spends (BIP 68). */
const sequenceMin = 0xfffffffd

function readPsbt(psbt: string): Transaction {
  const transaction = decode(psbt)
  const { opts, version, lockTime, inputsLength, outputsLength } = transaction
  if (opts.PSBTVersion !== 0) throw new PsbtError('It is no PSBT of version 0')
  if (version !== 1 && version !== 2) throw new PsbtError('It is of another version than 1 and 2')
  if (lockTime !== 0) throw new PsbtError('It cannot be mined before a time that it names')
  if (inputsLength === 0 || outputsLength === 0) throw new PsbtError('It spends or pays nothing')
  return transaction
}

function decode(psbt: string): Transaction {
  try {
    return Transaction.fromPSBT(Buffer.from(psbt, 'base64'), { unknown: 'strict', proprietary: 'strict' })
  } catch {
    // What a library says of foreign bytes is nobody's business.
    throw new PsbtError('It is no PSBT of ours')
  }
}

function spendIn(transaction: Transaction, hasWitness: boolean): CoinSpend {
  const inputs = inputsOf(transaction).map(inputOf)
  // Their signatures say nothing of amounts.
  if (!hasWitness && !inputs.every(({ isProven }) => isProven))
    throw new PsbtError('An input does not show the whole transaction that made its coin')
  const outputs = outputsOf(transaction).map(outputOf)
  return { inputs, outputs, vbytes: vbytesOf(inputs.length, outputs, hasWitness) }
}

function inputsOf(transaction: Transaction): readonly Input[] {
  return Array.from({ length: transaction.inputsLength }, (_, place) => transaction.getInput(place))
}

function outputsOf(transaction: Transaction): readonly Output[] {
  return Array.from({ length: transaction.outputsLength }, (_, place) => transaction.getOutput(place))
}

function inputOf(input: Input): SpendInput {
  requireFields(input, inputFields)
  const { txid, index, sequence, sighashType, nonWitnessUtxo, witnessUtxo, bip32Derivation } = input
  if (sighashType !== undefined && sighashType !== SigHash.ALL)
    throw new PsbtError('A signature is to be for less than the whole')
  if (sequence !== undefined && sequence < sequenceMin)
    throw new PsbtError('It cannot be mined before what it spends has some age')
  const place = required(index, 'place of an input')
  // The library has seen that it is the transaction of that id.
  const made = nonWitnessUtxo?.outputs[place]
  const spent = made ?? witnessUtxo
  if (spent === undefined) throw new PsbtError('An input does not show the coin that it spends')
  return {
    outpoint: `${hexOf(required(txid, 'id of an input'))}:${place}`,
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
    throw new PsbtError('An input or an output of ours names no key, or several')
  const [publicKey, { path }] = derivation
  return { publicKey: hexOf(publicKey), path }
}

function requireFields(fields: object, allowed: readonly string[]): void {
  const other = Object.entries(fields).find(([name, value]) => value !== undefined && !allowed.includes(name))
  if (other !== undefined) throw new PsbtError('It has a field that none of ours has')
}

function sign(transaction: Transaction, keyOf: (publicKey: string) => Uint8Array): SignedTransaction {
  const { version } = transaction
  const made = new Transaction({ version, disableScriptCheck: true, allowUnknownOutputs: true })
  for (const { txid, index, sequence, nonWitnessUtxo, witnessUtxo } of inputsOf(transaction)) {
    made.addInput({
      txid: required(txid, 'id'),
      index: required(index, 'place'),
      ...(sequence !== undefined && { sequence }),
      ...(nonWitnessUtxo !== undefined && { nonWitnessUtxo }),
      ...(witnessUtxo !== undefined && { witnessUtxo }),
    })
  }
  for (const { script, amount } of outputsOf(transaction))
    made.addOutput({ script: required(script, 'script'), amount: required(amount, 'amount') })
  for (const [place, input] of inputsOf(transaction).entries())
    made.signIdx(keyOf(keyIn(input.bip32Derivation).publicKey), place, [SigHash.ALL])
  made.finalize()
  return { txHash: made.id, raw: made.hex }
}

/** A signature with its kind of hash has at most 72 bytes, a key 33; both come with their lengths. */
const spentByBytes = 107

/** BIP 141: what is no witness counts four times. */
function vbytesOf(inputs: number, outputs: readonly SpendOutput[], hasWitness: boolean): number {
  const paid = outputs.map(({ script }) => 8 + countBytes(script.length / 2) + script.length / 2)
  const framed = 8 + countBytes(inputs) + 41 * inputs + countBytes(outputs.length)
  const base = framed + paid.reduce((total, bytes) => total + bytes, 0)
  // The marker and the flag, and for each input the count of what is in its witness.
  if (hasWitness) return Math.ceil((4 * base + 2 + inputs * (1 + spentByBytes)) / 4)
  return base + inputs * spentByBytes
}

/** Bitcoin's "compact size". */
function countBytes(count: number): number {
  return count < 0xfd ? 1 : 3
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
