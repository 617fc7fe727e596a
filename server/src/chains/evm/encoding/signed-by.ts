/**
 * Finds whose key made a signature. Recovering the key takes 1.6 ms. If the key is known, a table of its
 * multiples allows a check in a third of that time. The tables are cached, because a few hot wallets sign
 * nearly every transaction.
 */
import * as Address from 'ox/Address'
import type { Hex } from 'ox/Hex'
import * as Secp256k1 from 'ox/Secp256k1'
import type { Signature } from 'ox/Signature'

const { CURVE, ProjectivePoint, utils } = Secp256k1.noble
const order = CURVE.n

/**
 * Returns the address whose key made the signature. Undefined if no key can have made it, or if nodes reject
 * the signature because its s is above half the order (EIP-2).
 */
export function signerOf(digest: Hex, signature: Signature): string | undefined {
  const key = keyOf(digest, signature)
  return key && addressOf(key)
}

/** Decides whether `address` made the signature. Faster than `signerOf` for an address that signed before. */
export function isSignedBy(address: string, digest: Hex, signature: Signature): boolean {
  const known = knownKeys.get(address)
  if (known !== undefined) return isLow(signature) && isMadeWith(known, digest, signature)
  const key = keyOf(digest, signature)
  if (key === undefined || addressOf(key) !== address) return false
  remember(address, key)
  return true
}

type PublicKey = ReturnType<typeof Secp256k1.recoverPublicKey>
type Point = InstanceType<typeof ProjectivePoint>

const knownKeys = new Map<string, Point>()
/** Maximum number of cached keys: twice the maximum number of hot wallets. */
const knownKeysMax = 32
/**
 * Window size of the tables. A table of this size takes 3 ms to make. The next larger size takes ten times as
 * long, and makes a check only a tenth faster.
 */
const tableBits = 4

function remember(address: string, { x, y }: PublicKey): void {
  const [oldest] = knownKeys.keys()
  if (oldest !== undefined && knownKeys.size >= knownKeysMax) knownKeys.delete(oldest)
  knownKeys.set(address, utils.precompute(tableBits, ProjectivePoint.fromAffine({ x, y })))
}

function keyOf(digest: Hex, signature: Signature): PublicKey | undefined {
  if (!isLow(signature)) return undefined
  try {
    return Secp256k1.recoverPublicKey({ payload: digest, signature })
  } catch {
    // The library throws if no point of the curve has this r.
    return undefined
  }
}

function addressOf(key: PublicKey): string {
  return Address.fromPublicKey(key).toLowerCase()
}

function isLow({ r, s, yParity }: Signature): boolean {
  return r > 0n && r < order && s > 0n && s <= order / 2n && (yParity === 0 || yParity === 1)
}

/**
 * Verifies a signature by SEC 1, 4.1.4, and also the parity of the point. If the parity differs, the
 * signature belongs to another address.
 */
function isMadeWith(key: Point, digest: Hex, { r, s, yParity }: Signature): boolean {
  const inverse = inverseOf(s)
  const ofDigest = (BigInt(digest) * inverse) % order
  // The library does not multiply by zero. The value is zero only if the digest is a multiple of the order,
  // and nobody can find data with such a hash.
  if (ofDigest === 0n) return false
  const sum = ProjectivePoint.BASE.multiply(ofDigest).add(key.multiply((r * inverse) % order))
  if (sum.equals(ProjectivePoint.ZERO)) return false
  const { x, y } = sum.toAffine()
  return x === r && Number(y & 1n) === yParity
}

/**
 * Returns the inverse modulo the order of the curve, by Euclid's extended algorithm.
 * @param value is at least 1 and below the order, which is a prime
 */
function inverseOf(value: bigint): bigint {
  let rest = value
  let before = order
  let factor = 1n
  let factorBefore = 0n
  while (rest > 1n) {
    const times = before / rest
    const next = before - times * rest
    const nextFactor = factorBefore - times * factor
    before = rest
    rest = next
    factorBefore = factor
    factor = nextFactor
  }
  return ((factor % order) + order) % order
}
