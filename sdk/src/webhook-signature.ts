/**
 * Computes the two signatures of a webhook delivery: the one that Coffer's API contract defines
 * (`X-<Name>-Signature`), and the one of Standard Webhooks 1.0.
 */

/** The secret of a webhook: the text that was sent to the server, or its bytes. */
export type WebhookSecret = string | Uint8Array

/** Computes the HMAC-SHA256 of bytes with one secret. */
export type Signer = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>

const utf8 = new TextEncoder()

/**
 * Checks the type at run time, because callers may use plain JavaScript. Without this check, a list, a
 * promise or a number would become an empty key or a key of zeros, which anybody can guess.
 */
export function isSecret(value: unknown): value is WebhookSecret {
  const isText = typeof value === 'string'
  // `instanceof` is not used, because a test runner or an iframe has its own `Uint8Array` class.
  const isBytes = Object.prototype.toString.call(value) === '[object Uint8Array]'
  return (isText || isBytes) && (value as WebhookSecret).length > 0
}

/** Returns a signer. The secret is the key as it is: no prefix is removed, and nothing is decoded. */
export async function openSigner(secret: WebhookSecret): Promise<Signer> {
  const raw = typeof secret === 'string' ? utf8.encode(secret) : Uint8Array.from(secret)
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return async (bytes) => new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes))
}

/** Computes the signature for `X-<Name>-Signature`. It covers only the body and is written in hex. */
export async function bodySignature(sign: Signer, body: Uint8Array<ArrayBuffer>): Promise<string> {
  return Array.from(await sign(body), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Computes the signature of Standard Webhooks. It covers id, time and body, and is written in base64 without
 * the prefix `v1,`.
 */
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
  /** The server's name, which is a part of header names; `Service` by default. */
  readonly serviceName: string
  readonly id: string
  /** Identifies the version of the merchant's webhook configuration. */
  readonly token: string
  readonly body: string
  readonly sentAt: Date
}

/** The default name of a server in header names. */
export const unnamedService = 'Service'

/**
 * Returns the names of the headers that may contain the signature of the body. A server with the default name
 * sends two such headers.
 */
export function signatureHeaderNames(serviceName: string): readonly string[] {
  const names = serviceName === unnamedService ? [unnamedService, 'Coffer'] : [serviceName]
  return names.map((name) => `X-${name}-Signature`)
}

/** Returns all headers that a server sends with a delivery. */
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

/** Compares two texts in constant time, so that the duration does not reveal the first difference. */
export function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let index = 0; index < one.length; index += 1)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}
