import { once } from 'node:events'
import { readProgress } from '../chains/blocks/store.ts'
import type { ChainReader } from '../chains/port.ts'
import type { Viewers } from '../checkout/viewers.ts'
import type { Clock } from '../core/clock.ts'
import type { Growing } from '../core/concurrency/growing.ts'
import { type Wake, type Worker, workLoop } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { runSealer } from '../ledger/seal.ts'
import { forgetFormerSecrets } from '../merchants/forget-former-secrets.ts'
import type { EngineParts } from '../outgoing/engine/engine-parts.ts'
import { runEngine } from '../outgoing/engine/run.ts'
import { keepHeadCountersigned } from '../outgoing/engine/signer-client/countersign-head.ts'
import { finishSweeps } from '../outgoing/sweeps/finish-sweeps.ts'
import { measureHotWalletsWorker } from '../outgoing/treasury/measure-hot-wallets.ts'
import { paymentDays } from '../oversight/overviews/store.ts'
import { keepBooksChecked } from '../oversight/verify/continuous-check.ts'
import { solvencyKeeper } from '../oversight/verify/continuous-solvency.ts'
import { depositCounts } from '../payments/deposits/lists/count-store.ts'
import { rescreenDeposits } from '../payments/deposits/quarantine/rescreen-deposits.ts'
import type { AddressPool } from '../payments/invoices/addresses/address-pool.ts'
import { forgetAddresses } from '../payments/invoices/addresses/forget-addresses.ts'
import type { PaymentsOf } from '../payments/invoices/addresses/give-payment-address.ts'
import { expireInvoices } from '../payments/invoices/expire-invoices.ts'
import { invoiceCounts } from '../payments/invoices/lists/count-store.ts'
import { type KeepListFreshParts, keepListFresh } from '../payments/screening/keep-list-fresh.ts'
import type { Screening } from '../payments/screening/screen.ts'
import { aggregateAll } from '../platform/db/aggregate.ts'
import type { Db } from '../platform/db/pool.ts'
import { forgetOldKeys } from '../platform/http/idempotency/answer-once.ts'
import type { HistoryWatch } from '../platform/incarnation/history-watch.ts'
import type { FeeDefaults } from '../pricing/fees/fee.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import { forgetRates } from '../pricing/rates/forget-rates.ts'
import { keepRatesFresh, type RefreshRatesParts } from '../pricing/rates/refresh-rates.ts'
import { findByBalance } from '../recovery/found-by-balance/find-by-balance.ts'
import { type RecoverLostParts, recoveryWorker } from '../recovery/lost-history/recover-lost.ts'
import { watchForMissed } from '../recovery/missed/watch-for-missed.ts'
import { forgetBlocks } from '../watcher/forget-blocks.ts'
import { watchChain } from '../watcher/watch-chain.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'
import type { FeedWaiters } from '../webhooks/feed/feed-waiters.ts'
import { forgetDeliveries } from '../webhooks/forget-deliveries.ts'
import { listenForEvents } from '../webhooks/listen.ts'
import { type DevNode, keepHotWalletsFunded } from './sandbox/fund-hot-wallets.ts'

/** The roles of a process. docs/jobs.md lists the jobs of each role. */
export const roles = ['api', 'watcher', 'dispatcher', 'payouts'] as const
export type Role = (typeof roles)[number]

export interface JobParts extends Pick<KeepListFreshParts, 'sanctionsFile' | 'families'> {
  readonly db: Db
  /** The URL of a direct connection to PostgreSQL, which LISTEN requires. */
  readonly databaseUrl: string
  readonly clock: Clock
  readonly log: Log
  readonly chains: Growing<ChainReader>
  /** Nodes of dev chains. The wallet of each node sends the operator's test money. Empty in production. */
  readonly devNodes: Growing<DevNode>
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  readonly pools: readonly AddressPool[]
  readonly paymentsOf: PaymentsOf
  readonly rates: RefreshRatesParts
  readonly dispatcher: Dispatcher
  readonly feedWaiters: FeedWaiters
  readonly viewers: Viewers
  readonly history: HistoryWatch
  readonly payouts: Growing<EngineParts>
  readonly ownRows: Worker
  /** Returns the number of the last entry about a network or its tokens that this process has taken. */
  rowSerialOn(network: string): number
  readonly recovery: RecoverLostParts
  readonly screening: Screening
  readonly pollMs: number
  /**
   * Whether a final block may be undone. True only for dev chains, because only a dev chain can lose final
   * blocks.
   */
  readonly mayUndoFinal: boolean
  readonly signal: AbortSignal
}

type Job = (parts: JobParts) => Promise<unknown>

