/** The two signatures that a delivery carries: that of the contract, and that of Standard Webhooks 1.0. */

/** A webhook's secret: the text as it was given to the server, or its bytes. */
export type WebhookSecret = string | Uint8Array

/** Makes the HMAC-SHA256 of some bytes under one secret. */
export type Signer = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>

const utf8 = new TextEncoder()

/**
 * Programs without types may give anything, and much of that (a list, a promise, a number) would be read as no bytes or
 * as zeros: a key that anybody can guess.
 */
export function isSecret(value: unknown): value is WebhookSecret {
  const isText = typeof value === 'string'
  // Not by instanceof: test runners and frames have classes of their own.
  const isBytes = Object.prototype.toString.call(value) === '[object Uint8Array]'
  return (isText || isBytes) && (value as WebhookSecret).length > 0
}

/** The key is the secret's own bytes: no prefix is cut off, nothing is decoded. */
export async function openSigner(secret: WebhookSecret): Promise<Signer> {
  const raw = typeof secret === 'string' ? utf8.encode(secret) : Uint8Array.from(secret)
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return async (bytes) => new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes))
}

/** The contract's signature: of the body alone, as hex. */
export async function bodySignature(sign: Signer, body: Uint8Array<ArrayBuffer>): Promise<string> {
  return Array.from(await sign(body), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The signature of Standard Webhooks: of id, time and body, as base64, without the `v1,` before it. */
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
  /** Stands in the header names; `Service` unless the server has a name of its own. */
  readonly serviceName: string
  readonly id: string
  /** Names a version of the webhook's configuration. */
  readonly token: string
  readonly body: string
  readonly sentAt: Date
}

/** What stands in the names of headers where a server has no name of its own. */
export const unnamedService = 'Service'

/** Returns the service names whose headers may carry the signature: a server without a name of its own sends two such headers. */
export function signatureHeaderNames(serviceName: string): readonly string[] {
  const names = serviceName === unnamedService ? [unnamedService, 'Coffer'] : [serviceName]
  return names.map((name) => `X-${name}-Signature`)
}

/** All headers of a delivery, as a server sends them. */
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

/** Whether two texts are the same, in a time that tells nothing of where they differ. */
export function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let place = 0; place < one.length; place += 1)
    difference |= one.charCodeAt(place) ^ other.charCodeAt(place)
  return difference === 0
}
