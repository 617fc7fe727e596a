import { once } from 'node:events'
import { readProgress } from '../chains/blocks/store.ts'
import type { NetworkName } from '../chains/networks.ts'
import type { ChainReader } from '../chains/port.ts'
import type { Viewers } from '../checkout/viewers.ts'
import type { Clock } from '../core/clock.ts'
import { type Wake, type Worker, workLoop } from '../core/concurrency/work-loop.ts'
import { limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { runSealer } from '../ledger/seal.ts'
import { forgetFormerSecrets } from '../merchants/forget-former-secrets.ts'
import type { PayoutParts } from '../outgoing/engine/machine.ts'
import { runPayouts } from '../outgoing/engine/run-payouts.ts'
import { keepHeadCountersigned } from '../outgoing/engine/signer-client/countersign-head.ts'
import { finishSweeps } from '../outgoing/sweeps/finish-sweeps.ts'
import { measureLanesWorker } from '../outgoing/treasury/measure-lanes.ts'
import { paymentDays } from '../oversight/overviews/store.ts'
import { keepBooksChecked } from '../oversight/verify/standing-check.ts'
import { solvencyKeeper } from '../oversight/verify/standing-solvency.ts'
import { transactionCounts } from '../payments/deposits/lists/count-store.ts'
import { rescreenDeposits } from '../payments/deposits/quarantine/rescreen-deposits.ts'
import type { AddressPool } from '../payments/invoices/addresses/address-pool.ts'
import { forgetAddresses } from '../payments/invoices/addresses/forget-addresses.ts'
import type { PaymentsOf } from '../payments/invoices/addresses/give-payment-address.ts'
import { expireInvoices } from '../payments/invoices/expire-invoices.ts'
import { invoiceCounts } from '../payments/invoices/lists/count-store.ts'
import { type KeepListFreshParts, keepListFresh } from '../payments/screening/keep-list-fresh.ts'
import type { Screening } from '../payments/screening/screen.ts'
import { foldAll } from '../platform/db/fold.ts'
import type { Db } from '../platform/db/pool.ts'
import { forgetOldKeys } from '../platform/http/idempotency/answer-once.ts'
import type { HistoryWatch } from '../platform/incarnation/history-watch.ts'
import type { FeeDefaults } from '../pricing/fees/fee.ts'
import type { PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import { forgetRates } from '../pricing/rates/forget-rates.ts'
import { keepRatesFresh, type RefreshRatesParts } from '../pricing/rates/refresh-rates.ts'
import { type RecoverLostParts, recoveryWorker } from '../recovery/lost-history/recover-lost.ts'
import { watchForMissed } from '../recovery/missed/watch-for-missed.ts'
import { forgetBlocks } from '../watcher/forget-blocks.ts'
import { watchChain } from '../watcher/watch-chain.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'
import type { Arrivals } from '../webhooks/feed/arrivals.ts'
import { forgetDeliveries } from '../webhooks/forget-deliveries.ts'
import { listenForEvents } from '../webhooks/listen.ts'
import { keepLanesFunded } from './sandbox/fund-lanes.ts'

/** The roles of a process. docs/jobs.md lists the jobs of each role. */
export const roles = ['api', 'watcher', 'dispatcher', 'payouts'] as const
export type Role = (typeof roles)[number]

export interface JobParts extends Pick<KeepListFreshParts, 'sanctionsFile' | 'families'> {
  readonly db: Db
  /** Straight to PostgreSQL, for LISTEN. */
  readonly databaseUrl: string
  readonly clock: Clock
  readonly log: Log
  readonly chains: readonly ChainReader[]
  /** Of the dev chains on which wallets of the node stand for the operator; none in production. */
  readonly devNodes: ReadonlyMap<NetworkName, string>
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
  readonly pools: readonly AddressPool[]
  readonly paymentsOf: PaymentsOf
  readonly rates: RefreshRatesParts
  readonly dispatcher: Dispatcher
  readonly arrivals: Arrivals
  readonly viewers: Viewers
  readonly history: HistoryWatch
  readonly payouts: readonly PayoutParts[]
  readonly recovery: RecoverLostParts
  readonly screening: Screening
  readonly pollMs: number
  /** On dev chains only, which lose their tail. */
  readonly mayUndoFinal: boolean
  readonly signal: AbortSignal
}

type Job = (parts: JobParts) => Promise<unknown>

const jobs: Record<Role, readonly Job[]> = {
  api: [
    ({ pools, ...parts }) => Promise.all(pools.map((pool) => loop(parts, pool.worker()))),
    (parts) => loop(parts, foldAll(parts.db, invoiceCounts)),
    (parts) => loop(parts, foldAll(parts.db, paymentDays)),
    (parts) => loop(parts, foldAll(parts.db, transactionCounts)),
    (parts) => loop(parts, parts.arrivals, parts.arrivals.wake),
    (parts) => loop(parts, parts.viewers, parts.viewers.wake),
    (parts) => loop(parts, recoveryWorker(parts.recovery)),
  ],
  watcher: [
    ({ chains, history, ...parts }) => {
      const guard = () => history.guard()
      return Promise.all(chains.map((chain) => watchChain({ ...parts, chain, guard })))
    },
    ({ chains, ...parts }) => Promise.all(chains.map((chain) => watchForMissed({ ...parts, chain }))),
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
      Promise.all([...devNodes].map(([network, nodeUrl]) => keepLanesFunded({ ...parts, network, nodeUrl }))),
  ],
  dispatcher: [
    (parts) => loop(parts, parts.dispatcher, parts.dispatcher.wake),
    (parts) => loop(parts, forgetDeliveries(parts)),
    ({ signal, dispatcher }) => afterAbort(signal, () => dispatcher.close(limits.drainTimeoutMs / 4)),
  ],
  payouts: [
    ({ payouts, pollMs, signal, history, ...parts }) =>
      Promise.all(
        payouts.map((machine) => {
          const keepSolvent = solvencyKeeper({ ...parts, machine })
          const { guard } = history
          return runPayouts({ ...machine, clock: parts.clock, pollMs, signal, guard, keepSolvent })
        }),
      ),
    ({ payouts: [first], ...parts }) =>
      first === undefined ? Promise.resolve() : keepHeadCountersigned({ ...parts, signer: first.signer }),
    (parts) => loop(parts, finishSweeps(parts)),
    keepBooksChecked,
    ({ chains, ...parts }) =>
      Promise.all(chains.map((chain) => loop(parts, measureLanesWorker({ ...parts, chain })))),
  ],
}

/** Starts the jobs of some roles; resolves when all have ended, which they do when the signal aborts. */
export async function runJobs(parts: JobParts, which: readonly Role[]): Promise<void> {
  const isTold = which.includes('api') || which.includes('dispatcher')
  const own = which.flatMap((role) => jobs[role])
  await Promise.all([...own, beat, ...(isTold ? [listen] : [])].map((job) => job(parts)))
}

/** Every process notices for itself when the database has gone back. */
function beat(parts: JobParts): Promise<void> {
  return loop(parts, parts.history.worker())
}

/** One connection for all in this process who wait for events. */
function listen({ dispatcher, arrivals, viewers, ...parts }: JobParts): Promise<void> {
  return listenForEvents({
    ...parts,
    onEvents: () => {
      dispatcher.wake.now()
      arrivals.wake.now()
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
