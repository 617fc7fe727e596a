/**
 * Computes the weights of unsigned UTXO transactions, and converts these transactions to PSBTs. Planner and
 * signer exchange PSBTs.
 */
import { HARDENED_OFFSET, HDKey } from '@scure/bip32'
import { Address, OutScript, p2wpkh, Transaction } from '@scure/btc-signer'
import { RawOldTx } from '@scure/btc-signer/script.js'
import { assert, required } from '../../../core/assert.ts'
import type { UtxoNetwork } from '../../networks.ts'
import { NodeError } from '../../port.ts'
import { addressEncodingOf, scriptReader } from '../address-encoding.ts'
import type { UtxoChain } from '../utxo-chains.ts'
import type {
  AccountKeyPath,
  AccountXpubs,
  DraftInput,
  DraftOutput,
  UtxoDraft,
  UtxoDrafts,
  UtxoTransaction,
} from '../utxo-port.ts'
import { readRawTransaction } from './raw-block.ts'
import { readSignedTransaction } from './read-signed.ts'

/** Weight of a byte outside the witness (BIP 141). */
const byteWeight = 4
/** Size of an input without signature and key: outpoint, length of the script, sequence. */
const spentBytes = 36 + 1 + 4
/** Size of a signature and a public key, each with a length byte. */
const shownBytes = 1 + 72 + 1 + 33
/**
 * Size of a transaction without inputs and outputs: version, lock time, count of inputs (three bytes, for
 * many inputs) and count of outputs.
 */
const emptyBytes = 4 + 4 + 3 + 1
/** Sequence that marks a transaction as replaceable (BIP 125). Nodes that replace nothing ignore the mark. */
const sequence = 0xfffffffd

/**
 * Weights on chains with SegWit. Each input adds a count of its witness items, and the transaction adds the
 * marker and the flag.
 */
const witnessWeights = {
  inputWeight: spentBytes * byteWeight + 1 + shownBytes,
  emptyWeight: emptyBytes * byteWeight + 2,
}
const plainWeights = {
  inputWeight: (spentBytes + shownBytes) * byteWeight,
  emptyWeight: emptyBytes * byteWeight,
}

export function utxoDraftsOf(network: UtxoNetwork): UtxoDrafts {
  const { name, chain } = network
  const hasWitness = chain.bech32 !== undefined
  const address = Address(addressEncodingOf(chain))
  const scriptOf = (text: string) => OutScript.encode(address.decode(text))
  return {
    network: name,
    needsPreviousTransactions: !hasWitness,
    ...(hasWitness ? witnessWeights : plainWeights),
    outputWeight: (text) => (8 + 1 + scriptOf(text).length) * byteWeight,
    toPsbt: (draft, xpubs) => toPsbt(chain, draft, { scriptOf, keyOf: keyReader(xpubs) }),
    readPsbt: (psbt) => readPsbt(chain, psbt),
    readRaw: (txHash, raw) => readRaw(chain, txHash, raw),
    readSigned: (psbt, raw) => readSignedTransaction(chain, psbt, raw),
  }
}

interface Tools {
  scriptOf(address: string): Uint8Array
  keyOf(path: AccountKeyPath): Uint8Array
}

function toPsbt(chain: UtxoChain, { inputs, outputs }: UtxoDraft, { scriptOf, keyOf }: Tools): string {
  // The version is the one that the chain's own Core software uses: 1 on Dogecoin, 2 on chains with SegWit.
  const transaction = new Transaction({ version: chain.bech32 === undefined ? 1 : 2 })
  for (const input of inputs) {
    const [txid = '', vout = ''] = input.outpoint.split(':')
    const publicKey = keyOf(input.key)
    transaction.addInput({
      txid,
      index: Number(vout),
      sequence,
      ...spentIn(chain, publicKey, input),
      bip32Derivation: [[publicKey, derivationOf(chain, input.key)]],
    })
  }
  for (const { address, amountMinor, key } of outputs) {
    transaction.addOutput({
      script: scriptOf(address),
      amount: amountMinor,
      ...(key !== undefined && { bip32Derivation: [[keyOf(key), derivationOf(chain, key)]] }),
    })
  }
  return Buffer.from(transaction.toPSBT(0)).toString('base64')
}

