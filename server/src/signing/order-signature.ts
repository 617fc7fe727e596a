/**
 * Signs and verifies withdrawal orders with Ed25519. Only the process that accepts a merchant's order holds
 * the private seed. The processes that approve, plan and sign the payment of an order hold public keys. Write
 * access to the database, or the key of the payment MACs, is therefore not enough to create or change an
 * order.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** The signed content of an order. No field may change after the order was made. */
export interface Order {
  readonly id: string
  readonly merchantId: string
  /** `<network>/<symbol>`, such as `ethereum/USDT`. */
  readonly asset: string
  /** The token's contract in canonical form; null for the native coin. */
  readonly contract: string | null
  /** The recipient's address in canonical form. */
  readonly address: string
  /** The amount that leaves the merchant's balance: the recipient's amount plus the fee. */
  readonly amountMinor: bigint
  readonly feeMinor: bigint
  /** The `withdraw` invoice that this order pays out; null if it pays out none. */
  readonly invoiceId: string | null
}

/** Signs orders. The signatures have the form `<key id>.<base64url>`. */
export interface OrderSigner {
  sign(network: string, order: Order): string
  /**
   * Signs an operator's decision to release an order for payment. The decision is valid for an order of any
   * value.
   */
  signRelease(orderId: string): string
}

/**
 * Verifies signatures of orders. The methods return true only if the signature was made with one of the
 * verifier's keys.
 */
export interface OrderVerifier {
  verify(network: string, order: Order, signature: string): boolean
  verifyRelease(orderId: string, signature: string): boolean
}

/** Length in bytes of a private seed, and of a public key. */
export const orderKeyBytes = 32

/**
 * The DER prefixes that precede the 32 bytes of an Ed25519 key (RFC 8410): PKCS #8 for a seed, SPKI for a
 * public key.
 */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** Creates a signer of orders. @throws RangeError if the seed does not have 32 bytes */
export function orderSigner(seed: Buffer): OrderSigner {
  const signed = textSigner(seed)
  return {
    sign: (network, order) => signed(orderText(network, order)),
    signRelease: (orderId) => signed(releaseText(orderId)),
  }
}

/**
 * @param publicKeys every key whose signatures are still accepted
 * @throws RangeError if the list is empty, a key does not have 32 bytes, or two keys share an id
 */
export function orderVerifier(publicKeys: readonly Buffer[]): OrderVerifier {
  if (publicKeys.length === 0) throw new RangeError('orders cannot be verified without a public key')
  const isSigned = textVerifier(publicKeys)
  return {
    verify: (network, order, signature) => isSigned(orderText(network, order), signature),
    verifyRelease: (orderId, signature) => isSigned(releaseText(orderId), signature),
  }
}

/**
 * Returns a function that signs a text. The text must begin with what it is for, so that no signature is valid
 * for something else.
 * @throws RangeError if the seed does not have 32 bytes
 */
export function textSigner(seed: Buffer): (text: string) => string {
  const key = privateKeyOf(seed)
  const id = orderKeyId(orderPublicKey(seed))
  return (text) => `${id}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

/**
 * Returns a function that tells whether one of the keys signed a text.
 * @throws RangeError if a key does not have 32 bytes, or two keys share an id
 */
export function textVerifier(publicKeys: readonly Buffer[]): (text: string, signature: string) => boolean {
  const keys = new Map(publicKeys.map((raw) => [orderKeyId(raw), publicKeyOf(raw)]))
  if (keys.size < publicKeys.length) throw new RangeError('a public key is listed twice')
  return (text, signature) => {
    const [, id = '', encoded = ''] = signaturePattern.exec(signature) ?? []
    const key = keys.get(id)
    return key !== undefined && verify(null, Buffer.from(text), key, Buffer.from(encoded, 'base64url'))
  }
}

/** Returns the 32-byte public key of a seed. */
export function orderPublicKey(seed: Buffer): Buffer {
  const spki = createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' })
  return spki.subarray(publicPrefix.length)
}

/** Returns the id of a public key: the first 8 hex digits of its SHA-256. */
export function orderKeyId(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 8)
}

/** The 64 bytes of a signature are 86 characters in base64url. */
const signaturePattern = /^([0-9a-f]{8})\.([A-Za-z0-9_-]{86})$/

/**
 * Returns the canonical form of an order: a JSON array of strings and nulls. Two different orders never have
 * the same form.
 */
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
  if (key.length !== orderKeyBytes) throw new RangeError('an order key must have 32 bytes')
}
