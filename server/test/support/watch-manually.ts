/** A watcher that reads blocks or the mempool only when the test says so, and a check of the books. */
import type { ChainReader } from '../../src/chains/port.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import type { ComparedChain } from '../../src/oversight/verify/invariant.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { acquireLease, type Lease, releaseLease } from '../../src/platform/db/lease.ts'
import { type FollowChainParts, followChain } from '../../src/watcher/follow-chain.ts'
import { followMempool } from '../../src/watcher/follow-mempool.ts'
import type { Shop } from './shop.ts'

export interface ManualWatcher {
  /** Follows the chain to its head. */
  follow(over?: Pick<FollowChainParts, 'screening' | 'onHold'>): Promise<void>
  /**
   * Polls the whole mempool, as a watcher that has just started, and returns how much was left after each
   * poll.
   */
  pollMempool(): Promise<readonly number[]>
  /** Polls the transactions that were not read before, as a watcher that continues. */
  pollNew(): Promise<void>
  /** Polls once, whatever remains afterwards. */
  pollOnce(): Promise<void>
  /**
   * Returns as sentences the invariant violations that `verify` finds in the database and in comparison with
   * these chains, and what it could not check.
   */
  findViolations(chains?: readonly ComparedChain[]): Promise<readonly string[]>
}

/**
 * Returns a watcher of the shop.
 * @param readerOf returns the chain's reader, once tests run
 */
export function watchManually(
  shop: Pick<Shop, 'db' | 'methods' | 'feeDefaults'>,
  readerOf: () => ChainReader,
): ManualWatcher {
  const never = new AbortController().signal
  const underLease = async (name: string, work: (lease: Lease) => Promise<void>) => {
    const leaseParams = { name, holderId: newId(), ttlMs: limits.leaseMs }
    const lease = required(await acquireLease(shop.db, leaseParams), 'a lease')
    await work(lease).finally(() => releaseLease(shop.db, lease))
  }
  const watching = (workOf: (parts: ReturnType<typeof partsUnder>) => () => Promise<number>) =>
    underLease(`watch ${readerOf().network}`, async (lease) => {
      const work = workOf(partsUnder(lease))
      while ((await work()) > 0);
    })
  let held: Lease | undefined
  let going: ReturnType<typeof followMempool> | undefined
  const partsUnder = (lease: Lease) => ({
    db: shop.db,
    methods: shop.methods,
    feeDefaults: shop.feeDefaults,
    log: silentLog,
    lease,
    chain: readerOf(),
    mayUndoFinal: false,
    pollMs: 1_000,
  })
  const withMempool = (parts: ReturnType<typeof partsUnder>) => ({
    ...parts,
    mempool: required(parts.chain.mempool, 'a mempool'),
  })
  const heldParts = (parts: ReturnType<typeof partsUnder>) =>
    Object.defineProperty(withMempool(parts), 'lease', { get: () => required(held, 'the lease') })
  return {
    follow: (over) => watching((parts) => () => followChain({ ...parts, ...over }, never)),
    pollMempool: async () => {
      const left: number[] = []
      await watching((parts) => {
        const worker = followMempool(withMempool(parts))
        return async () => left[left.push(await worker.runBatch(never)) - 1] ?? 0
      })
      return left
    },
    pollNew: () =>
      watching((parts) => {
        held = parts.lease
        const worker = going ?? followMempool(heldParts(parts))
        going = worker
        return () => worker.runBatch(never)
      }),
    pollOnce: () =>
      watching((parts) => async () => {
        await followMempool(withMempool(parts)).runBatch(never)
        return 0
      }),
    findViolations: async (chains = []) => {
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