/**
 * Returns the spent output; on chains without SegWit, returns the whole transaction that created the output.
 */
function spentIn(chain: UtxoChain, publicKey: Uint8Array, { amountMinor, previousTransaction }: DraftInput) {
  if (chain.bech32 !== undefined)
    return {
      witnessUtxo: { script: p2wpkh(publicKey, addressEncodingOf(chain)).script, amount: amountMinor },
    }
  return {
    nonWitnessUtxo: Buffer.from(required(previousTransaction, 'the previous transaction of a UTXO'), 'hex'),
  }
}

/**
 * Returns a key's derivation path in the form that a PSBT contains. The master key's fingerprint is 0,
 * because only the signer knows the master key.
 */
function derivationOf({ bech32, coinType }: UtxoChain, { account, branch, index }: AccountKeyPath) {
  const hardened = [bech32 === undefined ? 44 : 84, coinType, account].map((step) => step + HARDENED_OFFSET)
  return { fingerprint: 0, path: [...hardened, branch, index] }
}

function keyReader(xpubs: AccountXpubs): (path: AccountKeyPath) => Uint8Array {
  return ({ account, branch, index }) => {
    const { publicKey } = HDKey.fromExtendedKey(xpubs[account]).deriveChild(branch).deriveChild(index)
    return required(publicKey, 'public key')
  }
}

function readPsbt(chain: UtxoChain, psbt: string): UtxoDraft {
  const transaction = Transaction.fromPSBT(Buffer.from(psbt, 'base64'))
  const addressOf = scriptReader(chain)
  const inputs = Array.from({ length: transaction.inputsLength }, (_, inputIndex): DraftInput => {
    const { txid, index = 0, witnessUtxo, nonWitnessUtxo, bip32Derivation } = transaction.getInput(inputIndex)
    const spent = nonWitnessUtxo?.outputs[index] ?? witnessUtxo
    assert(txid !== undefined && spent !== undefined, 'an input states the UTXO that it spends')
    return {
      outpoint: `${Buffer.from(txid).toString('hex')}:${index}`,
      amountMinor: spent.amount,
      key: required(accountKeyPathOf(bip32Derivation), 'the path of an input'),
      ...(nonWitnessUtxo !== undefined && {
        previousTransaction: Buffer.from(RawOldTx.encode(nonWitnessUtxo)).toString('hex'),
      }),
    }
  })
  const outputs = Array.from({ length: transaction.outputsLength }, (_, outputIndex): DraftOutput => {
    const { script, amount, bip32Derivation } = transaction.getOutput(outputIndex)
    const address = script && addressOf(script)
    assert(address !== undefined && amount !== undefined, 'an output has an address and an amount')
    return { address, amountMinor: amount, key: accountKeyPathOf(bip32Derivation) }
  })
  return { inputs, outputs }
}

function readRaw(chain: UtxoChain, txHash: string, raw: string): UtxoTransaction {
  const { txid, inputs, outputs } = readRawTransaction(raw)
  if (txid !== txHash) throw new NodeError(`the bytes of ${txHash} belong to ${txid}`)
  const addressOf = scriptReader(chain)
  return {
    outpoints: inputs.map(({ outpoint }) => outpoint),
    outputs: outputs.map(({ script, amountMinor }) => ({ address: addressOf(script), amountMinor })),
  }
}

type Derivations = ReturnType<Transaction['getInput']>['bip32Derivation']

function accountKeyPathOf(derivations: Derivations): AccountKeyPath | undefined {
  const path = derivations?.[0]?.[1].path
  if (path === undefined) return undefined
  const account = (path[2] ?? 0) - HARDENED_OFFSET
  const branch = path[3]
  const index = path[4]
  assert(path.length === 5 && (account === 0 || account === 1), 'a path is one of our own')
  return { account, branch: required(branch, 'branch'), index: required(index, 'index') }
}
