import { firstId } from '../../../core/ids.ts'
import { type ReencryptedBatch, reseal, type Sealer } from '../../../core/seal.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { factorContext } from './prove-code.ts'
import { readSealedFactorsAfter, replaceSealedFactor } from './store.ts'

/** Encrypts the secrets of second factors again under the current encryption key, in batches of `rows`. */
export async function* reencryptSecondFactors(
  { db, sealer }: { readonly db: Queryable; readonly sealer: Sealer },
  rows: number,
): AsyncGenerator<ReencryptedBatch> {
  for (let after = firstId; ; ) {
    const read = await readSealedFactorsAfter(db, after, rows)
    const last = read.at(-1)
    if (last === undefined) return
    const batch = { rows: read.length, changed: 0, foreign: 0 }
    for (const { accountId, sealedSecret: former } of read) {
      const current = reseal(sealer, former, factorContext(accountId))
      if (current === 'foreign') batch.foreign += 1
      if (!Buffer.isBuffer(current)) continue
      await replaceSealedFactor(db, { accountId, former, current })
      batch.changed += 1
    }
    yield batch
    after = last.accountId
  }
}
