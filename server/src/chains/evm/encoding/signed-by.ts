/**
 * Whose key made a signature. Recovering a key takes 1.6 ms here. Hot wallets sign nearly everything, so their keys are
 * kept with tables of multiples, with which a signature is checked in a third of that.
 */
import * as Address from 'ox/Address'
import type { Hex } from 'ox/Hex'
import * as Secp256k1 from 'ox/Secp256k1'
import type { Signature } from 'ox/Signature'

const { CURVE, ProjectivePoint, utils } = Secp256k1.noble
const order = CURVE.n

/** The address whose key made it; undefined where none did, or where nodes take no such signature (EIP-2: s above half). */
export function signerOf(digest: Hex, signature: Signature): string | undefined {
  const key = keyOf(digest, signature)
  return key && addressOf(key)
}

/** As `signerOf(...) === address`, and fast for an address that signed before. */
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
/** Twice as many as there are hot wallets at most. */
const knownKeysMax = 32
/** Tables take 3 ms to make at this size; at the next larger one ten times that for a tenth of a check. */
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
    // No point of the curve has such an r.
    return undefined
  }
}

function addressOf(key: PublicKey): string {
  return Address.fromPublicKey(key).toLowerCase()
}

function isLow({ r, s, yParity }: Signature): boolean {
  return r > 0n && r < order && s > 0n && s <= order / 2n && (yParity === 0 || yParity === 1)
}

/** SEC 1, 4.1.4, with the parity of the point, without which it would be another address that signed. */
function isMadeWith(key: Point, digest: Hex, { r, s, yParity }: Signature): boolean {
  const inverse = inverseOf(s)
  const ofDigest = (BigInt(digest) * inverse) % order
  // Such a digest is nobody's to find; the library multiplies by no zero.
  if (ofDigest === 0n) return false
  const sum = ProjectivePoint.BASE.multiply(ofDigest).add(key.multiply((r * inverse) % order))
  if (sum.equals(ProjectivePoint.ZERO)) return false
  const { x, y } = sum.toAffine()
  return x === r && Number(y & 1n) === yParity
}

/** By Euclid's extended algorithm. @param value from 1, below the order of the curve, which is a prime */
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
