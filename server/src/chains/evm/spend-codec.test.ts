import fc from 'fast-check'
import type { Hex, TransactionSerializable } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign as signWith } from 'viem/accounts'
import { parseTransaction, recoverAuthorizationAddress, serializeTransaction } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import {
  type SignDigest,
  SignedBytesError,
  type Spend,
  type TransferAsset,
  type UnsignedTransaction,
} from '../port.ts'
import { evmSpends } from './spend-codec.ts'

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .filter((bytes) => bytes.some((byte) => byte !== 0))
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const amount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }))
const coin: TransferAsset = { type: 'coin' }
const asset = fc.oneof(
  fc.constant(coin),
  address.map((contract): TransferAsset => ({ type: 'token', contract })),
)
const nonce = fc.oneof(fc.nat(300), fc.maxSafeNat())
const spend: fc.Arbitrary<Spend> = fc.oneof(
  fc.record({ type: fc.constant('pay' as const), asset, recipient: address, amountMinor: amount }),
  fc.record({
    type: fc.constant('sweep' as const),
    delegate: address,
    addresses: fc.array(address, { maxLength: 5 }),
    assets: fc.array(asset, { maxLength: 3 }),
    delegations: fc.array(fc.record({ address, delegate: address, nonce }), { maxLength: 5 }),
  }),
  fc.record({
    type: fc.constant('deploy' as const),
    hotWallets: fc.array(address, { minLength: 1, maxLength: 16 }),
  }),
)
const transaction: fc.Arbitrary<UnsignedTransaction> = fc
  .record({
    chainId: fc.integer({ min: 1, max: 2 ** 40 }),
    nonce,
    gasLimit: fc.bigInt({ min: 0n, max: 2n ** 63n }),
    fees: fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 100n }), fc.bigInt({ min: 0n, max: 2n ** 100n })),
    spend,
  })
  .map(({ fees: [a, b], ...rest }) => ({
    ...rest,
    maxFeePerGas: a > b ? a : b,
    maxPriorityFeePerGas: a > b ? b : a,
  }))

const keys = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()]
const wallets = keys.map((key) => privateKeyToAccount(key).address.toLowerCase())
const [hotWallet = '', deposit = '', other = ''] = wallets
const signDigest: SignDigest = async (wallet, digest) => {
  const { r, s, yParity } = await signWith({
    hash: digest as Hex,
    privateKey: required(keys[wallets.indexOf(wallet)], 'key'),
  })
  return { r, s, yParity: required(yParity, 'parity') }
}
const batchSweep: UnsignedTransaction = {
  chainId: 31337,
  nonce: 7,
  gasLimit: 500_000n,
  maxFeePerGas: 30n * 10n ** 9n,
  maxPriorityFeePerGas: 10n ** 9n,
  spend: {
    type: 'sweep',
    delegate: evmSpends.delegateOf([hotWallet]),
    addresses: [deposit, other],
    assets: [{ type: 'token', contract: `0x${'5d'.repeat(20)}` }, coin],
    delegations: [{ address: deposit, delegate: evmSpends.delegateOf([hotWallet]), nonce: 0 }],
  },
}

