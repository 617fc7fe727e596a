import type { KeyObject } from 'node:crypto'
import { limits } from '../core/limits.ts'
import type { Secret } from '../core/settings.ts'
import { signingKey } from './sign.ts'

/**
 * Decrypts a merchant's secret.
 * @throws UnsealError if the secret was encrypted for another merchant or under another key.
 */
export type OpenSecret = (sealed: Buffer, merchantId: string) => Secret
/**
 * Returns the signing key of an encrypted secret.
 * @throws UnsealError as `OpenSecret` does.
 */
export type KeyOf = (sealed: Buffer, merchantId: string) => KeyObject

/**
 * Returns a function that caches signing keys, so that a secret is decrypted once for many deliveries. The
 * cache is keyed by the encrypted bytes. These differ each time a secret is set, so the key of a replaced
 * secret is not used again. The least recently used key is evicted first.
 */
export function rememberKeys(openSecret: OpenSecret, keysMax: number = limits.signingKeysKept): KeyOf {
  const keys = new Map<string, KeyObject>()
  return (sealed, merchantId) => {
    const name = `${merchantId}:${sealed.toString('latin1')}`
    const key = keys.get(name) ?? signingKey(openSecret(sealed, merchantId))
    // The key is inserted again, so that the map is ordered by last use.
    keys.delete(name)
    keys.set(name, key)
    const [eldest] = keys.keys()
    if (keys.size > keysMax && eldest !== undefined) keys.delete(eldest)
    return key
  }
}
