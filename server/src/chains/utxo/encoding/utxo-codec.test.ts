import { randomBytes } from 'node:crypto'
import { p2wpkh, Transaction } from '@scure/btc-signer'
import { pubECDSA, randomPrivateKeyBytes } from '@scure/btc-signer/utils.js'
import { Transaction as SecondTransaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressEncodingOf } from '../address-encoding.ts'
import { utxoChains } from '../utxo-chains.ts'
import { PsbtError } from '../utxo-port.ts'
import { utxoCodec } from './utxo-codec.ts'

const bitcoin = utxoCodec(utxoChains.bitcoin.main)

describe('BIP 174, of its test vectors', () => {
  it.each([
    [
      'Network transaction, not PSBT format',
      '0200000001268171371edff285e937adeea4b37b78000c0566cbb3ad64641713ca42171bf6000000006a473044022070b2245123e6bf474d60c5b50c043d4c691a5d2435f09a34a7662a9dc251790a022001329ca9dacf280bdf30740ec0390422422c81cb45839457aeb76fc12edd95b3012102657d118d3357b8e0f4c2cd46db7b39f6d9c38d9a70abcb9b2de5dc8dbfe4ce31feffffff02d3dff505000000001976a914d0c59903c5bac2868760e90fd521a4665aa7652088ac00e1f5050000000017a9143545e6e33b832c47050f24d3eeb93c9c03948bc787b32e1300',
    ],
    [
      'PSBT where one input has a filled scriptSig in the unsigned tx',
      '70736274ff0100fd0a010200000002ab0949a08c5af7c49b8212f417e2f15ab3f5c33dcf153821a8139f877a5b7be4000000006a47304402204759661797c01b036b25928948686218347d89864b719e1f7fcf57d1e511658702205309eabf56aa4d8891ffd111fdf1336f3a29da866d7f8486d75546ceedaf93190121035cdc61fc7ba971c0b501a646a2a83b102cb43881217ca682dc86e2d73fa88292feffffffab0949a08c5af7c49b8212f417e2f15ab3f5c33dcf153821a8139f877a5b7be40100000000feffffff02603bea0b000000001976a914768a40bbd740cbe81d988e71de2a4d5c71396b1d88ac8e240000000000001976a9146f4620b553fa095e721b9ee0efe9fa039cca459788ac00000000000001012000e1f5050000000017a9143545e6e33b832c47050f24d3eeb93c9c03948bc787010416001485d13537f2e265405a34dbafa9e3dda01fb82308000000',
    ],
    [
      'PSBT with unknown types in the inputs',
      '70736274ff01003f0200000001ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000000000ffffffff010000000000000000036a010000000000000af00102030405060708090f0102030405060708090a0b0c0d0e0f0000',
    ],
    [
      'PSBT with global unsigned tx that has 0 inputs and 0 outputs',
      '70736274ff01000a0000000000000000000000',
    ],
    [
      'PSBT with 0 inputs',
      '70736274ff01004c020000000002d3dff505000000001976a914d0c59903c5bac2868760e90fd521a4665aa7652088ac00e1f5050000000017a9143545e6e33b832c47050f24d3eeb93c9c03948bc787b32e1300000000',
    ],
    [
      'A Witness UTXO is provided for a non-witness input',
      '70736274ff0100a00200000002ab0949a08c5af7c49b8212f417e2f15ab3f5c33dcf153821a8139f877a5b7be40000000000feffffffab0949a08c5af7c49b8212f417e2f15ab3f5c33dcf153821a8139f877a5b7be40100000000feffffff02603bea0b000000001976a914768a40bbd740cbe81d988e71de2a4d5c71396b1d88ac8e240000000000001976a9146f4620b553fa095e721b9ee0efe9fa039cca459788ac0000000000010122d3dff505000000001976a914d48ed3110b94014cb114bd32d6f4d066dc74256b88ac0001012000e1f5050000000017a9143545e6e33b832c47050f24d3eeb93c9c03948bc787010416001485d13537f2e265405a34dbafa9e3dda01fb8230800220202ead596687ca806043edc3de116cdf29d5e9257c196cd055cf698c8d02bf24e9910b4a6ba670000008000000080020000800022020394f62be9df19952c5587768aeb7698061ad2c4a25c894f47d8c162b4d7213d0510b4a6ba6700000080010000800200008000',
    ],
  ])('BIP 174: %s is refused', (_, hex) => {
    const psbt = Buffer.from(hex, 'hex').toString('base64')
    expect(() => bitcoin.parse(psbt)).toThrow(PsbtError)
  })
})

