import fc from 'fast-check'
import * as Secp256k1 from 'ox/Secp256k1'
import type { Signature } from 'ox/Signature'
import { describe, expect, it } from 'vitest'
import { isSignedBy, signerOf } from './signed-by.ts'

const order = Secp256k1.noble.CURVE.n
const digest = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as const)

function signature(privateKey: `0x${string}`, payload: `0x${string}`): Signature {
  return Secp256k1.sign({ payload, privateKey, extraEntropy: false })
}

function newWallet() {
  const privateKey = Secp256k1.randomPrivateKey()
  const payload = `0x${'00'.repeat(31)}01` as const
  const address = Secp256k1.recoverAddress({ payload, signature: signature(privateKey, payload) })
  return { privateKey, address: address.toLowerCase() }
}

/** Recovers the address with the library alone; undefined if the library rejects the signature. */
function recovered(payload: `0x${string}`, given: Signature): string | undefined {
  try {
    return Secp256k1.recoverAddress({ payload, signature: given }).toLowerCase()
  } catch {
    return undefined
  }
}

describe('who signed', () => {
  const wallet = newWallet()
  const other = newWallet()

  it('is the address whose key did, seen for the first time or kept, and no other', () => {
    fc.assert(
      fc.property(digest, (payload) => {
        const own = signature(wallet.privateKey, payload)
        const others = signature(other.privateKey, payload)
        expect(signerOf(payload, own)).toBe(wallet.address)
        expect(isSignedBy(wallet.address, payload, own)).toBe(true)
        expect(isSignedBy(other.address, payload, others)).toBe(true)
        expect(isSignedBy(wallet.address, payload, others)).toBe(false)
        expect(isSignedBy(other.address, payload, own)).toBe(false)
      }),
      { numRuns: 40 },
    )
  })

  it('is the address that the library recovers, whatever is changed', () => {
    const change = fc.record({
      r: fc.bigInt({ min: -2n, max: 2n }),
      s: fc.bigInt({ min: -2n, max: 2n }),
      flip: fc.boolean(),
    })
    expect(isSignedBy(wallet.address, '0x01', signature(wallet.privateKey, '0x01'))).toBe(true)
    fc.assert(
      fc.property(digest, change, (payload, { r, s, flip }) => {
        const right = signature(wallet.privateKey, payload)
        const given = { r: right.r + r, s: right.s + s, yParity: flip ? 1 - right.yParity : right.yParity }
        expect(isSignedBy(wallet.address, payload, given)).toBe(recovered(payload, given) === wallet.address)
      }),
      { numRuns: 40 },
    )
  })

  it('is nobody where s is above half of the order, which no node takes (EIP-2), or out of range', () => {
    const payload = `0x${'5a'.repeat(32)}` as const
    const right = signature(wallet.privateKey, payload)
    const bad: readonly Signature[] = [
      { ...right, s: order - right.s, yParity: 1 - right.yParity },
      { ...right, s: 0n },
      { ...right, r: 0n },
      { ...right, r: order },
      { ...right, yParity: 2 },
    ]
    for (const one of bad) {
      expect(signerOf(payload, one)).toBeUndefined()
      expect(isSignedBy(wallet.address, payload, one)).toBe(false)
    }
  })
})
