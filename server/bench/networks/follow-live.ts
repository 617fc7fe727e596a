/** Measures a watcher that follows all networks at their pace. */
import { setTimeout as sleep } from 'node:timers/promises'
import { figure, type Measurement, percentile, spreadOf } from '../measurement.ts'
import { usedMs } from '../read-cpu.ts'
import { seededRandom } from '../seeded-random.ts'
import { type Followed, type Running, waitForWebhooks } from './running.ts'

const patienceMs = 30_000

export async function followLive(running: Running): Promise<readonly Measurement[]> {
  const { followed, receiver, pid, mode, note } = running
  note('following all networks at their pace')
  const startedMs = performance.now()
  const cpuBeforeMs = usedMs(pid)
  const lived = await Promise.all(followed.map((one) => live(running, one, startedMs)))
  const tookMs = performance.now() - startedMs
  const cpuMs = usedMs(pid) - cpuBeforeMs
  await waitForWebhooks(running, patienceMs)
  const cpu: Measurement = {
    bar: 'CPU of watcher and dispatcher, all networks',
    must: { atMost: 40 },
    measured: (cpuMs / tookMs) * 100,
    unit: '% of a core',
    remark: `${figure(cpuMs / 1000)} s of CPU in ${figure(tookMs / 1000)} s; ${mode.description}`,
  }
  return [cpu, ...lived.flatMap((one) => barsOf(one, receiver.received))]
}

/** What was seen of a network. Times are values of `performance.now()`. */
interface Lived {
  readonly followed: Followed
  readonly lagsMs: readonly number[]
  readonly announcedAtMs: ReadonlyMap<number, number>
}

/**
 * Announces each block at its time, even if the watcher is slower. The blocks of a network begin at a random moment
 * of its block time: real networks do not announce their blocks at the same moment.
 */
async function live({ booked, receiver }: Running, followed: Followed, startedMs: number): Promise<Lived> {
  const { network, node, missedHeight, lastHeight, firstIndex } = followed
  const { shape, seed } = node.plan
  const { blockTimeMs } = shape
  const firstMs = startedMs + seededRandom(`${seed} announces ${network}`)(blockTimeMs)
  for (const { height, txHash } of node.payments)
    if (height > missedHeight && height < lastHeight) receiver.expect([txHash], firstIndex + height)
  const announcedAtMs = new Map<number, number>()
  const lags: Promise<number>[] = []
  for (let height = missedHeight + 1; height <= lastHeight; height += 1) {
    await sleep(Math.max(0, firstMs + (height - missedHeight - 1) * blockTimeMs - performance.now()))
    const atMs = performance.now()
    announcedAtMs.set(firstIndex + height, atMs)
    node.moveTo(height)
    lags.push(booked.when(network, height).then((bookedMs) => bookedMs - atMs))
  }
  return { followed, announcedAtMs, lagsMs: await Promise.all(lags) }
}

function barsOf(
  { followed, lagsMs, announcedAtMs }: Lived,
  received: Running['receiver']['received'],
): readonly Measurement[] {
  const { network, node } = followed
  const webhooksMs = received.flatMap(({ index, atMs }) => {
    const announcedMs = announcedAtMs.get(index)
    return announcedMs === undefined ? [] : [atMs - announcedMs]
  })
  return [
    {
      bar: `${network}: block to commit, p99`,
      must: { atMost: node.plan.shape.blockTimeMs + 300 },
      measured: percentile(lagsMs, 0.99),
      unit: 'ms',
      remark: spreadOf(lagsMs, 'ms'),
    },
    {
      bar: `${network}: block to webhook, p50`,
      must: { atMost: 60 },
      measured: percentile(webhooksMs, 0.5),
      unit: 'ms',
      remark: spreadOf(webhooksMs, 'ms'),
    },
  ]
}
