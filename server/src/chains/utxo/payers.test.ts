import { p2pkh, p2sh, p2tr, p2wpkh, p2wsh, Script } from '@scure/btc-signer'
import { pubECDSA, pubSchnorr } from '@scure/btc-signer/utils.js'
import { describe, expect, it } from 'vitest'
import { addressEncodingOf } from './address-encoding.ts'
import type { RawInput } from './encoding/raw-block.ts'
import { payerReader } from './payers.ts'
import { utxoChains } from './utxo-chains.ts'

const chain = utxoChains.bitcoin.main
const addressEncoding = addressEncodingOf(chain)
const key = new Uint8Array(32).fill(7)
const publicKey = pubECDSA(key)
const signature = Uint8Array.from([0x30, 68, ...new Array(69).fill(1)])
const none = new Uint8Array()
const wpkh = p2wpkh(publicKey, addressEncoding)
const witnessScript = p2pkh(publicKey, addressEncoding)

const nothing = { txid: '', chunks: [], isCoinbase: false, isHogEx: false, outputs: [] }

function payersOf(...inputs: readonly Pick<RawInput, 'script' | 'witness'>[]) {
  const spends = inputs.map((input, index) => ({ ...input, outpoint: `${'ab'.repeat(32)}:${index}` }))
  return payerReader(chain)({ ...nothing, inputs: spends })
}

const byKey = { script: none, witness: [signature, publicKey] }

describe('who pays, by what the inputs show', () => {
  it.each([
    [
      'P2PKH',
      { script: Script.encode([signature, publicKey]), witness: [] },
      p2pkh(publicKey, addressEncoding),
    ],
    ['P2WPKH', byKey, wpkh],
    [
      'P2SH with a P2WPKH',
      { script: Script.encode([wpkh.script]), witness: byKey.witness },
      p2sh(wpkh, addressEncoding),
    ],
    [
      'P2SH',
      { script: Script.encode([signature, publicKey, witnessScript.script]), witness: [] },
      p2sh(witnessScript, addressEncoding),
    ],
    [
      'P2WSH',
      { script: none, witness: [signature, publicKey, witnessScript.script] },
      p2wsh(witnessScript, addressEncoding),
    ],
  ])('%s', (_, input, output) => {
    expect(payersOf(input)).toEqual([output.address])
  })

  it('is not shown by taproot, by key or by script, nor by a script of its own kind', () => {
    const control = Uint8Array.from([0xc0, ...pubSchnorr(key)])
    for (const input of [
      { script: none, witness: [new Uint8Array(64)] },
      { script: none, witness: [witnessScript.script, control] },
      { script: none, witness: [] },
      { script: Uint8Array.from([0x51]), witness: [] },
      { script: none, witness: [witnessScript.script, Uint8Array.from([0x7e, ...pubSchnorr(key)])] },
    ])
      expect(payersOf(byKey, input)).toBeUndefined()
    expect(p2tr(pubSchnorr(key), undefined, addressEncoding).type).toBe('tr')
  })

  it('is not shown by a signature alone, as of an output to a bare key or to several', () => {
    expect(payersOf({ script: Script.encode([signature]), witness: [] })).toBeUndefined()
    expect(payersOf({ script: Script.encode(['OP_0', signature, signature]), witness: [] })).toBeUndefined()
  })

  it('is each of several once', () => {
    const legacy = { script: Script.encode([signature, publicKey]), witness: [] }
    expect(payersOf(byKey, legacy, byKey)).toEqual([wpkh.address, p2pkh(publicKey, addressEncoding).address])
  })
})
