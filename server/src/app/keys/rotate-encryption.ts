/** Encrypts every value that depends on ENCRYPTION_KEY under a new key, while the service may be running. */

import { encryptionKeyId, keyBytes, openSealer, type ReencryptedBatch } from '../../core/seal.ts'
import { reencryptSecondFactors } from '../../merchants/accounts/second-factor/reencrypt-second-factors.ts'
import { reencryptWebhooks } from '../../merchants/reencrypt-webhooks.ts'
import { type AddressMacKeys, addressMacKey } from '../../payments/invoices/addresses/address.ts'
import { reencryptAddresses } from '../../payments/invoices/addresses/reencrypt-addresses.ts'
import { claimTokenKey } from '../../payments/invoices/claims/claim.ts'
import { reencryptClaims } from '../../payments/invoices/claims/reencrypt-claims.ts'
import { endKeyChange } from '../../platform/db/key-fingerprint.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { reencryptAnswers } from '../../platform/http/idempotency/reencrypt-answers.ts'
import { reencryptNodes } from '../../pricing/own-rows/nodes.ts'
import type { EncryptionKeys } from './open-keys.ts'

export interface RotationParts {
  readonly db: Queryable
  readonly keys: EncryptionKeys
  /** Is called after each 100,000 rows and at the end of each kind of values. */
  onProgress(line: string): void
  readonly rowsAtOnce?: number
}

export interface Rotation {
  readonly changed: number
  /** The number of values that neither the new nor the former key decrypts. They stay unchanged. */
  readonly foreign: number
}

const passesMax = 10
const progressRows = 100_000

/**
 * Re-encrypts every value under the former key, kind by kind, in short statements. After an interruption, the
 * next run finds the remaining values. Other processes may still encrypt under the former key, so the search
 * is repeated until no such value remains. Then records that the former key is no longer needed.
 * @throws Error if another process keeps encrypting under the former key
 */
export async function rotateEncryption(parts: RotationParts): Promise<Rotation> {
  let changed = 0
  for (let pass = 1; pass <= passesMax; pass++) {
    const found = await passOver(parts)
    changed += found.changed
    if (found.changed > 0) continue
    await endKeyChange(parts.db, encryptionKeyId(parts.keys.encryptionKey))
    return { changed, foreign: found.foreign }
  }
  throw new Error(
    'a process still encrypts under the former key: restart it with the new ENCRYPTION_KEY, then run this again',
  )
}

async function passOver(parts: RotationParts): Promise<Rotation> {
  let changed = 0
  let foreign = 0
  for (const [what, batches] of kindsOf(parts)) {
    const done = await follow(what, batches, parts.onProgress)
    changed += done.changed
    foreign += done.foreign
  }
  return { changed, foreign }
}

function kindsOf({ db, keys, rowsAtOnce = 1_000 }: RotationParts) {
  const { encryptionKey, encryptionKeyPrevious } = keys
  const sealer = openSealer(encryptionKey, encryptionKeyPrevious)
  const claims = {
    claimKey: claimTokenKey(keyBytes(encryptionKey)),
    formerClaimKey: encryptionKeyPrevious && claimTokenKey(keyBytes(encryptionKeyPrevious)),
  }
  return [
    ['webhook secrets', reencryptWebhooks({ db, sealer }, rowsAtOnce)],
    ['second factors', reencryptSecondFactors({ db, sealer }, rowsAtOnce)],
    ['stored responses', reencryptAnswers({ db, sealer }, rowsAtOnce)],
    ['claims of invoices', reencryptClaims({ db, sealer, ...claims }, rowsAtOnce)],
    ['nodes of own networks', reencryptNodes({ db, sealer })],
    ['addresses', reencryptAddresses({ db, ...addressMacKeys(keys) }, rowsAtOnce)],
  ] as const
}

async function follow(
  what: string,
  batches: AsyncGenerator<ReencryptedBatch>,
  onProgress: RotationParts['onProgress'],
): Promise<ReencryptedBatch> {
  const sum = { rows: 0, changed: 0, foreign: 0 }
  const report = () => {
    const unknown = sum.foreign === 0 ? '' : `, ${sum.foreign} under neither key`
    onProgress(`${what}: ${sum.rows} checked, ${sum.changed} changed${unknown}`)
  }
  for await (const batch of batches) {
    const isRound = Math.floor((sum.rows + batch.rows) / progressRows) > Math.floor(sum.rows / progressRows)
    sum.rows += batch.rows
    sum.changed += batch.changed
    sum.foreign += batch.foreign
    if (isRound) report()
  }
  report()
  return sum
}

export function addressMacKeys({ encryptionKey, encryptionKeyPrevious }: EncryptionKeys): AddressMacKeys {
  return {
    macKey: addressMacKey(keyBytes(encryptionKey)),
    formerMacKey: encryptionKeyPrevious && addressMacKey(keyBytes(encryptionKeyPrevious)),
  }
}