describe('the bytes of a transaction', () => {
  it('say what was written, whatever it is', () => {
    fc.assert(
      fc.property(transaction, (given) => {
        expect(evmSpends.parse(evmSpends.serialize(given))).toEqual(given)
      }),
    )
  })

  it('are refused when a byte is changed, or say another transaction', () => {
    fc.assert(
      fc.property(transaction, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, at, flip) => {
        const bytes = Buffer.from(evmSpends.serialize(given), 'hex')
        const index = at % bytes.length
        bytes[index] = required(bytes[index], 'byte') ^ flip
        const changed = bytes.toString('hex')
        let read: UnsignedTransaction
        try {
          read = evmSpends.parse(changed)
        } catch {
          return
        }
        expect(read).not.toEqual(given)
        expect(evmSpends.serialize(read)).toBe(changed)
      }),
    )
  })

  it('are refused where they are of another kind, cut, padded or written otherwise', async () => {
    const bytes = evmSpends.serialize(batchSweep)
    const { raw } = await evmSpends.sign(batchSweep, hotWallet, signDigest)
    const payment = { to: `0x${'11'.repeat(20)}`, value: 1n, chainId: 1, gas: 21_000n } as const
    const legacy = serializeTransaction({ ...payment, gasPrice: 1n, type: 'legacy' })
    const listed = [{ address: `0x${'22'.repeat(20)}`, storageKeys: [] }] as const
    const accessList = serializeTransaction({ ...payment, type: 'eip1559', accessList: listed })
    const creation = serializeTransaction({ chainId: 1, data: '0x00', type: 'eip1559' })
    const approval = serializeTransaction({ ...payment, value: 0n, type: 'eip1559', data: '0x095ea7b3' })
    const others = [legacy, accessList, creation, approval].map((hex) => hex.slice(2))
    const forms = ['', '00', bytes.slice(2), bytes.slice(0, -2), `${bytes}00`, bytes.toUpperCase(), raw]
    for (const form of [...forms, ...others]) expect(() => evmSpends.parse(form), form).toThrow()
  })

  it('refuse a payment in a call that carries coins, more arguments, or other delegations', () => {
    const contract = `0x${'5d'.repeat(20)}` as const
    const transferOf = evmSpends.serialize({
      ...batchSweep,
      spend: { type: 'pay', asset: { type: 'token', contract }, recipient: other, amountMinor: 5n },
    })
    const { data, ...rest } = parseTransaction(`0x${transferOf}`) as { data: Hex; chainId: number }
    const forms = [
      { ...rest, data, value: 1n },
      { ...rest, data: `${data}00` as Hex },
      { ...rest, data: data.slice(0, -2) as Hex },
    ]
    for (const form of forms) {
      const hex = serializeTransaction({ ...form, type: 'eip1559' }).slice(2)
      expect(() => evmSpends.parse(hex)).toThrow()
    }
    expect(serializeTransaction({ ...rest, data, type: 'eip1559' }).slice(2)).toBe(transferOf)
  })
})

describe('a signed transaction', () => {
  it('is of its sender, with delegations of their addresses', async () => {
    const { raw } = await evmSpends.sign(batchSweep, hotWallet, signDigest)
    const read = parseTransaction(`0x${raw}`)
    const [authorization] = required(read.authorizationList, 'delegations')
    expect(
      await recoverAuthorizationAddress({ authorization: required(authorization, 'delegation') }),
    ).toMatch(new RegExp(deposit, 'i'))
    expect(authorization).toMatchObject({
      chainId: 31337,
      address: evmSpends.delegateOf([hotWallet]),
      nonce: 0,
    })
  })

  it('is what the library itself signs of the same fields', async () => {
    const { raw } = await evmSpends.sign(batchSweep, hotWallet, signDigest)
    const { r: _r, s: _s, v: _v, yParity: _y, ...fields } = parseTransaction(`0x${raw}`)
    const account = privateKeyToAccount(required(keys[0], 'key'))
    expect(await account.signTransaction(fields as TransactionSerializable)).toBe(`0x${raw}`)
  })

  it('is not made with a signature of another key', async () => {
    const wrong: SignDigest = (wallet, digest) => signDigest(wallet === hotWallet ? hotWallet : other, digest)
    await expect(evmSpends.sign(batchSweep, hotWallet, wrong)).rejects.toThrow('another key signed')
    await expect(
      evmSpends.sign(batchSweep, deposit, () => signDigest(hotWallet, `0x${'11'.repeat(32)}`)),
    ).rejects.toThrow()
  })
})

