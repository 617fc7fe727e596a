import type { ReencryptedBatch } from '../../../core/seal.ts'
import type { Queryable } from '../../../platform/db/pool.ts'
import { type AddressMacKeys, addressMac, isGenuine } from './address.ts'
import { readMacsAfter, replaceMacs } from './address-store.ts'

/** Replaces each address MAC that is valid under the former key by a MAC under the current key. */
export async function* reencryptAddresses(
  { db, macKey, formerMacKey }: AddressMacKeys & { readonly db: Queryable },
  rows: number,
): AsyncGenerator<ReencryptedBatch> {
  for (let after = 0n; ; ) {
    const read = await readMacsAfter(db, after, rows)
    const last = read.at(-1)
    if (last === undefined) return
    const others = read.filter((address) => !isGenuine(macKey, address))
    const former = others.filter((address) => formerMacKey !== undefined && isGenuine(formerMacKey, address))
    if (former.length > 0) {
      await replaceMacs(
        db,
        former.map((address) => ({ ...address, newMac: addressMac(macKey, address) })),
      )
    }
    yield { rows: read.length, changed: former.length, foreign: others.length - former.length }
    after = last.id
  }
}
