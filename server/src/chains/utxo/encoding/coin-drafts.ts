/** Transactions of the UTXO family before they are signed: their weight, and their form between planner and signer. */
import { HARDENED_OFFSET, HDKey } from '@scure/bip32'
import { Address, OutScript, p2wpkh, Transaction } from '@scure/btc-signer'
import { RawOldTx } from '@scure/btc-signer/script.js'
import { assert, required } from '../../../core/assert.ts'
import type { UtxoNetwork } from '../../networks.ts'
import { NodeError } from '../../port.ts'
import type {
  AccountXpubs,
  CoinDraft,
  CoinDrafts,
  CoinTransaction,
  DraftInput,
  DraftOutput,
  KeyPlace,
} from '../coin-port.ts'
import { scriptReader, spellingOf } from '../spelling.ts'
import type { UtxoChain } from '../utxo-chains.ts'
import { readRawTransaction } from './raw-block.ts'
import { readSignedCoins } from './read-signed.ts'

/** Weight of a byte that is no witness (BIP 141). */
const byteWeight = 4
/** Outpoint, length of a script, sequence. */
const spentBytes = 36 + 1 + 4
/** A signature and a key with their lengths. */
const shownBytes = 1 + 72 + 1 + 33
/** Version, lock time, both counts with room for many inputs. */
const emptyBytes = 4 + 4 + 3 + 1
/** Replaceable (BIP 125), which where nodes replace nothing says nothing. */
const sequence = 0xfffffffd

/** With what is in a witness where the chain has them: its count beside it, and the marker and flag of the whole. */
const witnessWeights = {
  inputWeight: spentBytes * byteWeight + 1 + shownBytes,
  emptyWeight: emptyBytes * byteWeight + 2,
}
const plainWeights = {
  inputWeight: (spentBytes + shownBytes) * byteWeight,
  emptyWeight: emptyBytes * byteWeight,
}

export function coinDraftsOf(network: UtxoNetwork): CoinDrafts {
  const { name, chain } = network
  const hasWitness = chain.bech32 !== undefined
  const address = Address(spellingOf(chain))
  const scriptOf = (text: string) => OutScript.encode(address.decode(text))
  return {
    network: name,
    needsMakers: !hasWitness,
    ...(hasWitness ? witnessWeights : plainWeights),
    outputWeight: (text) => (8 + 1 + scriptOf(text).length) * byteWeight,
    toPsbt: (draft, xpubs) => toPsbt(chain, draft, { scriptOf, keyOf: keyReader(xpubs) }),
    readPsbt: (psbt) => readPsbt(chain, psbt),
    readRaw: (txHash, raw) => readRaw(chain, txHash, raw),
    readSigned: (psbt, raw) => readSignedCoins(chain, psbt, raw),
  }
}

interface Tools {
  scriptOf(address: string): Uint8Array
  keyOf(place: KeyPlace): Uint8Array
}

function toPsbt(chain: UtxoChain, { inputs, outputs }: CoinDraft, { scriptOf, keyOf }: Tools): string {
  // Dogecoin Core makes no transactions of version 2; where there are witnesses, all do.
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

/** The output that is spent, or all that was made with it where there are no witnesses. */
function spentIn(chain: UtxoChain, publicKey: Uint8Array, { amountMinor, maker }: DraftInput) {
  if (chain.bech32 !== undefined)
    return { witnessUtxo: { script: p2wpkh(publicKey, spellingOf(chain)).script, amount: amountMinor } }
  return { nonWitnessUtxo: Buffer.from(required(maker, 'the transaction that made a coin'), 'hex') }
}

/** The fingerprint of the seed is the signer's alone. */
function derivationOf({ bech32, coinType }: UtxoChain, { account, branch, index }: KeyPlace) {
  const hardened = [bech32 === undefined ? 44 : 84, coinType, account].map((step) => step + HARDENED_OFFSET)
  return { fingerprint: 0, path: [...hardened, branch, index] }
}

function keyReader(xpubs: AccountXpubs): (place: KeyPlace) => Uint8Array {
  return ({ account, branch, index }) => {
    const { publicKey } = HDKey.fromExtendedKey(xpubs[account]).deriveChild(branch).deriveChild(index)
    return required(publicKey, 'public key')
  }
}

function readPsbt(chain: UtxoChain, psbt: string): CoinDraft {
  const transaction = Transaction.fromPSBT(Buffer.from(psbt, 'base64'))
  const addressOf = scriptReader(chain)
  const inputs = Array.from({ length: transaction.inputsLength }, (_, place): DraftInput => {
    const { txid, index = 0, witnessUtxo, nonWitnessUtxo, bip32Derivation } = transaction.getInput(place)
    const spent = nonWitnessUtxo?.outputs[index] ?? witnessUtxo
    assert(txid !== undefined && spent !== undefined, 'an input says what it spends')
    return {
      outpoint: `${Buffer.from(txid).toString('hex')}:${index}`,
      amountMinor: spent.amount,
      key: required(keyPlaceOf(bip32Derivation), 'the path of an input'),
      ...(nonWitnessUtxo !== undefined && {
        maker: Buffer.from(RawOldTx.encode(nonWitnessUtxo)).toString('hex'),
      }),
    }
  })
  const outputs = Array.from({ length: transaction.outputsLength }, (_, place): DraftOutput => {
    const { script, amount, bip32Derivation } = transaction.getOutput(place)
    const address = script && addressOf(script)
    assert(address !== undefined && amount !== undefined, 'an output has an address and an amount')
    return { address, amountMinor: amount, key: keyPlaceOf(bip32Derivation) }
  })
  return { inputs, outputs }
}

function readRaw(chain: UtxoChain, txHash: string, raw: string): CoinTransaction {
  const { txid, inputs, outputs } = readRawTransaction(raw)
  if (txid !== txHash) throw new NodeError(`the bytes of ${txHash} are of ${txid}`)
  const addressOf = scriptReader(chain)
  return {
    outpoints: inputs.map(({ outpoint }) => outpoint),
    outputs: outputs.map(({ script, amountMinor }) => ({ address: addressOf(script), amountMinor })),
  }
}

type Derivations = ReturnType<Transaction['getInput']>['bip32Derivation']

function keyPlaceOf(derivations: Derivations): KeyPlace | undefined {
  const path = derivations?.[0]?.[1].path
  if (path === undefined) return undefined
  const account = (path[2] ?? 0) - HARDENED_OFFSET
  const branch = path[3]
  const index = path[4]
  assert(path.length === 5 && (account === 0 || account === 1), 'a path is one of our own')
  return { account, branch: required(branch, 'branch'), index: required(index, 'index') }
}
