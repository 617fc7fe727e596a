/** The metrics that Prometheus scrapes. A scrape reads only the database and never waits for a node. */
import ipaddr from 'ipaddr.js'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { Type } from 'typebox'
import { readFailures } from '../../chains/blocks/failure-store.ts'
import { readProgress } from '../../chains/blocks/store.ts'
import { fail } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { formatDecimal } from '../../core/money.ts'
import { readShownHalts } from '../../outgoing/engine/controls/active-halts.ts'
import { readBooksCheck } from '../../outgoing/engine/controls/books-check-store.ts'
import { readOutgoingFigures } from '../../outgoing/engine/controls/figures.ts'
import {
  type AssetFigures,
  hotWalletTotalMinor,
  readTreasury,
  shortfallMinor,
} from '../../outgoing/treasury/read-treasury.ts'
import { readPauses } from '../../payments/deposits/pause-store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { type Route, route } from '../../platform/http/route.ts'
import type { Answered } from '../../platform/http/server.ts'
import { mustHalt } from '../../platform/incarnation/history.ts'
import { readIncarnation } from '../../platform/incarnation/store.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { rotationSeconds } from '../../recovery/missed/missed-payment.ts'
import { readSearchFigures } from '../../recovery/missed/search-store.ts'
import { countUnbooked } from '../../recovery/missed/store.ts'
import { countBacklog } from '../../webhooks/backlog-store.ts'
import { readProvenSecondsAgo } from '../verify/proof-store.ts'

interface Sources {
  readonly db: Db
  readonly methods: PaymentMethods
}

export interface MetricsParts extends Sources {
  readonly metrics: Metrics
}

export interface Metrics {
  readonly contentType: string
  /** Records the duration of an HTTP request. This function is fast enough to be called for every request. */
  observe(answered: Answered): void
  /**
   * Returns a log that writes to `log` and counts the entries with a field `alert`, by the value of the
   * field.
   */
  counting(log: Log): Log
  /** Returns all current figures in the text format of Prometheus. */
  read(sources: Sources): Promise<string>
}

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function openMetrics(): Metrics {
  const register = new Registry()
  const durations = new Histogram({
    name: 'coffer_http_request_seconds',
    help: 'Duration of HTTP requests, by declared route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: secondsBuckets,
    registers: [register],
  })
  const alerts = new Counter({
    name: 'coffer_alerts_total',
    help: 'Alerts that this process has logged since its start, by name.',
    labelNames: ['alert'],
    registers: [register],
  })
  const gauges = openGauges(register)
  return {
    contentType: register.contentType,
    observe: ({ method, route, status, ms }) =>
      durations.observe({ method, route, status: String(status) }, ms / 1000),
    counting: (log) => {
      const counted =
        (level: 'info' | 'warn' | 'error') => (fields: Record<string, unknown>, message: string) => {
          if (typeof fields['alert'] === 'string') alerts.inc({ alert: fields['alert'] })
          log[level](fields, message)
        }
      return {
        debug: (fields, message) => log.debug?.(fields, message),
        info: counted('info'),
        warn: counted('warn'),
        error: counted('error'),
      }
    },
    read: async (sources) => {
      await measureChains(sources, gauges)
      await measureMissed(sources, gauges)
      await reportOutgoing(sources, gauges)
      await measureHistory(sources, gauges)
      await measureTreasury(sources, gauges)
      gauges.backlog.set(await countBacklog(sources.db))
      return register.metrics()
    },
  }
}

