/** What Prometheus asks for. Figures are read when asked, from the database alone: no node is waited for. */
import ipaddr from 'ipaddr.js'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { Type } from 'typebox'
import { readFailures } from '../../chains/blocks/failure-store.ts'
import { readProgress } from '../../chains/blocks/store.ts'
import { fail } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { formatDecimal } from '../../core/money.ts'
import { readBooksCheck } from '../../outgoing/engine/controls/books-check-store.ts'
import { readPayoutFigures } from '../../outgoing/engine/controls/figures.ts'
import { readShownHalts } from '../../outgoing/engine/controls/standing-halts.ts'
import {
  type AssetFigures,
  laneTotalMinor,
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
import { turnSeconds } from '../../recovery/missed/missed-payment.ts'
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
  /** Takes the time of an answer; cheap enough for every request. */
  observe(answered: Answered): void
  /** A log that counts what it is told under `alert`, a stable word. */
  counting(log: Log): Log
  /** All figures as they are now, in the text that Prometheus reads. */
  read(sources: Sources): Promise<string>
}

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function openMetrics(): Metrics {
  const register = new Registry()
  const durations = new Histogram({
    name: 'coffer_http_request_seconds',
    help: 'How long answers took, by declared route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: secondsBuckets,
    registers: [register],
  })
  const alerts = new Counter({
    name: 'coffer_alerts_total',
    help: 'Alerts that this process logged since it began, by their word.',
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
      await tellChains(sources, gauges)
      await tellMissed(sources, gauges)
      await tellPayouts(sources, gauges)
      await tellHistory(sources, gauges)
      await tellTreasury(sources, gauges)
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
    summary: 'Read the figures that Prometheus watches; open to clients on this machine alone',
    replies: { 200: Type.String({ contentMediaType: 'text/plain' }) },
    errors: ['forbidden'],
    handle: async ({ address, isForwarded }) => {
      // A proxy on this machine that TRUST_PROXY does not name would make everybody its own client.
      if (isForwarded || !isLoopback(address)) {
        throw fail('forbidden', 'Metrics are read on the machine itself: let a local agent scrape them.')
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
    lag: gauge('chain_lag_blocks', 'Blocks that the node has and the books have not.', ['network']),
    heard: gauge('chain_heard_seconds_ago', 'Since the node was last heard.', ['network']),
    failing: gauge('chain_failing_seconds', 'How long a chain could not be followed.', ['network']),
    paused: gauge('deposits_paused', '1 while nothing is credited, after a deep reorganisation.', [
      'network',
    ]),
    payouts: gauge('payouts_open', 'Payouts that are not over, by state.', ['network', 'state']),
    oldestPayout: gauge('payouts_oldest_seconds', 'Since the oldest of them was planned.', [
      'network',
      'state',
    ]),
    halts: gauge('payouts_halted', '1 for each cause for which no money leaves.', ['cause']),
    checked: gauge('books_checked_seconds_ago', 'Since the books were last found to add up or not.', []),
    proven: gauge('books_proven_seconds_ago', 'Since coffer verify last found everything in order.', []),
    lookedAgain: gauge(
      'books_looked_again_seconds_ago',
      'Since the standing check began its last whole round.',
      [],
    ),
    waits: gauge('payouts_waiting', '1 for each cause for which payouts wait.', ['network', 'cause']),
    refused: gauge('payouts_refused', 'Payouts that the signer refused.', ['code']),
    wallet: gauge('hot_wallet_balance', 'What the hot lanes hold together, in whole units.', ['asset']),
    shortfall: gauge('hot_wallet_shortfall', 'What the hot wallet lacks to pay the queue.', ['asset']),
    queued: gauge('withdrawals_queued', 'Withdrawals for which nothing is signed.', ['asset']),
    oldest: gauge('withdrawals_oldest_seconds', 'How long the first of them has waited.', ['asset']),
    unattributed: gauge('unattributed_balance', 'Money that belongs to nobody we know.', ['asset']),
    missed: gauge('missed_payments', 'Payments at addresses of ours that are in no book.', [
      'network',
      'state',
    ]),
    coverage: gauge(
      'address_coverage_seconds',
      'Every address was compared with its chain within so long; until all were, since when any was.',
      ['network'],
    ),
    turn: gauge('address_turn_seconds', 'How long a turn through all addresses takes at the present pace.', [
      'network',
    ]),
    reread: gauge('blocks_read_again', 'Final blocks that were read again and could be, or could not.', [
      'network',
      'outcome',
    ]),
    incarnation: gauge('incarnation', 'Rises where the history of the database began anew.', []),
    historyLost: gauge(
      'history_lost',
      '1 while payouts are halted since the database went back, or may have.',
      [],
    ),
    backlog: gauge('webhook_backlog', 'Deliveries that are still to be made.', []),
  }
}

async function tellChains({ db }: Sources, { lag, heard, failing, paused }: Gauges): Promise<void> {
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

async function tellMissed({ db }: Sources, gauges: Gauges): Promise<void> {
  const { missed, coverage, turn, reread } = gauges
  for (const one of [missed, coverage, turn, reread]) one.reset()
  for (const figures of await readSearchFigures(db)) {
    const { network, coveredSeconds, turnTotal, lookAddresses, lookSeconds } = figures
    for (const state of ['open', 'unexplained']) missed.set({ network, state }, 0)
    coverage.set({ network }, coveredSeconds)
    const pace = { addresses: turnTotal, lookAddresses, lookSeconds }
    turn.set({ network }, turnSeconds(pace) ?? Number.POSITIVE_INFINITY)
    reread.set({ network, outcome: 'read' }, figures.blocksReread)
    reread.set({ network, outcome: 'unread' }, figures.blocksUnread)
  }
  for (const { network, state, count } of await countUnbooked(db)) missed.set({ network, state }, count)
}

async function tellPayouts({ db }: Sources, gauges: Gauges): Promise<void> {
  const { payouts, oldestPayout, halts, waits, refused, checked, proven, lookedAgain } = gauges
  for (const one of [payouts, oldestPayout, halts, waits, refused]) one.reset()
  const figures = await readPayoutFigures(db)
  for (const { network, state, count, oldestS } of figures.open) {
    payouts.set({ network, state }, count)
    oldestPayout.set({ network, state }, oldestS)
  }
  for (const { cause } of figures.halts) halts.set({ cause }, 1)
  for (const { network, cause } of figures.waits) waits.set({ network, cause }, 1)
  for (const { code } of figures.refused) refused.inc({ code })
  const { checkedSecondsAgo } = await readBooksCheck(db)
  checked.set(checkedSecondsAgo ?? Number.POSITIVE_INFINITY)
  proven.set((await readProvenSecondsAgo(db, 'verify')) ?? Number.POSITIVE_INFINITY)
  lookedAgain.set((await readProvenSecondsAgo(db, 'standing')) ?? Number.POSITIVE_INFINITY)
}

async function tellHistory({ db }: Sources, { incarnation, historyLost }: Gauges): Promise<void> {
  const current = await readIncarnation(db)
  incarnation.set(current?.number ?? 1)
  const isHalted = (await readShownHalts(db)).some(({ cause }) => cause === 'history')
  historyLost.set(current !== undefined && mustHalt(current.cause) && isHalted ? 1 : 0)
}

async function tellTreasury({ db, methods }: Sources, gauges: Gauges): Promise<void> {
  const { wallet, shortfall, queued, oldest, unattributed } = gauges
  for (const one of [wallet, shortfall, queued, oldest, unattributed]) one.reset()
  for (const figures of await readTreasury(db, methods)) {
    const { asset } = figures.method
    // For watching alone: a float may round an amount of many places.
    const whole = (minor: bigint) => wholeUnits(figures, minor)
    wallet.set({ asset }, whole(laneTotalMinor(figures)))
    shortfall.set({ asset }, whole(shortfallMinor(figures)))
    queued.set({ asset }, figures.queued)
    oldest.set({ asset }, figures.oldestSeconds)
    unattributed.set({ asset }, whole(figures.books.unattributedMinor))
  }
}

function wholeUnits({ method }: AssetFigures, minor: bigint): number {
  return Number(formatDecimal(minor, method.decimals))
}
