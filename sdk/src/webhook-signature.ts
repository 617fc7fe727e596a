/** Computes the two signatures of a delivery: the contract's, and that of Standard Webhooks 1.0. */

/** A webhook's secret: the text as it was sent to the server, or its bytes. */
export type WebhookSecret = string | Uint8Array

/** Computes the HMAC-SHA256 of bytes with one secret. */
export type Signer = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>

const utf8 = new TextEncoder()

/**
 * Checks the type, because programs without types may pass anything. A list, a promise or a number would be read as
 * empty or as zeros: a key that anybody can guess.
 */
export function isSecret(value: unknown): value is WebhookSecret {
  const isText = typeof value === 'string'
  // Not by instanceof: test runners and frames have classes of their own.
  const isBytes = Object.prototype.toString.call(value) === '[object Uint8Array]'
  return (isText || isBytes) && (value as WebhookSecret).length > 0
}

/** The key is the secret itself: no prefix is removed and nothing is decoded. */
export async function openSigner(secret: WebhookSecret): Promise<Signer> {
  const raw = typeof secret === 'string' ? utf8.encode(secret) : Uint8Array.from(secret)
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return async (bytes) => new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes))
}

/** Computes the contract's signature: of the body only, in hex. */
export async function bodySignature(sign: Signer, body: Uint8Array<ArrayBuffer>): Promise<string> {
  return Array.from(await sign(body), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Computes the signature of Standard Webhooks: of id, time and body, in base64, without the prefix `v1,`. */
export async function standardSignature(
  sign: Signer,
  { id, timestamp, body }: { id: string; timestamp: string; body: Uint8Array<ArrayBuffer> },
): Promise<string> {
  const head = utf8.encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  return btoa(String.fromCharCode(...(await sign(signed))))
}

export interface DeliveryParts {
  readonly secret: WebhookSecret
  /** Part of the header names; `Service` unless the server has its own name. */
  readonly serviceName: string
  readonly id: string
  /** Identifies a version of the webhook's configuration. */
  readonly token: string
  readonly body: string
  readonly sentAt: Date
}

/** The name in headers of a server without its own name. */
export const unnamedService = 'Service'

/** Returns the names of the headers that may have the signature: a server without its own name sends two of them. */
export function signatureHeaderNames(serviceName: string): readonly string[] {
  const names = serviceName === unnamedService ? [unnamedService, 'Coffer'] : [serviceName]
  return names.map((name) => `X-${name}-Signature`)
}

/** Returns all headers of a delivery, as a server sends them. */
export async function deliveryHeaders(parts: DeliveryParts): Promise<Readonly<Record<string, string>>> {
  const { serviceName, id, token } = parts
  const sign = await openSigner(parts.secret)
  const body = utf8.encode(parts.body)
  const signature = await bodySignature(sign, body)
  const timestamp = Math.floor(parts.sentAt.getTime() / 1000).toString()
  return {
    ...Object.fromEntries(signatureHeaderNames(serviceName).map((name) => [name, signature])),
    [`X-${serviceName}-Webhook-Token`]: token,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${await standardSignature(sign, { id, timestamp, body })}`,
    'content-type': 'application/json',
    'user-agent': serviceName,
  }
}

/** Compares two texts in constant time, so that the duration does not reveal where they differ. */
export function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let index = 0; index < one.length; index += 1)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}
