import fc from 'fast-check'
import { type Hex, recoverTransactionAddress, type Signature, type TransactionSerializableLegacy } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign as signWith } from 'viem/accounts'
import { parseTransaction, serializeTransaction } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { required } from '../../../core/assert.ts'
import { type SignDigest, SignedBytesError, type Spend, type UnsignedTransaction } from '../../port.ts'
import { isLegacyTransaction, spendCodecOf } from '../../spend-codecs.ts'
import { evmNetworks } from '../evm-networks.ts'
import { evmSpends } from '../spend-codec.ts'
import { legacySpends } from './legacy-codec.ts'

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const spend: fc.Arbitrary<Spend> = fc.record({
  type: fc.constant('pay' as const),
  asset: fc.oneof(
    fc.constant({ type: 'coin' as const }),
    address.map((contract) => ({ type: 'token' as const, contract })),
  ),
  recipient: address,
  amountMinor: fc.oneof(fc.constant(0n), fc.bigInt(1n, 2n ** 256n - 1n)),
})
const largestChainId = 4_503_599_627_370_476
const chainId = fc.oneof(
  fc.constant(largestChainId),
  fc.integer({ min: 1, max: 200 }),
  fc.integer({ min: 1, max: largestChainId }),
)
const transaction: fc.Arbitrary<UnsignedTransaction> = fc
  .record({
    chainId,
    nonce: fc.oneof(fc.nat(300), fc.maxSafeNat()),
    gasLimit: fc.bigInt(0n, 2n ** 63n),
    price: fc.bigInt(0n, 2n ** 100n),
    spend,
  })
  .map(({ price, ...rest }) => ({ ...rest, maxFeePerGas: price, maxPriorityFeePerGas: price }))

/** The example of EIP-155. Its key is 0x46 in every byte. */
const example: UnsignedTransaction = {
  chainId: 1,
  nonce: 9,
  gasLimit: 21_000n,
  maxFeePerGas: 20n * 10n ** 9n,
  maxPriorityFeePerGas: 20n * 10n ** 9n,
  spend: {
    type: 'pay',
    asset: { type: 'coin' },
    recipient: `0x${'35'.repeat(20)}`,
    amountMinor: 10n ** 18n,
  },
}
const exampleFields = '098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080'
const exampleUnsigned = `ec${exampleFields}018080`
const exampleDigest = '0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53'
const exampleSigned = `f86c${exampleFields}25a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83`
const exampleWallet = '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f'

const keys: readonly Hex[] = [`0x${'46'.repeat(32)}`, generatePrivateKey()]
const wallets = keys.map((key) => privateKeyToAccount(key).address.toLowerCase())
const [wallet = '', other = ''] = wallets
const digests: string[] = []
const signDigest: SignDigest = async (by, digest) => {
  digests.push(digest)
  const key = required(keys[wallets.indexOf(by)], 'key')
  const { r, s, yParity } = await signWith({ hash: digest as Hex, privateKey: key })
  return { r, s, yParity: required(yParity, 'parity') }
}
const sign = (given: UnsignedTransaction) => legacySpends.sign(given, wallet, signDigest)
type Signed = TransactionSerializableLegacy & Signature & { readonly yParity: number }
const messageOf = (read: () => unknown): string => {
  try {
    read()
    return 'read'
  } catch (error) {
    expect(error).toBeInstanceOf(SignedBytesError)
    return (error as Error).message
  }
}

describe('the example of EIP-155', () => {
  it('is encoded, digested and signed as it says', async () => {
    expect(legacySpends.serialize(example)).toBe(exampleUnsigned)
    expect(wallet).toBe(exampleWallet)
    expect((await sign(example)).raw).toBe(exampleSigned)
    expect(digests.at(-1)).toBe(exampleDigest)
  })

  it('is read again, unsigned and signed', () => {
    expect(legacySpends.parse(exampleUnsigned)).toEqual(example)
    expect(legacySpends.readSigned(exampleSigned, wallet)).toMatchObject({ unsigned: exampleUnsigned })
    expect(messageOf(() => legacySpends.readSigned(exampleSigned, other))).toContain('not signed by the key')
  })
})