const seed = randomPrivateKeyBytes()
const addressEncoding = addressEncodingOf(utxoChains.bitcoin.main)
const own = p2wpkh(pubECDSA(seed), addressEncoding)
const publicKey = Buffer.from(pubECDSA(seed)).toString('hex')
const path = [84, 0, 0].map((step) => step + 2 ** 31).concat(7, 8)

const coins = fc.array(fc.bigInt(546n, 21n * 10n ** 14n), { minLength: 1, maxLength: 6 })
const payments = fc.array(
  fc.record({
    script: fc.constantFrom(
      `0014${'31'.repeat(20)}`,
      `0020${'32'.repeat(32)}`,
      `a914${'33'.repeat(20)}87`,
      `76a914${'34'.repeat(20)}88ac`,
    ),
    amountMinor: fc.bigInt(546n, 10n ** 12n),
    hasOwnKey: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
)

describe('a PSBT', () => {
  it('is read as it was written, and signed as it was read, whatever it spends and pays', () => {
    fc.assert(
      fc.property(coins, payments, (amounts, outputs) => {
        const paidMinor = outputs.reduce((total, { amountMinor }) => total + amountMinor, 0n)
        const inputs = [paidMinor, ...amounts].map((amountMinor, index) => ({
          outpoint: `${randomBytes(32).toString('hex')}:${index}`,
          amountMinor,
        }))
        const psbt = written(inputs, outputs)
        const spend = bitcoin.parse(psbt)
        expect(spend.inputs).toEqual(
          inputs.map((input) => ({
            ...input,
            path,
            publicKey,
            isProven: false,
            script: Buffer.from(own.script).toString('hex'),
          })),
        )
        expect(spend.outputs).toEqual(
          outputs.map(({ hasOwnKey, ...output }) => ({
            ...output,
            key: hasOwnKey ? { path, publicKey } : undefined,
          })),
        )
        const { raw, txHash } = bitcoin.sign(psbt, () => seed)
        const second = SecondTransaction.fromHex(raw)
        expect(second.getId()).toBe(txHash)
        expect(second.outs.map(({ script, value }) => [Buffer.from(script).toString('hex'), value])).toEqual(
          outputs.map(({ script, amountMinor }) => [script, amountMinor]),
        )
        // Real signatures are usually one or two bytes shorter than the maximum size.
        expect(spend.vbytes).toBeGreaterThanOrEqual(second.virtualSize())
        expect(spend.vbytes - second.virtualSize()).toBeLessThanOrEqual(1 + inputs.length)
      }),
      { numRuns: 12 },
    )
  })

  it('that was cut or changed anywhere is none, or another, and never ends in anything else', () => {
    const whole = Buffer.from(
      written(
        [{ outpoint: `${'ab'.repeat(32)}:1`, amountMinor: 10_000n }],
        [{ script: `0014${'31'.repeat(20)}`, amountMinor: 9_000n, hasOwnKey: true }],
      ),
      'base64',
    )
    for (let at = 0; at < whole.length; at += 1) {
      for (const bytes of [whole.subarray(0, at), whole.with(at, (whole[at] ?? 0) ^ 0x41)])
        expect(parsedOrRefused(Buffer.from(bytes))).toBe(true)
    }
  })
})

function written(
  inputs: readonly { readonly outpoint: string; readonly amountMinor: bigint }[],
  outputs: readonly { readonly script: string; readonly amountMinor: bigint; readonly hasOwnKey: boolean }[],
): string {
  const transaction = new Transaction({ allowUnknownOutputs: true, disableScriptCheck: true })
  const bip32Derivation: [Uint8Array, { fingerprint: number; path: number[] }][] = [
    [pubECDSA(seed), { fingerprint: 0, path }],
  ]
  for (const { outpoint, amountMinor } of inputs) {
    const [txid = '', index] = outpoint.split(':')
    const witnessUtxo = { script: own.script, amount: amountMinor }
    transaction.addInput({ txid, index: Number(index), witnessUtxo, bip32Derivation })
  }
  for (const { script, amountMinor, hasOwnKey } of outputs) {
    const output = { script: Uint8Array.from(Buffer.from(script, 'hex')), amount: amountMinor }
    transaction.addOutput(hasOwnKey ? { ...output, bip32Derivation } : output)
  }
  return Buffer.from(transaction.toPSBT()).toString('base64')
}

function parsedOrRefused(bytes: Buffer): boolean {
  try {
    bitcoin.parse(bytes.toString('base64'))
    return true
  } catch (error) {
    return error instanceof PsbtError
  }
}
