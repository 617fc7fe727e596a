/**
 * Measures webhooks and compares the results with the performance targets. It measures deliveries per second,
 * the time from commit to first attempt with and without an endpoint that does not answer, and the time from
 * block to webhook.
 */
import type { CloseStack } from '../src/app/close-stack.ts'
import type { BenchParts } from './bench.ts'
import { closeAfter } from './close-after.ts'
import { measureLatencies } from './latency.ts'
import { measureDeliveries } from './measure-deliveries.ts'
import { measureFirstAttempts } from './measure-first-attempts.ts'
import { failureOf, figure, type Measurement } from './measurement.ts'
import { openMerchants } from './open-merchants.ts'
import { openNode } from './open-node.ts'
import { openPostgres } from './open-postgres.ts'
import { openReceivers } from './open-receivers.ts'
import { openShop } from './shops.ts'

const full = {
  queued: 100_000,
  drains: 3,
  bareMs: 3_000,
  idleMs: 20_000,
  besideMs: 20_000,
  pairs: 3,
  watched: 100_000,
  latencyBlocks: 60,
}

const quick: typeof full = {
  queued: 15_000,
  drains: 1,
  bareMs: 1_500,
  idleMs: 5_000,
  besideMs: 5_000,
  pairs: 2,
  watched: 20_000,
  latencyBlocks: 12,
}

const hosts = 50

export function webhooksBench(parts: BenchParts): Promise<readonly Measurement[]> {
  return closeAfter((opened) => measureAll(parts, opened))
}

async function measureAll(parts: BenchParts, opened: CloseStack): Promise<readonly Measurement[]> {
  const sizes = parts.quick ? quick : full
  const postgres = await openPostgres()
  opened.add('PostgreSQL', () => postgres.stop())
  parts.note(postgres.description)
  const node = await openNode()
  opened.add('anvil', () => node.stop())
  const receivers = await openReceivers({ live: hosts, dead: 1 })
  opened.add('receivers', () => receivers.stop())
  const merchants = await openMerchants(postgres, node, receivers)
  const prepared = { ...parts, ...sizes, postgres, node, receivers, merchants }
  const measurements: Measurement[] = []
  const attempt = async (part: string, measure: () => Promise<readonly Measurement[]>) => {
    const measured = await measure().catch((error: unknown) => [failureOf(part, error)])
    for (const { bar, measured: value, unit, remark } of measured)
      parts.note(`${bar}: ${figure(value)} ${unit}; ${remark}`)
    measurements.push(...measured)
  }
  await attempt('deliveries', () => measureDeliveries(prepared))
  await attempt('first attempts', () => measureFirstAttempts(prepared))
  await attempt('block to webhook', async () => {
    const shop = await openShop(postgres, parts, sizes.watched)
    return measureLatencies({ ...parts, sizes, postgres, node, shops: [shop] })
  })
  return measurements
}