describe('a transaction of type 0', () => {
  it('is read as it was written, whatever it is', () => {
    fc.assert(
      fc.property(transaction, (given) => {
        const bytes = legacySpends.serialize(given)
        expect(isLegacyTransaction(bytes)).toBe(true)
        expect(legacySpends.parse(bytes)).toEqual(given)
      }),
    )
  })

  it('is what viem reads and signs, and is no longer than was said before', async () => {
    await fc.assert(
      fc.asyncProperty(transaction, async (given) => {
        const { raw, txHash } = await sign(given)
        const hex: Hex = `0x${raw}`
        expect(raw.length / 2).toBeLessThanOrEqual(legacySpends.signedBytesMax(given))
        const read = parseTransaction(hex)
        expect(read).toMatchObject({ type: 'legacy', chainId: given.chainId })
        expect([read.gasPrice ?? 0n, read.gas ?? 0n]).toEqual([given.maxFeePerGas, given.gasLimit])
        expect((await recoverTransactionAddress({ serializedTransaction: hex as never })).toLowerCase()).toBe(
          wallet,
        )
        expect(legacySpends.readSigned(raw, wallet)).toEqual({
          txHash,
          unsigned: legacySpends.serialize(given),
        })
      }),
      { numRuns: 30 },
    )
  })

  it('is refused when a byte is changed, or says another transaction', () => {
    fc.assert(
      fc.property(transaction, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, at, flip) => {
        const bytes = Buffer.from(legacySpends.serialize(given), 'hex')
        const index = at % bytes.length
        bytes[index] = required(bytes[index], 'byte') ^ flip
        const changed = bytes.toString('hex')
        let read: UnsignedTransaction
        try {
          read = legacySpends.parse(changed)
        } catch {
          return
        }
        expect(read).not.toEqual(given)
        expect(legacySpends.serialize(read)).toBe(changed)
      }),
    )
  })

  it('is neither made nor accepted without a chain id (pre EIP-155)', async () => {
    for (const chainId of [0, -1, 1.5, Number.NaN]) {
      expect(() => legacySpends.serialize({ ...example, chainId })).toThrow('one chain')
      await expect(sign({ ...example, chainId })).rejects.toThrow('one chain')
    }
    const plain = { type: 'legacy', nonce: 9, gasPrice: 20n * 10n ** 9n, gas: 21_000n } as const
    const fields = { ...plain, to: `0x${'35'.repeat(20)}`, value: 10n ** 18n } as const
    expect(() => legacySpends.parse(serializeTransaction(fields).slice(2))).toThrow('chain id')
    const old = await privateKeyToAccount(required(keys[0], 'key')).signTransaction(fields)
    expect(parseTransaction(old).chainId).toBeUndefined()
    expect(messageOf(() => legacySpends.readSigned(old.slice(2), wallet))).toContain(
      'not a signed transaction',
    )
  })

  it('for another chain has another digest, so its signature is refused', async () => {
    const { raw } = await sign({ ...example, chainId: 5 })
    const { r, s, yParity, v: _, ...fields } = parseTransaction(`0x${raw}`) as Signed
    const moved = serializeTransaction({ ...fields, chainId: 1 }, { r, s, v: BigInt(27 + yParity) })
    expect(parseTransaction(moved).chainId).toBe(1)
    expect(messageOf(() => legacySpends.readSigned(moved.slice(2), wallet))).toContain('not signed by')
  })

  it('has one price, and neither sweeps nor deploys', () => {
    expect(() => legacySpends.serialize({ ...example, maxPriorityFeePerGas: 1n })).toThrow('one price')
    const delegate = legacySpends.delegateOf([wallet])
    const sweep = { type: 'sweep', delegate, addresses: [other], assets: [], delegations: [] } as const
    for (const spend of [sweep, { type: 'deploy', hotWallets: [wallet] } as const])
      expect(() => legacySpends.serialize({ ...example, spend })).toThrow('EIP-7702')
  })

  it('and one with base fees are never taken for each other', async () => {
    const typed = evmSpends.serialize(example)
    expect([isLegacyTransaction(typed), isLegacyTransaction(exampleSigned)]).toEqual([false, true])
    expect(() => legacySpends.parse(typed)).toThrow()
    expect(() => evmSpends.parse(exampleUnsigned)).toThrow()
    const { raw } = await evmSpends.sign(example, wallet, signDigest)
    expect(messageOf(() => legacySpends.readSigned(raw, wallet))).toContain('not a signed transaction')
    expect(messageOf(() => evmSpends.readSigned(exampleSigned, wallet))).toContain('not a signed transaction')
  })

  it('is refused where it is cut, padded or written otherwise', () => {
    const forms = [
      '',
      'c0',
      '80',
      exampleUnsigned.slice(2),
      exampleUnsigned.slice(0, -2),
      `${exampleUnsigned}00`,
    ]
    const leadingZero = `ed${exampleUnsigned.slice(2).replace(/^09/, '8109')}`
    for (const form of [...forms, exampleSigned, exampleUnsigned.toUpperCase(), leadingZero])
      expect(() => legacySpends.parse(form), form).toThrow()
    for (const form of [exampleUnsigned, exampleSigned.slice(0, -2), `${exampleSigned}00`])
      expect(messageOf(() => legacySpends.readSigned(form, wallet))).toContain('not a signed transaction')
  })
})

it('the networks that come with Coffer have base fees', () => {
  for (const network of Object.values(evmNetworks)) expect(spendCodecOf(network)).toBe(evmSpends)
  expect(spendCodecOf({ feeModel: 'legacy' })).toBe(legacySpends)
})