export function metricsRoute(parts: MetricsParts): Route {
  return route({
    method: 'GET',
    path: '/metrics',
    auth: 'open',
    operationId: 'getMetrics',
    summary: 'Read metrics for Prometheus; open to clients on this machine only',
    replies: { 200: Type.String({ contentMediaType: 'text/plain' }) },
    errors: ['forbidden'],
    handle: async ({ address, isForwarded }) => {
      // Forwarded requests are refused. If TRUST_PROXY does not name a proxy that runs on this host, every
      // client of that proxy seems to be local.
      if (isForwarded || !isLoopback(address)) {
        throw fail('forbidden', 'Metrics are available on this machine only: scrape them with a local agent.')
      }
      const { metrics } = parts
      return {
        status: 200,
        headers: { 'content-type': metrics.contentType },
        body: await metrics.read(parts),
      }
    },
  })
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

type Gauges = ReturnType<typeof openGauges>

function openGauges(register: Registry) {
  const gauge = (name: string, help: string, labelNames: readonly string[]) =>
    new Gauge({ name: `coffer_${name}`, help, labelNames: [...labelNames], registers: [register] })
  return {
    lag: gauge('chain_lag_blocks', 'Blocks of the node that are not booked yet.', ['network']),
    heard: gauge('chain_heard_seconds_ago', 'Seconds since the last answer of the node.', ['network']),
    failing: gauge('chain_failing_seconds', 'Seconds since following the chain first failed.', ['network']),
    paused: gauge('deposits_paused', '1 while deposits are paused after a deep reorganisation.', ['network']),
    outgoing: gauge('outgoing_open', 'Open outgoing transactions, by state.', ['network', 'state']),
    oldestOutgoing: gauge(
      'outgoing_oldest_seconds',
      'Seconds since the oldest open outgoing transaction was planned.',
      ['network', 'state'],
    ),
    halts: gauge('outgoing_halted', '1 for each cause for which payouts are halted.', ['cause']),
    checked: gauge('books_checked_seconds_ago', 'Seconds since the last check of the books finished.', []),
    proven: gauge('books_proven_seconds_ago', 'Seconds since "coffer verify" last found no violation.', []),
    rescanned: gauge(
      'books_rescanned_seconds_ago',
      'Seconds since the continuous check started its last complete round.',
      [],
    ),
    waits: gauge('outgoing_waiting', '1 for each cause for which payouts wait.', ['network', 'cause']),
    refused: gauge('outgoing_refused', 'Outgoing transactions that the signer refused.', ['code']),
    wallet: gauge('hot_wallet_balance', 'Balance of all hot wallets, in whole units.', ['asset']),
    shortfall: gauge(
      'hot_wallet_shortfall',
      'Amount that the hot wallets lack to pay the queued withdrawals.',
      ['asset'],
    ),
    queued: gauge('withdrawals_queued', 'Withdrawals for which nothing is signed yet.', ['asset']),
    oldest: gauge('withdrawals_oldest_seconds', 'Seconds that the oldest of them has waited.', ['asset']),
    unattributed: gauge('unattributed_balance', 'Unattributed money, whose owner is not known.', ['asset']),
    missed: gauge('missed_payments', 'Missed payments: money at addresses of ours that is not booked.', [
      'network',
      'state',
    ]),
    coverage: gauge(
      'address_coverage_seconds',
      'Seconds within which every address was compared with its chain; until all were compared, seconds since the first was.',
      ['network'],
    ),
    rotation: gauge(
      'address_rotation_seconds',
      'Seconds that a comparison of all addresses takes at the current rate.',
      ['network'],
    ),
    reread: gauge('blocks_read_again', 'Final blocks that were read again, by outcome.', [
      'network',
      'outcome',
    ]),
    incarnation: gauge(
      'incarnation',
      'Number of the incarnation; increases when the history of the database starts again.',
      [],
    ),
    historyLost: gauge(
      'history_lost',
      '1 while payouts are halted because the database went back in time, or may have.',
      [],
    ),
    backlog: gauge('webhook_backlog', 'Pending webhook deliveries.', []),
  }
}

async function measureChains({ db }: Sources, { lag, heard, failing, paused }: Gauges): Promise<void> {
  for (const one of [lag, heard, failing, paused]) one.reset()
  for (const { network, height, headHeight, seenSecondsAgo } of await readProgress(db)) {
    lag.set({ network }, Math.max(0, headHeight - height))
    heard.set({ network }, seenSecondsAgo)
    failing.set({ network }, 0)
    paused.set({ network }, 0)
  }
  for (const { network } of await readPauses(db)) paused.set({ network }, 1)
  for (const { network, failingSeconds } of await readFailures(db)) failing.set({ network }, failingSeconds)
}

async function measureMissed({ db }: Sources, gauges: Gauges): Promise<void> {
  const { missed, coverage, rotation, reread } = gauges
  for (const one of [missed, coverage, rotation, reread]) one.reset()
  for (const figures of await readSearchFigures(db)) {
    const { network, coveredSeconds, rotationTotal, scannedAddresses, scanSeconds } = figures
    for (const state of ['open', 'unexplained']) missed.set({ network, state }, 0)
    coverage.set({ network }, coveredSeconds)
    const pace = { addresses: rotationTotal, scannedAddresses, scanSeconds }
    rotation.set({ network }, rotationSeconds(pace) ?? Number.POSITIVE_INFINITY)
    reread.set({ network, outcome: 'read' }, figures.blocksReread)
    reread.set({ network, outcome: 'unread' }, figures.blocksUnread)
  }
  for (const { network, state, count } of await countUnbooked(db)) missed.set({ network, state }, count)
}

async function reportOutgoing({ db }: Sources, gauges: Gauges): Promise<void> {
  const { outgoing, oldestOutgoing, halts, waits, refused, checked, proven, rescanned } = gauges
  for (const one of [outgoing, oldestOutgoing, halts, waits, refused]) one.reset()
  const figures = await readOutgoingFigures(db)
  for (const { network, state, count, oldestS } of figures.open) {
    outgoing.set({ network, state }, count)
    oldestOutgoing.set({ network, state }, oldestS)
  }
  for (const { cause } of figures.halts) halts.set({ cause }, 1)
  for (const { network, cause } of figures.waits) waits.set({ network, cause }, 1)
  for (const { code } of figures.refused) refused.inc({ code })
  const { checkedSecondsAgo } = await readBooksCheck(db)
  checked.set(checkedSecondsAgo ?? Number.POSITIVE_INFINITY)
  proven.set((await readProvenSecondsAgo(db, 'verify')) ?? Number.POSITIVE_INFINITY)
  rescanned.set((await readProvenSecondsAgo(db, 'continuous')) ?? Number.POSITIVE_INFINITY)
}

async function measureHistory({ db }: Sources, { incarnation, historyLost }: Gauges): Promise<void> {
  const current = await readIncarnation(db)
  incarnation.set(current?.number ?? 1)
  const isHalted = (await readShownHalts(db)).some(({ cause }) => cause === 'history')
  historyLost.set(current !== undefined && mustHalt(current.cause) && isHalted ? 1 : 0)
}

async function measureTreasury({ db, methods }: Sources, gauges: Gauges): Promise<void> {
  const { wallet, shortfall, queued, oldest, unattributed } = gauges
  for (const one of [wallet, shortfall, queued, oldest, unattributed]) one.reset()
  for (const figures of await readTreasury(db, methods)) {
    const { asset } = figures.method
    // These values are for monitoring only: a float may round an amount with many decimals.
    const whole = (minor: bigint) => wholeUnits(figures, minor)
    wallet.set({ asset }, whole(hotWalletTotalMinor(figures)))
    shortfall.set({ asset }, whole(shortfallMinor(figures)))
    queued.set({ asset }, figures.queued)
    oldest.set({ asset }, figures.oldestSeconds)
    unattributed.set({ asset }, whole(figures.books.unattributedMinor))
  }
}

function wholeUnits({ method }: AssetFigures, minor: bigint): number {
  return Number(formatDecimal(minor, method.decimals))
}
