/**
 * Measures the time from the commit of an event to its first delivery attempt, with and without an endpoint
 * that does not answer.
 */

import { trickle } from './emit-events.ts'
import { figure, type Measurement, median, percentile, spreadOf } from './measurement.ts'
import { type Merchants, withBacklog } from './open-merchants.ts'
import type { DevNode } from './open-node.ts'
import type { Postgres } from './open-postgres.ts'
import type { Receivers } from './open-receivers.ts'
import { readCpu } from './read-cpu.ts'
import { seededRandom } from './seeded-random.ts'
import { startCoffer } from './start-coffer.ts'

export interface AttemptsPrepared {
  readonly postgres: Postgres
  readonly node: DevNode
  readonly receivers: Receivers
  readonly merchants: Merchants
  readonly seed: string
  readonly idleMs: number
  readonly besideMs: number
  readonly pairs: number
  note(line: string): void
}

const idlePerSecond = 20
const besidePerSecond = 100
const deadBacklog = 10_000
/**
 * Time before the measurement. During this time, connections are opened, statements are planned and code is
 * compiled.
 */
const warmUpMs = 2_000

interface Round {
  readonly merchants: Merchants
  readonly ratePerSecond: number
  readonly durationMs: number
  /** The random values of the round are derived from this name. Both rounds of a pair have the same name. */
  readonly name: string
}

interface Played {
  readonly tookMs: readonly number[]
  /**
   * CPU time of Coffer and PostgreSQL for each event. Other load of the host affects this value less than it
   * affects a duration.
   */
  readonly cpuOfEachMs: number
}

export async function measureFirstAttempts(prepared: AttemptsPrepared): Promise<readonly Measurement[]> {
  prepared.note(`commit to first attempt, ${idlePerSecond} events per second`)
  const params = {
    merchants: prepared.merchants,
    ratePerSecond: idlePerSecond,
    durationMs: prepared.idleMs,
    name: 'idle',
  }
  const { tookMs: idleMs } = await playRound(prepared, params)
  const bar = (share: number, must?: { readonly atMost: number }): Measurement => ({
    bar: `commit to first attempt when idle, p${share * 100}`,
    ...(must && { must }),
    measured: percentile(idleMs, share),
    unit: 'ms',
    remark: spreadOf(idleMs, 'ms'),
  })
  return [bar(0.5), bar(0.99, { atMost: 100 }), await measureBesideDead(prepared)]
}

/**
 * Measures alternately with and without an endpoint that does not answer. Each round has a new database and a
 * new dispatcher. Pairs of rounds start with either case in turn, so that the order favours neither.
 */
async function measureBesideDead(prepared: AttemptsPrepared): Promise<Measurement> {
  const { pairs, besideMs: durationMs, postgres, merchants: without, note } = prepared
  const each = deadBacklog / without.dead.length
  const beside = await withBacklog(postgres, without, { merchantIds: without.dead, each })
  const tookMs = { without: [] as number[], beside: [] as number[] }
  const cpuMs = { without: [] as number[], beside: [] as number[] }
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? (['without', 'beside'] as const) : (['beside', 'without'] as const)
    for (const which of order) {
      const merchants = which === 'beside' ? beside : without
      const params = { merchants, ratePerSecond: besidePerSecond, durationMs, name: `pair ${pair}` }
      const played = await playRound(prepared, params)
      note(`${which} a dead endpoint: ${spreadOf(played.tookMs, 'ms')}`)
      tookMs[which].push(...played.tookMs)
      cpuMs[which].push(played.cpuOfEachMs)
    }
  }
  const withP99 = percentile(tookMs.beside, 0.99)
  const withoutP99 = percentile(tookMs.without, 0.99)
  return {
    bar: `others’ p99 beside a dead endpoint with ${deadBacklog} queued`,
    must: { atMost: 1.1 },
    measured: withP99 / withoutP99,
    unit: 'of the p99 without it',
    remark: [
      `p99 ${figure(withP99)} and ${figure(withoutP99)}`,
      `p50 ${figure(median(tookMs.beside))} and ${figure(median(tookMs.without))} ms of ${tookMs.beside.length} each`,
      `CPU time ${figure(median(cpuMs.beside))} and ${figure(median(cpuMs.without))} ms per delivery`,
    ].join(', '),
  }
}

async function playRound(prepared: AttemptsPrepared, round: Round): Promise<Played> {
  const { postgres, node, receivers, seed } = prepared
  const database = await postgres.copy(round.merchants.template)
  const coffer = await startCoffer(database, node, 'dispatcher')
  try {
    // Both rounds of a pair have the same parameters.
    const params = {
      ...round,
      merchantIds: round.merchants.live,
      random: seededRandom(`${seed} ${round.name}`),
    }
    await trickle(database.db, receivers, { ...params, durationMs: warmUpMs })
    const before = readCpu(coffer.pid, database.name)
    const tookMs = await trickle(database.db, receivers, params)
    const after = readCpu(coffer.pid, database.name)
    const usedMs = after.apiMs - before.apiMs + after.databaseMs - before.databaseMs
    return { tookMs, cpuOfEachMs: usedMs / tookMs.length }
  } finally {
    await coffer.stop()
    await database.drop()
  }
}