describe('what came back from a signer', () => {
  const payment: UnsignedTransaction = {
    ...batchSweep,
    spend: { type: 'pay', asset: coin, recipient: other, amountMinor: 5n },
  }

  it('is read as the bytes that were asked for and their hash, whoever is paid and whatever is delegated', async () => {
    for (const one of [payment, batchSweep]) {
      const { txHash, raw } = await evmSpends.sign(one, hotWallet, signDigest)
      expect(evmSpends.readSigned(raw, hotWallet)).toEqual({ txHash, unsigned: evmSpends.serialize(one) })
    }
  })

  it('is refused where another key signed it, or where it is cut, padded, unsigned, or anything else', async () => {
    const { raw } = await evmSpends.sign(payment, hotWallet, signDigest)
    expect(() => evmSpends.readSigned(raw, deposit)).toThrow(SignedBytesError)
    const unsigned = evmSpends.serialize(payment)
    const forms = ['', '00', 'zz', raw.slice(2), raw.slice(0, -2), `${raw}00`, raw.toUpperCase(), unsigned]
    for (const form of forms)
      expect(() => evmSpends.readSigned(form, hotWallet), form).toThrow(SignedBytesError)
  })

  it('is refused with a byte changed, or is not what was asked for', async () => {
    const { raw } = await evmSpends.sign(batchSweep, hotWallet, signDigest)
    const unsigned = evmSpends.serialize(batchSweep)
    const size = raw.length / 2
    fc.assert(
      fc.property(fc.nat({ max: size - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(raw, 'hex')
        bytes[at] = required(bytes[at], 'byte') ^ flip
        let read: string | undefined
        try {
          read = evmSpends.readSigned(bytes.toString('hex'), hotWallet).unsigned
        } catch (error) {
          expect(error).toBeInstanceOf(SignedBytesError)
        }
        expect(read).not.toBe(unsigned)
      }),
      { numRuns: 60 },
    )
  })

  it('is refused where a delegation is for all chains (EIP-7702: 0) or for another one', async () => {
    const { raw } = await evmSpends.sign(batchSweep, hotWallet, signDigest)
    const { r: _r, s: _s, v: _v, yParity: _y, ...fields } = parseTransaction(`0x${raw}`)
    const account = privateKeyToAccount(required(keys[0], 'key'))
    const owner = privateKeyToAccount(required(keys[1], 'key'))
    const signedFor = async (chainId: number) => {
      const contract = { contractAddress: evmSpends.delegateOf([hotWallet]) as Hex, chainId, nonce: 0 }
      const authorizationList = [await owner.signAuthorization(contract)]
      const changed = await account.signTransaction({
        ...fields,
        authorizationList,
      } as TransactionSerializable)
      return changed.slice(2)
    }
    expect(evmSpends.readSigned(await signedFor(31337), hotWallet).unsigned).toBe(
      evmSpends.serialize(batchSweep),
    )
    for (const chainId of [0, 1]) {
      const changed = await signedFor(chainId)
      expect(() => evmSpends.readSigned(changed, hotWallet)).toThrow(SignedBytesError)
    }
  })

  it('is never written for chain 0, on which an authorization would be good for every chain', async () => {
    const anywhere = { ...batchSweep, chainId: 0 }
    expect(() => evmSpends.serialize(anywhere)).toThrow('for one chain')
    await expect(evmSpends.sign(anywhere, hotWallet, signDigest)).rejects.toThrow('for one chain')
  })
})

describe('a published transaction', () => {
  /** From Besu's test vectors for EIP-1559: nonce, fees, gas, payment, and the bytes after signing. */
  const key = '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63'
  it.each([
    [
      { nonce: 819, maxPriorityFeePerGas: 75853n, maxFeePerGas: 121212n, gasLimit: 35552n },
      43203529n,
      '02f870821e8e8203338301284d8301d97c828ae094000000000000000000000000000000000000aaaa8402933bc980c080a0d067f2167008c59219652f91cbf8788dbca5f771f6e91e2b7657e85b78b472e0a01d305af9fe81fdba43f0dfcd400ed24dcace0a7e30d4e85701dcaaf484cd079e',
    ],
    [
      { nonce: 119, maxPriorityFeePerGas: 24721n, maxFeePerGas: 107729n, gasLimit: 62341n },
      65456115n,
      '02f86d821e8e778260918301a4d182f38594000000000000000000000000000000000000aaaa8403e6c7f380c001a0e38e239770801eb995498c821e55ac9c19ae09184bb27b34be105e02fe3b7615a067c64ca6bd6d9107e85fd581ab2e70a14b637eb36505bb40861ef9d6e800cab6',
    ],
  ])('is signed to the same bytes: nonce $nonce', async (fields, amountMinor, published) => {
    const recipient = '0x000000000000000000000000000000000000aaaa'
    const payment: Spend = { type: 'pay', asset: coin, recipient, amountMinor }
    const sender = privateKeyToAccount(key).address.toLowerCase()
    const signed = await evmSpends.sign(
      { chainId: 7822, ...fields, spend: payment },
      sender,
      async (_, digest) => {
        const { r, s, yParity = 0 } = await signWith({ hash: digest as Hex, privateKey: key })
        return { r, s, yParity }
      },
    )
    expect(signed.raw).toBe(published)
  })
})

it('a signed transaction is never longer than the size that is counted for it', async () => {
  const nonces = [0, 200, 70_000]
  for (const nonce of nonces) {
    for (const maxFeePerGas of [1n, 30n * 10n ** 9n]) {
      const given = { ...batchSweep, nonce, maxFeePerGas, maxPriorityFeePerGas: 1n }
      const { raw } = await evmSpends.sign(given, hotWallet, signDigest)
      const most = evmSpends.signedBytesMax(given)
      expect(raw.length / 2).toBeLessThanOrEqual(most)
      // A signature has 64 bytes, and few of them start with zeros.
      expect(raw.length / 2).toBeGreaterThan(most - 10)
    }
  }
})
