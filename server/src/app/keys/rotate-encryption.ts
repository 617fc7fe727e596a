/** Brings everything that an ENCRYPTION_KEY stands behind under another one, beside a running service. */

import { encryptionKeyId, keyBytes, openSealer, type RekeyedBite } from '../../core/seal.ts'
import { rekeySecondFactors } from '../../merchants/accounts/second-factor/rekey-second-factors.ts'
import { rekeyWebhooks } from '../../merchants/rekey-webhooks.ts'
import { type AddressMacKeys, addressMacKey } from '../../payments/invoices/addresses/address.ts'
import { rekeyAddresses } from '../../payments/invoices/addresses/rekey-addresses.ts'
import { claimTokenKey } from '../../payments/invoices/claims/claim.ts'
import { rekeyClaims } from '../../payments/invoices/claims/rekey-claims.ts'
import { endKeyChange } from '../../platform/db/key-fingerprint.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { rekeyAnswers } from '../../platform/http/idempotency/rekey-answers.ts'
import type { EncryptionKeys } from './open-keys.ts'

export interface RotationParts {
  readonly db: Queryable
  readonly keys: EncryptionKeys
  /** Told of the first look, of every 100,000 rows, and of the end of each kind. */
  onProgress(line: string): void
  readonly rowsAtOnce?: number
}

export interface Rotation {
  readonly changed: number
  /** What neither key knows, and was left as it is. */
  readonly foreign: number
}

const passesMax = 10
const progressRows = 100_000

/**
 * Changes what is under the former key, kind by kind, in short statements that may end anywhere: run again, it finds
 * what is left. It looks until it finds nothing more, as others may have sealed under the former key meanwhile, and then
 * notes that the former key is needed no more.
 * @throws Error where another process goes on sealing under the former key
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
    'a process still seals under the former key: give it the new ENCRYPTION_KEY, and run this again',
  )
}

async function passOver(parts: RotationParts): Promise<Rotation> {
  let changed = 0
  let foreign = 0
  for (const [what, bites] of kindsOf(parts)) {
    const done = await follow(what, bites, parts.onProgress)
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
    ['webhook secrets', rekeyWebhooks({ db, sealer }, rowsAtOnce)],
    ['second factors', rekeySecondFactors({ db, sealer }, rowsAtOnce)],
    ['kept answers', rekeyAnswers({ db, sealer }, rowsAtOnce)],
    ['claims of invoices', rekeyClaims({ db, sealer, ...claims }, rowsAtOnce)],
    ['addresses', rekeyAddresses({ db, ...addressMacKeys(keys) }, rowsAtOnce)],
  ] as const
}

async function follow(
  what: string,
  bites: AsyncGenerator<RekeyedBite>,
  onProgress: RotationParts['onProgress'],
): Promise<RekeyedBite> {
  const sum = { rows: 0, changed: 0, foreign: 0 }
  const tell = () => {
    const unknown = sum.foreign === 0 ? '' : `, ${sum.foreign} under neither key`
    onProgress(`${what}: ${sum.rows} looked at, ${sum.changed} changed${unknown}`)
  }
  for await (const bite of bites) {
    const isRound = Math.floor((sum.rows + bite.rows) / progressRows) > Math.floor(sum.rows / progressRows)
    sum.rows += bite.rows
    sum.changed += bite.changed
    sum.foreign += bite.foreign
    if (isRound) tell()
  }
  tell()
  return sum
}

export function addressMacKeys({ encryptionKey, encryptionKeyPrevious }: EncryptionKeys): AddressMacKeys {
  return {
    macKey: addressMacKey(keyBytes(encryptionKey)),
    formerMacKey: encryptionKeyPrevious && addressMacKey(keyBytes(encryptionKeyPrevious)),
  }
}
