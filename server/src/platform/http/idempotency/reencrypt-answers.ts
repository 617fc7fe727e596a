import { firstId } from '../../../core/ids.ts'
import { type ReencryptedBatch, reseal, type Sealer } from '../../../core/seal.ts'
import type { Queryable } from '../../db/pool.ts'
import { contextOf, readAnswersAfter, replaceAnswers } from './idempotency-store.ts'

/** Encrypts the stored answers of Idempotency-Keys again with the current key, in batches of `rows`. */
export async function* reencryptAnswers(
  { db, sealer }: { readonly db: Queryable; readonly sealer: Sealer },
  rows: number,
): AsyncGenerator<ReencryptedBatch> {
  for (let after = { scopeId: firstId, key: '' }; ; ) {
    const read = await readAnswersAfter(db, after, rows)
    const last = read.at(-1)
    if (last === undefined) return
    const changed = []
    let foreign = 0
    for (const { scopeId, key, sealed } of read) {
      const anew = sealed === null ? 'current' : reseal(sealer, sealed, contextOf(scopeId))
      if (anew === 'foreign') foreign += 1
      else if (anew !== 'current') changed.push({ scopeId, key, sealed: anew })
    }
    if (changed.length > 0) await replaceAnswers(db, changed)
    yield { rows: read.length, changed: changed.length, foreign }
    after = last
  }
}
