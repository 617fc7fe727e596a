import { HDKey } from '@scure/bip32'
import { Address, RawTx, Transaction } from '@scure/btc-signer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { required } from '../../../core/assert.ts'
import { networks } from '../../networks.ts'
import { SignedBytesError } from '../../port.ts'
import { addressEncodingOf } from '../address-encoding.ts'
import type { UtxoDraft } from '../utxo-port.ts'
import { readTransactionId, utxoCodec } from './utxo-codec.ts'
import { utxoDraftsOf } from './utxo-drafts.ts'

const root = HDKey.fromMasterSeed(Buffer.alloc(32, 9))

describe.each([networks.litecoin, networks.dogecoin])('what came back from a signer of $name', (network) => {
  const { chain } = network
  const drafts = utxoDraftsOf(network)
  const codec = utxoCodec(chain)
  const purpose = chain.bech32 === undefined ? 44 : 84
  const account = (number: number) => root.derive(`m/${purpose}'/${chain.coinType}'/${number}'`)
  const xpubs = { 0: account(0).publicExtendedKey, 1: account(1).publicExtendedKey }
  const keyAt = (index: number) => account(0).deriveChild(5).deriveChild(index)
  const scriptAt = (index: number) =>
    Buffer.from(
      codec.scriptOfKey(Buffer.from(required(keyAt(index).publicKey, 'key')).toString('hex')),
      'hex',
    )
  const external = Address(addressEncodingOf(chain)).encode({ type: 'pkh', hash: Buffer.alloc(20, 3) })

  /** Returns a draft that spends UTXOs of one amount, each with its own key and previous transaction. */
  function draftOf(inputs: number, paidMinor = 10n ** 8n): UtxoDraft {
    return {
      inputs: Array.from({ length: inputs }, (_, index) => {
        const bytes = RawTx.encode({
          version: 1,
          segwitFlag: false,
          witnesses: undefined,
          lockTime: index,
          inputs: [
            {
              txid: Buffer.alloc(32, 1),
              index: 0,
              sequence: 0xffffffff,
              finalScriptSig: Buffer.alloc(107, 1),
            },
          ],
          outputs: [{ amount: 10n ** 8n, script: scriptAt(index) }],
        })
        const { id } = Transaction.fromRaw(bytes, { allowUnknownInputs: true, allowUnknownOutputs: true })
        const previousTransaction = drafts.needsPreviousTransactions
          ? { previousTransaction: Buffer.from(bytes).toString('hex') }
          : {}
        return {
          outpoint: `${id}:0`,
          amountMinor: 10n ** 8n,
          key: { account: 0, branch: 5, index },
          ...previousTransaction,
        }
      }),
      outputs: [{ address: external, amountMinor: paidMinor, key: undefined }],
    }
  }

  const psbtOf = (draft: UtxoDraft) => drafts.toPsbt(draft, xpubs)
  const sign = (psbt: string, keyOf = ownKey) => codec.sign(psbt, keyOf)

  function ownKey(publicKey: string): Uint8Array {
    const found = [0, 1, 2]
      .map(keyAt)
      .find((key) => Buffer.from(key.publicKey ?? []).toString('hex') === publicKey)
    return required(found?.privateKey, 'private key')
  }

  it('is read as the id that the chain gives it, each input signed with its own key', () => {
    for (const inputs of [1, 3]) {
      const psbt = psbtOf(draftOf(inputs))
      const { txHash, raw } = sign(psbt)
      expect(drafts.readSigned(psbt, raw)).toBe(txHash)
      expect(readTransactionId(raw)).toBe(txHash)
    }
  })

  it('is refused where it pays or spends something else than was asked', () => {
    const psbt = psbtOf(draftOf(2))
    const others = [draftOf(1), draftOf(3), draftOf(2, 10n ** 8n + 1n)]
    for (const other of others) {
      const { raw } = sign(psbtOf(other))
      expect(() => drafts.readSigned(psbt, raw)).toThrow('differ from the request')
    }
  })

  it('is refused where a signature is missing, or of another key, or of another transaction', () => {
    const psbt = psbtOf(draftOf(2))
    const unsigned = Buffer.from(Transaction.fromPSBT(Buffer.from(psbt, 'base64')).unsignedTx).toString('hex')
    const forms = [unsigned, spliced(sign(psbt).raw, sign(psbtOf(draftOf(2, 5n * 10n ** 7n))).raw)]
    for (const raw of forms)
      expect(() => drafts.readSigned(psbt, raw)).toThrow('is not signed with the requested key')
  })

  /** Returns the transaction `raw` with the signatures of the transaction `from`. */
  function spliced(raw: string, from: string): string {
    const [one, other] = [raw, from].map((hex) => RawTx.decode(Uint8Array.from(Buffer.from(hex, 'hex'))))
    const to = required(one, 'one')
    const by = required(other, 'other')
    const inputs = to.inputs.map((input, inputIndex) => ({
      ...input,
      finalScriptSig: required(by.inputs[inputIndex], 'input').finalScriptSig,
    }))
    return Buffer.from(RawTx.encode({ ...to, inputs, witnesses: by.witnesses })).toString('hex')
  }

  it('is refused with any byte changed, cut, padded or written otherwise', () => {
    const psbt = psbtOf(draftOf(2))
    const { raw } = sign(psbt)
    for (const form of ['', 'zz', raw.slice(2), raw.slice(0, -2), `${raw}00`, raw.toUpperCase()])
      expect(() => drafts.readSigned(psbt, form), form).toThrow(SignedBytesError)
    fc.assert(
      fc.property(fc.nat({ max: raw.length / 2 - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(raw, 'hex')
        bytes[at] = required(bytes[at], 'byte') ^ flip
        expect(() => drafts.readSigned(psbt, bytes.toString('hex'))).toThrow(SignedBytesError)
      }),
      { numRuns: 60 },
    )
  })
})
