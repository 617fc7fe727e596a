import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Secret } from '../core/settings.ts'

export interface SigningParts {
  readonly key: KeyObject
  /** Key of the previous secret; undefined if no previous secret is valid. */
  readonly formerKey?: KeyObject | undefined
  /** The name of the service. It is a part of header names, such as `X-<Name>-Signature`. */
  readonly serviceName: string
  readonly eventId: string
  /** Identifies the version of the merchant's webhook. */
  readonly token: string
  readonly body: Buffer
  readonly sentAt: Date
}

/** The default of the setting SERVICE_NAME. */
const unnamed = 'Service'

/**
 * Returns the service names for which the signature header of Coffer's specification is sent. The name of
 * this header contains the name of the service. A server with the default name sends the header for `Service`
 * and for `Coffer`, so that receivers may use either name.
 */
export function signatureNames(serviceName: string): readonly string[] {
  return serviceName === unnamed ? [unnamed, 'Coffer'] : [serviceName]
}

/**
 * Returns the headers that authenticate a delivery. The signature header of Coffer's specification is the hex
 * HMAC-SHA256 of the raw body, signed with the current secret only. The other signature header follows
 * Standard Webhooks 1.0. Its signature also covers id and time, so that an old delivery cannot be replayed.
 * While a previous secret is valid, it contains a signature by each of the two secrets (Standard Webhooks
 * 1.0, "Signature scheme").
 */
export function signatureHeaders(parts: SigningParts): Readonly<Record<string, string>> {
  const { key, formerKey, serviceName, eventId, token, body, sentAt } = parts
  const timestamp = Math.floor(sentAt.getTime() / 1000).toString()
  const standard = (signer: KeyObject) =>
    `v1,${createHmac('sha256', signer).update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`
  const hex = createHmac('sha256', key).update(body).digest('hex')
  const signers = formerKey === undefined ? [key] : [key, formerKey]
  return {
    ...Object.fromEntries(signatureNames(serviceName).map((name) => [`X-${name}-Signature`, hex])),
    [`X-${serviceName}-Webhook-Token`]: token,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signers.map(standard).join(' '),
  }
}

/**
 * Returns the key for all signatures of a delivery. Its bytes are the secret as the merchant entered it. The
 * key is a KeyObject, because Node 24 signs six times slower with a key in a buffer.
 */
export function signingKey(secret: Secret): KeyObject {
  return createSecretKey(Buffer.from(secret.reveal(), 'utf8'))
}
