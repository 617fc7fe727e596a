import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Order, orderKeyId, orderPublicKey, orderSigner, orderVerifier } from './order-signature.ts'

const seed = Buffer.alloc(32, 1)
const signer = orderSigner(seed)
const verifier = orderVerifier([orderPublicKey(seed)])

const text = fc.string({ minLength: 1, maxLength: 60 })
const minor = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const orders: fc.Arbitrary<Order> = fc.record({
  id: text,
  merchantId: text,
  asset: text,
  contract: fc.option(text),
  address: text,
  amountMinor: minor,
  feeMinor: minor,
  invoiceId: fc.option(text),
})

const order: Order = {
  id: '0197a1f1-4444-7444-8444-000000000001',
  merchantId: '0197a1f1-1111-7111-8111-111111111111',
  asset: 'ethereum/USDT',
  contract: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  amountMinor: 10_000_000n,
  feeMinor: 200_000n,
  invoiceId: null,
}

describe('the signature of an order', () => {
  it('is verified for the order that was signed, whatever its fields are', () => {
    fc.assert(
      fc.property(orders, text, (one, network) => {
        expect(verifier.verify(network, one, signer.sign(network, one))).toBe(true)
      }),
    )
  })

  it('is verified for no other order, nor on another network', () => {
    fc.assert(
      fc.property(orders, orders, text, text, (signed, given, network, other) => {
        const signature = signer.sign(network, signed)
        const isSame =
          JSON.stringify(Object.values(signed).map(String)) ===
          JSON.stringify(Object.values(given).map(String))
        fc.pre(!isSame && network !== other)
        expect(verifier.verify(network, given, signature)).toBe(false)
        expect(verifier.verify(other, signed, signature)).toBe(false)
      }),
    )
  })

  it.each<[string, Partial<Order>]>([
    ['id', { id: '0197a1f1-4444-7444-8444-000000000002' }],
    ['merchant', { merchantId: '0197a1f1-1111-7111-8111-111111111112' }],
    ['asset', { asset: 'ethereum/USDC' }],
    ['contract', { contract: null }],
    ['address', { address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaee' }],
    ['amount', { amountMinor: 10_000_001n }],
    ['fee', { feeMinor: 0n }],
    ['invoice', { invoiceId: '0197a1f1-2222-7222-8222-222222222222' }],
  ])('does not fit an order with another %s', (_, change) => {
    const signature = signer.sign('ethereum', order)
    expect(verifier.verify('ethereum', order, signature)).toBe(true)
    expect(verifier.verify('ethereum', { ...order, ...change }, signature)).toBe(false)
  })

  it('is what it always was: a change of the canonical text would refuse all that was ordered before', () => {
    expect(signer.sign('ethereum', order)).toBe(
      '34750f98.Nt4c4HPMk4_Zz0KM2REEOcsVmnaDuvjqFqYnIyFoMpUmNvibmDbmKRQYqZ5WIQd0o0Zt4lOzHoCAAYu5ct1YCw',
    )
  })

  it('names its key, and counts only while that key is among the public ones', () => {
    const former = orderSigner(Buffer.alloc(32, 2)).sign('ethereum', order)
    expect(former.startsWith(`${orderKeyId(orderPublicKey(Buffer.alloc(32, 2)))}.`)).toBe(true)
    const both = orderVerifier([orderPublicKey(seed), orderPublicKey(Buffer.alloc(32, 2))])
    expect(both.verify('ethereum', order, former)).toBe(true)
    expect(verifier.verify('ethereum', order, former)).toBe(false)
    const renamed = former.replace(/^[^.]+/, orderKeyId(orderPublicKey(seed)))
    expect(both.verify('ethereum', order, renamed)).toBe(false)
  })

  it('is refused, and nothing is thrown, where it is none', () => {
    const signature = signer.sign('ethereum', order)
    for (const given of [
      '',
      '.',
      'x',
      signature.slice(1),
      `${signature}=`,
      `${signature}\n`,
      signature.slice(0, -1),
    ]) {
      expect(verifier.verify('ethereum', order, given)).toBe(false)
    }
    fc.assert(fc.property(text, (given) => !verifier.verify('ethereum', order, given)))
  })
})

describe('the release of an order', () => {
  it('is verified for that order alone, and is no signature of the order itself', () => {
    const release = signer.signRelease(order.id)
    expect(verifier.verifyRelease(order.id, release)).toBe(true)
    expect(verifier.verifyRelease(`${order.id}0`, release)).toBe(false)
    expect(verifier.verify('ethereum', order, release)).toBe(false)
    expect(verifier.verifyRelease(order.id, signer.sign('ethereum', order))).toBe(false)
  })
})

describe('keys of orders', () => {
  it('are refused where there is none, one is too short, or one is there twice', () => {
    const key = orderPublicKey(seed)
    expect(() => orderVerifier([])).toThrow('without a public key')
    expect(() => orderVerifier([key.subarray(1)])).toThrow('32 bytes')
    expect(() => orderVerifier([key, key])).toThrow('twice')
    expect(() => orderSigner(randomBytes(31))).toThrow('32 bytes')
  })
})
