import { firstId } from '../core/ids.ts'
import { type ReencryptedBatch, reseal, type Sealer } from '../core/seal.ts'
import type { Queryable } from '../platform/db/pool.ts'
import { webhookSecretContext } from './webhook-endpoint.ts'
import { readSealedAfter, replaceSealed } from './webhook-store.ts'

/**
 * Encrypts the current and previous secrets of webhooks again under the current encryption key. If one of a
 * webhook's secrets cannot be decrypted, the other one is still encrypted again.
 */
export async function* reencryptWebhooks(
  { db, sealer }: { readonly db: Queryable; readonly sealer: Sealer },
  rows: number,
): AsyncGenerator<ReencryptedBatch> {
  for (let after = firstId; ; ) {
    const read = await readSealedAfter(db, after, rows)
    const last = read.at(-1)
    if (last === undefined) return
    const batch = { rows: read.length, changed: 0, foreign: 0 }
    for (const { merchantId, sealedSecret, formerSealedSecret } of read) {
      const context = webhookSecretContext(merchantId)
      const current = reseal(sealer, sealedSecret, context)
      const former = formerSealedSecret === null ? 'current' : reseal(sealer, formerSealedSecret, context)
      if (current === 'foreign' || former === 'foreign') batch.foreign += 1
      const sealedAnew = { current: changed(current), former: changed(former) }
      if (sealedAnew.current === undefined && sealedAnew.former === undefined) continue
      await replaceSealed(db, { merchantId, sealedSecret, ...sealedAnew })
      batch.changed += 1
    }
    yield batch
    after = last.merchantId
  }
}

function changed(sealed: ReturnType<typeof reseal>): Buffer | undefined {
  return typeof sealed === 'string' ? undefined : sealed
}
