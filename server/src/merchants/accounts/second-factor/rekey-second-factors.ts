import { firstId } from '../../../core/ids.ts'
import { type RekeyedBite, reseal, type Sealer } from '../../../core/seal.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { factorContext } from './prove-code.ts'
import { readSealedFactorsAfter, replaceSealedFactor } from './store.ts'

/** Seals the secrets of second factors under the current key. */
export async function* rekeySecondFactors(
  { db, sealer }: { readonly db: Queryable; readonly sealer: Sealer },
  rows: number,
): AsyncGenerator<RekeyedBite> {
  for (let after = firstId; ; ) {
    const read = await readSealedFactorsAfter(db, after, rows)
    const last = read.at(-1)
    if (last === undefined) return
    const bite = { rows: read.length, changed: 0, foreign: 0 }
    for (const { accountId, sealedSecret: former } of read) {
      const current = reseal(sealer, former, factorContext(accountId))
      if (current === 'foreign') bite.foreign += 1
      if (!Buffer.isBuffer(current)) continue
      await replaceSealedFactor(db, { accountId, former, current })
      bite.changed += 1
    }
    yield bite
    after = last.accountId
  }
}
