import { HARDENED_OFFSET, HDKey } from '@scure/bip32'
import { p2pkh, RawTx, Transaction } from '@scure/btc-signer'
import { Psbt } from 'bitcoinjs-lib'
import { expect, it } from 'vitest'
import { required } from '../../../core/assert.ts'
import { networks } from '../../networks.ts'
import { addressEncodingOf } from '../address-encoding.ts'
import type { UtxoDraft } from '../utxo-port.ts'
import { utxoCodec } from './utxo-codec.ts'
import { utxoDraftsOf } from './utxo-drafts.ts'

const { chain } = networks.dogecoin
const drafts = utxoDraftsOf(networks.dogecoin)
const root = HDKey.fromMasterSeed(Buffer.alloc(32, 7))
const xpubs = {
  0: root.derive("m/44'/3'/0'").publicExtendedKey,
  1: root.derive("m/44'/3'/1'").publicExtendedKey,
}
const amountMinor = 25n * 10n ** 8n

function keyAt(path: string) {
  const { publicKey, privateKey } = root.derive(path)
  return {
    publicKey: required(publicKey, 'public key'),
    privateKey: required(privateKey, 'private key'),
  }
}

const deposit = keyAt("m/44'/3'/0'/5/9")
const own = p2pkh(deposit.publicKey, addressEncodingOf(chain))
const change = p2pkh(keyAt("m/44'/3'/1'/1/2").publicKey, addressEncodingOf(chain))

/** Returns a transaction that spends a foreign P2PKH output and pays our deposit address. */
function previousTransactionOf(lockTime: number) {
  const bytes = RawTx.encode({
    version: 1,
    segwitFlag: false,
    witnesses: undefined,
    lockTime,
    inputs: [
      {
        txid: Buffer.alloc(32, 1),
        index: 0,
        sequence: 0xffffffff,
        finalScriptSig: Buffer.alloc(107, 1),
      },
    ],
    outputs: [{ amount: amountMinor, script: own.script }],
  })
  const { id } = Transaction.fromRaw(bytes, { allowUnknownInputs: true })
  return { outpoint: `${id}:0`, previousTransaction: Buffer.from(bytes).toString('hex') }
}

function draftOf(inputs: number): UtxoDraft {
  return {
    inputs: Array.from({ length: inputs }, (_, lockTime) => ({
      ...previousTransactionOf(lockTime),
      amountMinor,
      key: { account: 0, branch: 5, index: 9 },
    })),
    outputs: [
      { address: 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', amountMinor: 10n ** 9n, key: undefined },
      {
        address: required(change.address, 'address'),
        amountMinor: 14n * 10n ** 8n,
        key: { account: 1, branch: 1, index: 2 },
      },
    ],
  }
}

it('a Dogecoin transaction is drafted as BIP 174 has it without witnesses, as a second library reads it', () => {
  const psbt = Psbt.fromBase64(drafts.toPsbt(draftOf(2), xpubs))
  expect(psbt.version).toBe(1)
  const [first] = psbt.data.inputs
  expect(first?.witnessUtxo).toBeUndefined()
  expect(Buffer.from(first?.nonWitnessUtxo ?? []).toString('hex')).toBe(
    previousTransactionOf(0).previousTransaction,
  )
  expect(first?.bip32Derivation).toMatchObject([{ path: "m/44'/3'/0'/5/9" }])
  expect(psbt.data.outputs[1]?.bip32Derivation).toMatchObject([{ path: "m/44'/3'/1'/1/2" }])
  const addresses = psbt.txOutputs.map(({ script }) => Buffer.from(script).toString('hex'))
  const codec = utxoCodec(chain)
  expect(addresses).toEqual(draftOf(2).outputs.map(({ address }) => codec.scriptOf(address)))
})

it('is read back as it was drafted', () => {
  const draft = draftOf(3)
  expect(drafts.readPsbt(drafts.toPsbt(draft, xpubs))).toEqual(draft)
  const [path] = utxoCodec(chain)
    .parse(drafts.toPsbt(draft, xpubs))
    .inputs.map((input) => input.path)
  expect(path).toEqual([44, 3, 0].map((step) => step + HARDENED_OFFSET).concat(5, 9))
})

it('weighs what it is drafted to weigh once it is signed, but for shorter signatures and counts', () => {
  for (const inputs of [1, 30]) {
    const draft = draftOf(inputs)
    const { raw } = utxoCodec(chain).sign(drafts.toPsbt(draft, xpubs), () => deposit.privateKey)
    const outputs = draft.outputs.reduce((weight, { address }) => weight + drafts.outputWeight(address), 0)
    const bytes = (drafts.emptyWeight + inputs * drafts.inputWeight + outputs) / 4
    expect(bytes - raw.length / 2).toBeGreaterThanOrEqual(0)
    expect(bytes - raw.length / 2).toBeLessThanOrEqual(2 + 2 * inputs)
  }
})

it('cannot be drafted without what made its coins', () => {
  const { previousTransaction: _, ...unshown } = required(draftOf(1).inputs[0], 'input')
  expect(() => drafts.toPsbt({ ...draftOf(1), inputs: [unshown] }, xpubs)).toThrow(
    'the previous transaction of a UTXO',
  )
})
