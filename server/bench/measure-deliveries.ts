/**
 * Measures deliveries per second. A delivery counts when its result is stored. Before that it is claimed
 * (assigned to a dispatcher), signed, sent and answered with 2xx.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { Agent, request } from 'undici'
import type { Db } from '../src/platform/db/pool.ts'
import { receivedAll } from './emit-events.ts'
import { figure, type Measurement, median } from './measurement.ts'
import { monotonicMs } from './monotonic-clock.ts'
import { type Merchants, withBacklog } from './open-merchants.ts'
import type { DevNode } from './open-node.ts'
import type { OpenedDatabase, Postgres } from './open-postgres.ts'
import type { Received, Receivers } from './open-receivers.ts'
import { type CpuUse, readCpu } from './read-cpu.ts'
import { startCoffer } from './start-coffer.ts'

export interface DeliveriesPrepared {
  readonly postgres: Postgres
  readonly node: DevNode
  readonly receivers: Receivers
  readonly merchants: Merchants
  readonly queued: number
  readonly drains: number
  readonly bareMs: number
  note(line: string): void
}

interface Drain {
  readonly perSecond: number
  readonly tookMs: number
  readonly cpuOfEach: CpuUse
  /**
   * Number of deliveries divided by the number of database transactions. These transactions claim deliveries
   * or store their results.
   */
  readonly eachCommit: number
  readonly received: Received
  readonly memoryMb: number
}

/**
 * Measures the bare sender (HTTP without Coffer) and Coffer alternately, so that other load of the host
 * affects both equally.
 */
export async function measureDeliveries(prepared: DeliveriesPrepared): Promise<readonly Measurement[]> {
  const { postgres, receivers, merchants, queued, note } = prepared
  note(`${queued} events queued for ${receivers.live.length} hosts`)
  const merchantIds = merchants.live
  const full = await withBacklog(postgres, merchants, { merchantIds, each: queued / merchantIds.length })
  const bare: number[] = []
  const drains: Drain[] = []
  for (let round = 0; round < prepared.drains; round += 1) {
    bare.push(await sendBare(receivers, prepared.bareMs))
    const database = await postgres.copy(full.template)
    try {
      drains.push(await drain(prepared, database))
    } finally {
      await database.drop()
    }
  }
  return barsOf(prepared, drains, bare)
}

async function drain(
  { node, receivers, queued }: DeliveriesPrepared,
  database: OpenedDatabase,
): Promise<Drain> {
  const coffer = await startCoffer(database, node, 'dispatcher')
  const startedMs = monotonicMs()
  // The values from before the measurement are subtracted, so that the start of the process is not measured.
  const before = readCpu(coffer.pid, database.name)
  const commitsBefore = await commitsOf(database.db)
  try {
    await receivedAll(receivers, queued)
    await storedAll(database.db)
    const endedMs = monotonicMs()
    const after = readCpu(coffer.pid, database.name)
    const commits = (await commitsOf(database.db)) - commitsBefore
    const received = await receivers.take()
    const firstMs = received.received[0]?.[1] ?? Number.NaN
    const perSecond = (queued / (endedMs - firstMs)) * 1000
    const cpuOfEach = {
      apiMs: (after.apiMs - before.apiMs) / queued,
      databaseMs: (after.databaseMs - before.databaseMs) / queued,
    }
    const tookMs = endedMs - startedMs
    return {
      perSecond,
      tookMs,
      cpuOfEach,
      eachCommit: queued / commits,
      received,
      memoryMb: await coffer.memoryMb(),
    }
  } finally {
    await coffer.stop()
  }
}

async function storedAll(db: Db): Promise<void> {
  for (;;) {
    const pending = await db.query(sql`select from delivery where state = 'pending' limit 1`)
    if (pending.length === 0) break
    await sleep(5)
  }
  const [row] = await db.query<{ unsent: number }>(sql`
    select count(*) as unsent from delivery
    where state <> 'delivered' or not exists (select from delivery_attempt where delivery_id = delivery.id)`)
  if (row?.unsent !== 0) throw new Error(`${row?.unsent} deliveries are not stored as delivered`)
}

/**
 * Returns the number of commits. A statement outside a transaction counts as one commit. The benchmark's own
 * statements add a few dozen.
 */
async function commitsOf(db: Db): Promise<number> {
  const [row] = await db.query<{ commits: number }>(sql`
    select xact_commit as commits from pg_stat_database where datname = current_database()`)
  return row?.commits ?? Number.NaN
}

/**
 * Sends the same POST requests with undici alone, without signatures and without a database. Returns the
 * requests per second, which is the highest rate that HTTP allows on this host.
 */
async function sendBare(receivers: Receivers, durationMs: number): Promise<number> {
  const agent = new Agent({ connections: 4 })
  const body = JSON.stringify({ bare: 'x'.repeat(400) })
  const headers = { 'content-type': 'application/json' }
  const untilMs = performance.now() + durationMs
  let sent = 0
  const sendOn = async (url: string) => {
    while (performance.now() < untilMs) {
      const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent })
      await answer.body.dump()
      sent += 1
    }
  }
  await Promise.all(receivers.live.flatMap((url) => [url, url, url, url].map(sendOn)))
  await agent.close()
  await receivers.take()
  return (sent / durationMs) * 1000
}

function barsOf(
  { receivers, queued }: DeliveriesPrepared,
  drains: readonly Drain[],
  bare: readonly number[],
): readonly Measurement[] {
  const perSecond = median(drains.map((one) => one.perSecond))
  const cpu = (of: (one: CpuUse) => number) => figure(median(drains.map((one) => of(one.cpuOfEach))))
  const checkedCount = drains.reduce((sum, { received }) => sum + received.checked, 0)
  const refused = drains.reduce((sum, { received }) => sum + received.refused, 0)
  const repeated = drains.reduce((sum, { received }) => sum + received.count - queued, 0)
  const spread = `${drains.map((one) => figure(one.perSecond)).join(', ')}/s`
  return [
    {
      bar: `webhooks stored, ${receivers.live.length} hosts with open connections`,
      must: { atLeast: 3_000 },
      // The measurement is invalid if a receiver would have rejected a delivery.
      measured: refused === 0 ? perSecond : Number.NaN,
      unit: '/s',
      remark: `${spread}; ${checkedCount} signatures checked, ${refused} wrong; ${repeated} delivered twice`,
    },
    {
      bar: 'webhooks stored, compared with plain POSTs',
      measured: median(drains.map((one, round) => one.perSecond / (bare[round] ?? Number.NaN))),
      unit: 'of undici without Coffer',
      remark: `plain POSTs ${bare.map(figure).join(', ')}/s to the same receivers, 4 connections each`,
    },
    {
      bar: `${queued} queued, drained`,
      must: { atMost: (60 * queued) / 100_000 },
      measured: Math.max(...drains.map((one) => one.tookMs)) / 1000,
      unit: 's',
      remark: 'slowest; from the start of the dispatcher to the last stored result',
    },
    {
      bar: 'CPU time per delivery, Coffer',
      measured: median(drains.map((one) => one.cpuOfEach.apiMs)),
      unit: 'ms',
      remark: `start excluded; PostgreSQL ${cpu((one) => one.databaseMs)} ms; ${figure(median(drains.map((one) => one.eachCommit)))} deliveries per transaction`,
    },
    {
      bar: 'memory of the dispatcher',
      must: { atMost: 300 },
      measured: Math.max(...drains.map((one) => one.memoryMb)),
      unit: 'MB',
      remark: 'resident, after the measurements above',
    },
  ]
}
