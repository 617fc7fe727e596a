/** Transactions of the UTXO family before they are signed: their weight, and their form between planner and signer. */
import { HARDENED_OFFSET, HDKey } from '@scure/bip32'
import { Address, OutScript, p2wpkh, Transaction } from '@scure/btc-signer'
import { assert, required } from '../../core/assert.ts'
import type { AccountXpubs, CoinDraft, CoinDrafts, DraftInput, DraftOutput, KeyPlace } from '../coin-port.ts'
import type { UtxoNetwork } from '../networks.ts'
import type { UtxoChain } from '../utxo-chains.ts'
import { scriptReader, spellingOf } from './spelling.ts'

/** Weight of a byte that is no witness (BIP 141). */
const byteWeight = 4
/** Outpoint, length of the empty script, sequence; in the witness a count, a signature and a key with their lengths. */
const witnessInputWeight = (36 + 1 + 4) * byteWeight + (1 + 1 + 72 + 1 + 33)
/** Version, lock time, both counts with room for many inputs; marker and flag. */
const emptyWeight = (4 + 4 + 3 + 1) * byteWeight + 2
/** Replaceable (BIP 125), which where nodes replace nothing says nothing. */
const sequence = 0xfffffffd

/** Undefined where the chain has no witnesses: what an old input is worth only the whole transaction before it shows. */
export function coinDraftsOf(network: UtxoNetwork): CoinDrafts | undefined {
  const { name, chain } = network
  if (chain.bech32 === undefined) return undefined
  const address = Address(spellingOf(chain))
  const scriptOf = (text: string) => OutScript.encode(address.decode(text))
  return {
    network: name,
    inputWeight: witnessInputWeight,
    emptyWeight,
    outputWeight: (text) => (8 + 1 + scriptOf(text).length) * byteWeight,
    toPsbt: (draft, xpubs) => toPsbt(chain, draft, { scriptOf, keyOf: keyReader(xpubs) }),
    readPsbt: (psbt) => readPsbt(chain, psbt),
  }
}

interface Tools {
  scriptOf(address: string): Uint8Array
  keyOf(place: KeyPlace): Uint8Array
}

function toPsbt(chain: UtxoChain, { inputs, outputs }: CoinDraft, { scriptOf, keyOf }: Tools): string {
  const transaction = new Transaction()
  for (const { outpoint, amountMinor, key } of inputs) {
    const [txid = '', vout = ''] = outpoint.split(':')
    const publicKey = keyOf(key)
    const { script } = p2wpkh(publicKey, spellingOf(chain))
    transaction.addInput({
      ...{ txid, index: Number(vout), sequence },
      witnessUtxo: { script, amount: amountMinor },
      bip32Derivation: [[publicKey, derivationOf(chain, key)]],
    })
  }
  for (const { address, amountMinor, key } of outputs) {
    transaction.addOutput({
      ...{ script: scriptOf(address), amount: amountMinor },
      ...(key !== undefined && { bip32Derivation: [[keyOf(key), derivationOf(chain, key)]] }),
    })
  }
  return Buffer.from(transaction.toPSBT(0)).toString('base64')
}

/** The fingerprint of the seed is the signer's alone. */
function derivationOf({ coinType }: UtxoChain, { account, branch, index }: KeyPlace) {
  const hardened = [84, coinType, account].map((step) => step + HARDENED_OFFSET)
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
    const { txid, index, witnessUtxo, bip32Derivation } = transaction.getInput(place)
    assert(txid !== undefined && witnessUtxo !== undefined, 'an input says what it spends')
    return {
      outpoint: `${Buffer.from(txid).toString('hex')}:${index}`,
      amountMinor: witnessUtxo.amount,
      key: required(keyPlaceOf(bip32Derivation), 'the path of an input'),
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

type Derivations = ReturnType<Transaction['getInput']>['bip32Derivation']

function keyPlaceOf(derivations: Derivations): KeyPlace | undefined {
  const path = derivations?.[0]?.[1].path
  if (path === undefined) return undefined
  const [account, branch, index] = [(path[2] ?? 0) - HARDENED_OFFSET, path[3], path[4]]
  assert(path.length === 5 && (account === 0 || account === 1), 'a path is one of our own')
  return { account, branch: required(branch, 'branch'), index: required(index, 'index') }
}
