import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Secret } from '../core/settings.ts'

export interface SigningParts {
  readonly key: KeyObject
  /** Of the secret before, while that is still valid. */
  readonly formerKey?: KeyObject | undefined
  /** Goes into the header names in place of <Name>. */
  readonly serviceName: string
  readonly eventId: string
  /** Names the version of the merchant's configuration. */
  readonly token: string
  readonly body: Buffer
  readonly sentAt: Date
}

/** What SERVICE_NAME is unless it is set. */
const unnamed = 'Service'

/**
 * The names under which the contract's signature is sent. The specification puts the service's own name into the header's: a
 * server without a name of its own signs as Service and as Coffer, so that a receiver may read it either way.
 */
export function signatureNames(serviceName: string): readonly string[] {
  return serviceName === unnamed ? [unnamed, 'Coffer'] : [serviceName]
}

/**
 * The headers that prove where a delivery is from: the hex HMAC-SHA256 of the raw body (the contract), and those of
 * Standard Webhooks 1.0, whose signature also covers id and time so that an old delivery cannot be replayed. While a
 * former secret is valid, that header carries a signature of each (Standard Webhooks 1.0, "Signature scheme"); the
 * contract's has room for the current one alone.
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
 * The key of both signatures is the secret's own bytes, as the merchant typed it. A KeyObject, made once, because
 * Node 24 signs six times slower with a key in a buffer.
 */
export function signingKey(secret: Secret): KeyObject {
  return createSecretKey(Buffer.from(secret.reveal(), 'utf8'))
}
