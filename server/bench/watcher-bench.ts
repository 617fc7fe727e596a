/**
 * Measures the processing of incoming payments and compares the results with the performance targets. It
 * measures the booking of blocks, the catch-up with missed blocks, the time from block to webhook, and
 * memory.
 */
import type { CloseStack } from '../src/app/close-stack.ts'
import type { BenchParts } from './bench.ts'
import { measureEvmCatchUps } from './catch-up.ts'
import { closeAfter } from './close-after.ts'
import { measureLatencies } from './latency.ts'
import { measureLitecoinCatchUps } from './litecoin-catch-up.ts'
import { figure, type Measurement } from './measurement.ts'
import { openNode } from './open-node.ts'
import { openPostgres } from './open-postgres.ts'
import { measurePostings } from './posting.ts'
import { openShop, type Prepared, type Shop, type Sizes } from './shops.ts'

const full: Sizes = {
  watched: [100_000, 1_000],
  payments: 5_000,
  postings: 5,
  smallBlocks: 2_000,
  fullBlocks: 300,
  catchUps: 3,
  latencyBlocks: 60,
}

const quick: Sizes = {
  watched: [20_000, 1_000],
  payments: 2_000,
  postings: 3,
  smallBlocks: 400,
  fullBlocks: 40,
  catchUps: 1,
  latencyBlocks: 12,
}

export function watcherBench(parts: BenchParts): Promise<readonly Measurement[]> {
  return closeAfter((opened) => measureAll(parts, opened))
}

async function measureAll(parts: BenchParts, opened: CloseStack): Promise<readonly Measurement[]> {
  const sizes = parts.quick ? quick : full
  const postgres = await openPostgres()
  opened.add('PostgreSQL', () => postgres.stop())
  parts.note(postgres.description)
  const node = await openNode()
  opened.add('anvil', () => node.stop())
  const shops: Shop[] = []
  for (const watched of sizes.watched) shops.push(await openShop(postgres, parts, watched))
  const prepared: Prepared = { ...parts, sizes, postgres, node, shops }
  const measurements: Measurement[] = []
  for (const measure of [measurePostings, measureEvmCatchUps, measureLitecoinCatchUps, measureLatencies]) {
    const measured = await measure(prepared)
    for (const { bar, measured: value, unit } of measured) parts.note(`${bar}: ${figure(value)} ${unit}`)
    measurements.push(...measured)
  }
  return measurements
}