const jobs: Record<Role, readonly Job[]> = {
  api: [
    ({ pools, ...parts }) => Promise.all(pools.map((pool) => loop(parts, pool.worker()))),
    (parts) => loop(parts, aggregateAll(parts.db, invoiceCounts)),
    (parts) => loop(parts, aggregateAll(parts.db, paymentDays)),
    (parts) => loop(parts, aggregateAll(parts.db, depositCounts)),
    (parts) => loop(parts, parts.feedWaiters, parts.feedWaiters.wake),
    (parts) => loop(parts, parts.viewers, parts.viewers.wake),
    (parts) => loop(parts, recoveryWorker(parts.recovery)),
  ],
  watcher: [
    ({ chains, history, ...parts }) => {
      const guard = () => history.guard()
      return chains.runEach(parts.signal, (chain) => watchChain({ ...parts, chain, guard }))
    },
    ({ chains, ...parts }) => chains.runEach(parts.signal, (chain) => watchForMissed({ ...parts, chain })),
    ({ chains, ...parts }) => chains.runEach(parts.signal, (chain) => findByBalance({ ...parts, chain })),
    (parts) => loop(parts, recoveryWorker(parts.recovery)),
    (parts) => loop(parts, expireInvoices(parts)),
    (parts) => loop(parts, forgetOldKeys(parts)),
    (parts) => loop(parts, forgetFormerSecrets(parts)),
    (parts) => loop(parts, forgetRates({ ...parts, readBooked: () => readProgress(parts.db) })),
    (parts) => loop(parts, forgetBlocks(parts)),
    (parts) => loop(parts, forgetAddresses(parts)),
    ({ rates, clock, signal }) => keepRatesFresh({ ...rates, clock, signal }),
    keepListFresh,
    (parts) => loop(parts, rescreenDeposits(parts)),
    runSealer,
    ({ devNodes, ...parts }) =>
      devNodes.runEach(parts.signal, (node) => keepHotWalletsFunded({ ...parts, ...node })),
  ],
  dispatcher: [
    (parts) => loop(parts, parts.dispatcher, parts.dispatcher.wake),
    (parts) => loop(parts, forgetDeliveries(parts)),
    ({ signal, dispatcher }) => afterAbort(signal, () => dispatcher.close(limits.drainTimeoutMs / 4)),
  ],
  payouts: [
    ({ payouts, pollMs, signal, history, ...parts }) =>
      payouts.runEach(signal, (engine) => {
        const keepSolvent = solvencyKeeper({ ...parts, engine })
        const { guard } = history
        return runEngine({ ...engine, clock: parts.clock, pollMs, signal, guard, keepSolvent })
      }),
    ({ payouts, ...parts }) => {
      const [first] = payouts.items
      if (first === undefined) return Promise.resolve()
      return keepHeadCountersigned({ ...parts, signer: first.signer })
    },
    ({ chains, ...parts }) => loop(parts, finishSweeps({ ...parts, chains: chains.items })),
    keepBooksChecked,
    ({ chains, ...parts }) =>
      chains.runEach(parts.signal, (chain) => loop(parts, measureHotWalletsWorker({ ...parts, chain }))),
  ],
}

/**
 * Starts the jobs of some roles. The promise resolves when all jobs have ended. They end after the signal
 * aborts.
 */
export async function runJobs(parts: JobParts, which: readonly Role[]): Promise<void> {
  const emitsEvents = which.includes('api') || which.includes('dispatcher')
  const own = which.flatMap((role) => jobs[role])
  const everywhere: readonly Job[] = [beat, (all) => loop(all, all.ownRows)]
  await Promise.all([...own, ...everywhere, ...(emitsEvents ? [listen] : [])].map((job) => job(parts)))
}

/** Runs the heartbeat, by which every process detects that the database was reset to an earlier state. */
function beat(parts: JobParts): Promise<void> {
  return loop(parts, parts.history.worker())
}

/**
 * Listens for new events on one connection. An event wakes every part of this process that waits for events.
 */
function listen({ dispatcher, feedWaiters, viewers, ...parts }: JobParts): Promise<void> {
  return listenForEvents({
    ...parts,
    onEvents: () => {
      dispatcher.wake.now()
      feedWaiters.wake.now()
      viewers.wake.now()
    },
  })
}

function loop(
  { clock, log, signal }: Pick<JobParts, 'clock' | 'log' | 'signal'>,
  worker: Worker,
  wake?: Wake,
): Promise<void> {
  return workLoop(worker, { clock, log, signal, ...(wake && { wake }) })
}

async function afterAbort(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
  await work()
}
