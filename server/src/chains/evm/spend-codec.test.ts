import fc from 'fast-check'
import type { Hex, TransactionSerializable } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign as signWith } from 'viem/accounts'
import { parseTransaction, recoverAuthorizationAddress, serializeTransaction } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import type { SignDigest, Spend, TransferAsset, UnsignedTransaction } from '../port.ts'
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
    type: fc.constant('gather' as const),
    delegate: address,
    addresses: fc.array(address, { maxLength: 5 }),
    assets: fc.array(asset, { maxLength: 3 }),
    delegations: fc.array(fc.record({ address, delegate: address, nonce }), { maxLength: 5 }),
  }),
  fc.record({
    type: fc.constant('deploy' as const),
    lanes: fc.array(address, { minLength: 1, maxLength: 16 }),
  }),
)
const transaction: fc.Arbitrary<UnsignedTransaction> = fc
  .record({
    chainId: fc.integer({ min: 1, max: 2 ** 40 }),
    nonce,
    gas: fc.bigInt({ min: 0n, max: 2n ** 63n }),
    fees: fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 100n }), fc.bigInt({ min: 0n, max: 2n ** 100n })),
    spend,
  })
  .map(({ fees: [a, b], ...rest }) => ({
    ...rest,
    maxFeeMinor: a > b ? a : b,
    tipMinor: a > b ? b : a,
  }))

const keys = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()]
const wallets = keys.map((key) => privateKeyToAccount(key).address.toLowerCase())
const [lane = '', deposit = '', other = ''] = wallets
const signDigest: SignDigest = async (wallet, digest) => {
  const { r, s, yParity } = await signWith({
    hash: digest as Hex,
    privateKey: required(keys[wallets.indexOf(wallet)], 'key'),
  })
  return { r, s, yParity: required(yParity, 'parity') }
}
const gathering: UnsignedTransaction = {
  chainId: 31337,
  nonce: 7,
  gas: 500_000n,
  maxFeeMinor: 30n * 10n ** 9n,
  tipMinor: 10n ** 9n,
  spend: {
    type: 'gather',
    delegate: evmSpends.delegateOf([lane]),
    addresses: [deposit, other],
    assets: [{ type: 'token', contract: `0x${'5d'.repeat(20)}` }, coin],
    delegations: [{ address: deposit, delegate: evmSpends.delegateOf([lane]), nonce: 0 }],
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
        const place = at % bytes.length
        bytes[place] = required(bytes[place], 'byte') ^ flip
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

  it('are refused where they are of another kind, cut, padded or spelled otherwise', async () => {
    const bytes = evmSpends.serialize(gathering)
    const { raw } = await evmSpends.sign(gathering, lane, signDigest)
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
      ...gathering,
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
    const { raw } = await evmSpends.sign(gathering, lane, signDigest)
    const read = parseTransaction(`0x${raw}`)
    const [authorization] = required(read.authorizationList, 'delegations')
    expect(
      await recoverAuthorizationAddress({ authorization: required(authorization, 'delegation') }),
    ).toMatch(new RegExp(deposit, 'i'))
    expect(authorization).toMatchObject({ chainId: 31337, address: evmSpends.delegateOf([lane]), nonce: 0 })
  })

  it('is what the library itself signs of the same fields', async () => {
    const { raw } = await evmSpends.sign(gathering, lane, signDigest)
    const { r: _r, s: _s, v: _v, yParity: _y, ...fields } = parseTransaction(`0x${raw}`)
    const account = privateKeyToAccount(required(keys[0], 'key'))
    expect(await account.signTransaction(fields as TransactionSerializable)).toBe(`0x${raw}`)
  })

  it('is not made with a signature of another key', async () => {
    const wrong: SignDigest = (wallet, digest) => signDigest(wallet === lane ? lane : other, digest)
    await expect(evmSpends.sign(gathering, lane, wrong)).rejects.toThrow('should have signed')
    await expect(
      evmSpends.sign(gathering, deposit, () => signDigest(lane, `0x${'11'.repeat(32)}`)),
    ).rejects.toThrow()
  })
})
