/** A watcher that takes a step when told, of blocks or of what waits, and books that are looked through afterwards. */
import type { ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { acquireLease, type Lease, releaseLease } from '../../src/db/lease.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import type { ComparedChain } from '../../src/verify/invariant.ts'
import { verify } from '../../src/verify/verify.ts'
import { followChain } from '../../src/watcher/follow-chain.ts'
import { followMempool } from '../../src/watcher/follow-mempool.ts'
import type { Shop } from './shop.ts'

export interface WatchByHand {
  /** Follows the chain to its head. */
  follow(): Promise<void>
  /** Looks at all that waits. */
  look(): Promise<void>
  /** Breaches that verify finds in the database and beside these chains, as sentences, and what it could not look at. */
  findBreaches(chains?: readonly ComparedChain[]): Promise<readonly string[]>
}

/** @param readerOf the chain, once tests run */
export function watchByHand(
  shop: Pick<Shop, 'db' | 'methods' | 'feeDefaults'>,
  readerOf: () => ChainReader,
): WatchByHand {
  const never = new AbortController().signal
  const underLease = async (name: string, work: (lease: Lease) => Promise<void>) => {
    const wish = { name, holderId: newId(), ttlMs: limits.leaseMs }
    const lease = required(await acquireLease(shop.db, wish), 'a lease')
    await work(lease).finally(() => releaseLease(shop.db, lease))
  }
  const watching = (work: (parts: ReturnType<typeof partsUnder>) => Promise<number>) =>
    underLease(`watch ${readerOf().network}`, async (lease) => {
      const parts = partsUnder(lease)
      while ((await work(parts)) > 0);
    })
  const partsUnder = (lease: Lease) => ({
    ...{ db: shop.db, methods: shop.methods, feeDefaults: shop.feeDefaults, log: silentLog, lease },
    ...{ chain: readerOf(), mayUndoFinal: false, pollMs: 1_000 },
  })
  return {
    follow: () => watching((parts) => followChain(parts, never)),
    look: () => watching((parts) => followMempool(parts).takeAndDo(never)),
    findBreaches: async (chains = []) => {
      await underLease('sealer', async (lease) => {
        while ((await sealBatch(shop.db, lease)) > 0);
      })
      const { entries } = await verify({ db: shop.db, methods: shop.methods, chains })
      const watched = chains.length > 0
      return entries.flatMap(({ findings, skipped = [] }) => [
        ...findings,
        ...(watched ? [skipped].flat() : []),
      ])
    },
  }
}
