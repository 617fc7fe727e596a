import type { KeyObject } from 'node:crypto'
import { limits } from '../core/limits.ts'
import type { Secret } from '../core/settings.ts'
import { signingKey } from './sign.ts'

/** @throws UnsealError when the secret was sealed for another merchant or under another key. */
export type OpenSecret = (sealed: Buffer, merchantId: string) => Secret
/** @throws UnsealError, as `OpenSecret` does. */
export type KeyOf = (sealed: Buffer, merchantId: string) => KeyObject

/**
 * Opens a sealed secret once for many deliveries. Keys are remembered by the sealed bytes, which differ for every secret
 * that is set, so that a replaced one is never used again; the least recently used is forgotten first.
 */
export function rememberKeys(openSecret: OpenSecret, keysMax: number = limits.signingKeysKept): KeyOf {
  const keys = new Map<string, KeyObject>()
  return (sealed, merchantId) => {
    const name = `${merchantId}:${sealed.toString('latin1')}`
    const key = keys.get(name) ?? signingKey(openSecret(sealed, merchantId))
    // Set again, so that the order of the map is that of use.
    keys.delete(name)
    keys.set(name, key)
    const [eldest] = keys.keys()
    if (keys.size > keysMax && eldest !== undefined) keys.delete(eldest)
    return key
  }
}
