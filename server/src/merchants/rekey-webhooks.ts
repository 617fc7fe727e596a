import { firstId } from '../core/ids.ts'
import { type RekeyedBite, reseal, type Sealer, UnsealError } from '../core/seal.ts'
import type { Queryable } from '../db/pool.ts'
import { webhookSecretContext } from './webhook-endpoint.ts'
import { readSealedAfter, replaceSealed } from './webhook-store.ts'

/** Seals the secrets of webhooks, current and former, under the current key. */
export async function* rekeyWebhooks(
  { db, sealer }: { readonly db: Queryable; readonly sealer: Sealer },
  rows: number,
): AsyncGenerator<RekeyedBite> {
  for (let after = firstId; ; ) {
    const read = await readSealedAfter(db, after, rows)
    const last = read.at(-1)
    if (last === undefined) return
    const bite = { rows: read.length, changed: 0, foreign: 0 }
    for (const { merchantId, sealedSecret, formerSealedSecret } of read) {
      const context = webhookSecretContext(merchantId)
      try {
        const current = reseal(sealer, sealedSecret, context)
        const former = formerSealedSecret === null ? undefined : reseal(sealer, formerSealedSecret, context)
        if (current === undefined && former === undefined) continue
        await replaceSealed(db, { merchantId, sealedSecret, current, former })
        bite.changed += 1
      } catch (error) {
        if (!(error instanceof UnsealError)) throw error
        bite.foreign += 1
      }
    }
    yield bite
    after = last.merchantId
  }
}
