/** Runs the search for missed payments, and their booking, one step at a time. */
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import type { ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import { acquireLease, type Lease, releaseLease } from '../../src/platform/db/lease.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'
import { bookAllMissed, type MissedOutcome } from '../../src/recovery/missed/book-missed.ts'
import { readComparedBlock } from '../../src/recovery/missed/comparison.ts'
import type { MissedPayment } from '../../src/recovery/missed/missed-payment.ts'
import { rereadOnce } from '../../src/recovery/missed/reread-blocks.ts'
import { searchOnce } from '../../src/recovery/missed/search-addresses.ts'
import type { Shop } from './shop.ts'

const never = new AbortController().signal

export type SearchedShop = Pick<Shop, 'db' | 'methods' | 'feeDefaults'>

export interface SearchMissed {
  /** Reads the balances of addresses and returns the new findings. */
  find(): Promise<readonly MissedPayment[]>
  /**
   * Reads a sample of past blocks again, and returns the new findings. The sample consists only of the block
   * at this height.
   */
  reread(height: number): Promise<readonly MissedPayment[]>
  /** Books the findings. */
  recover(): Promise<readonly MissedOutcome[]>
}

export function searchMissed(shop: SearchedShop, chain: ChainReader, log: Log = silentLog): SearchMissed {
  const { db, methods, feeDefaults } = shop
  const parts = { db, methods, chain, log }
  const underLease = async <T>(work: (lease: Lease) => Promise<T>) => {
    const leaseParams = { name: `find missed ${chain.network}`, holderId: newId(), ttlMs: limits.leaseMs }
    const lease = required(await acquireLease(db, leaseParams), 'the lease of the search')
    return work(lease).finally(() => releaseLease(db, lease))
  }
  return {
    find: () =>
      underLease(async (lease) =>
        required(await searchOnce(parts, lease, never), 'a look at addresses that could be compared'),
      ),
    reread: (height) =>
      underLease(async (lease) => {
        const at = required(await readComparedBlock(parts), 'a final block')
        const range = at.height - at.firstHeight
        const random = () => (height - at.firstHeight - 0.5) / range
        return rereadOnce(parts, { lease, round: 0, random }, never)
      }),
    recover: async () => {
      const outcomes: MissedOutcome[] = []
      await bookAllMissed({ ...parts, feeDefaults }, never, (_, outcome) => void outcomes.push(outcome))
      return outcomes
    },
  }
}

/** Expects that the search finds nothing where nothing was missed, whatever was paid, swept or sent. */
export async function expectNoneMissed(shop: SearchedShop, chain: ChainReader): Promise<void> {
  const leaseParams = { name: `find missed ${chain.network}`, holderId: newId(), ttlMs: limits.leaseMs }
  const lease = required(await acquireLease(shop.db, leaseParams), 'the lease of the search')
  const parts = { db: shop.db, methods: shop.methods, chain, log: silentLog }
  const found = await searchOnce(parts, lease, never).finally(() => releaseLease(shop.db, lease))
  expect(found ?? [], 'a false alarm of a missed payment').toEqual([])
}

/** Returns all findings, oldest first. */
export function readFindings(
  on: Queryable,
): Promise<readonly { readonly address: string; readonly state: string; readonly minor: string }[]> {
  return on.query(sql`select address, state, amount_minor::text as minor from missed_payment order by id`)
}
