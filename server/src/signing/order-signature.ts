/**
 * Signatures over orders. The process that takes a merchant's order signs it (Ed25519); those that approve, plan and sign
 * its payment hold the public keys alone. Whoever writes the database, or holds the key of the payments' MACs, cannot
 * make an order or change one.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** What an order says. Nothing of it may change once it was ordered. */
export interface Order {
  readonly id: string
  readonly merchantId: string
  /** `<network>/<symbol>` */
  readonly asset: string
  /** The token's contract in canonical spelling; null for the coin. */
  readonly contract: string | null
  /** In canonical spelling. */
  readonly address: string
  /** What leaves the merchant's balance: what the recipient gets and the fee. */
  readonly amountMinor: bigint
  readonly feeMinor: bigint
  /** The `withdraw` invoice whose claim it pays. */
  readonly invoiceId: string | null
}

/** Makes signatures, each `<key id>.<base64url>`. */
export interface OrderSigner {
  sign(network: string, order: Order): string
  /** That an operator lets an order go out whatever it is worth. */
  signRelease(orderId: string): string
}

/** Checks signatures: false for anything that none of its keys made. */
export interface OrderVerifier {
  verify(network: string, order: Order, signature: string): boolean
  verifyRelease(orderId: string, signature: string): boolean
}

/** Bytes of a private seed, and of a public key. */
export const orderKeyBytes = 32

/** DER of an Ed25519 key (RFC 8410) up to its 32 bytes: PKCS #8 of a seed, SPKI of a public key. */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** @throws RangeError for a seed of another length */
export function orderSigner(seed: Buffer): OrderSigner {
  const key = privateKeyOf(seed)
  const id = orderKeyId(orderPublicKey(seed))
  const signed = (text: string) => `${id}.${sign(null, Buffer.from(text), key).toString('base64url')}`
  return {
    sign: (network, order) => signed(orderText(network, order)),
    signRelease: (orderId) => signed(releaseText(orderId)),
  }
}

/**
 * @param publicKeys as many as may have made a signature that still counts
 * @throws RangeError where there is none, one has another length, or two share an id
 */
export function orderVerifier(publicKeys: readonly Buffer[]): OrderVerifier {
  if (publicKeys.length === 0) throw new RangeError('orders cannot be verified without a public key')
  const keys = new Map(publicKeys.map((raw) => [orderKeyId(raw), publicKeyOf(raw)]))
  if (keys.size < publicKeys.length) throw new RangeError('a public key is there twice')
  const isSigned = (text: string, signature: string) => {
    const [, id = '', encoded = ''] = signaturePattern.exec(signature) ?? []
    const key = keys.get(id)
    return key !== undefined && verify(null, Buffer.from(text), key, Buffer.from(encoded, 'base64url'))
  }
  return {
    verify: (network, order, signature) => isSigned(orderText(network, order), signature),
    verifyRelease: (orderId, signature) => isSigned(releaseText(orderId), signature),
  }
}

/** The public key of a seed, its 32 bytes. */
export function orderPublicKey(seed: Buffer): Buffer {
  const spki = createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' })
  return spki.subarray(publicPrefix.length)
}

/** Names a public key: the first 8 hex digits of its SHA-256. */
export function orderKeyId(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 8)
}

/** 64 bytes in base64url have 86 characters. */
const signaturePattern = /^([0-9a-f]{8})\.([A-Za-z0-9_-]{86})$/

/** JSON of an array of strings and nulls, which no two orders share. */
function orderText(network: string, order: Order): string {
  const { id, merchantId, asset, contract, address, amountMinor, feeMinor, invoiceId } = order
  const parties = [id, merchantId, asset, contract, address]
  return JSON.stringify([
    'coffer/order/1',
    network,
    ...parties,
    String(amountMinor),
    String(feeMinor),
    invoiceId,
  ])
}

function releaseText(orderId: string): string {
  return JSON.stringify(['coffer/release/1', orderId])
}

function privateKeyOf(seed: Buffer): KeyObject {
  requireLength(seed)
  return createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' })
}

function publicKeyOf(raw: Buffer): KeyObject {
  requireLength(raw)
  return createPublicKey({ key: Buffer.concat([publicPrefix, raw]), format: 'der', type: 'spki' })
}

function requireLength(key: Buffer): void {
  if (key.length !== orderKeyBytes) throw new RangeError('a key of orders has 32 bytes')
}
