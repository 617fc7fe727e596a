/**
 * `npm run bench -- <name> [--quick] [--seed <n>]` compares Coffer with its performance targets and prints a
 * table. It fails if a target is missed.
 */
import { parseArgs } from 'node:util'
import { apiBench } from './api-bench.ts'
import type { Bench } from './bench.ts'
import { depositsBench } from './deposits-bench.ts'
import { describeRun } from './describe-run.ts'
import { isMet, tableOf } from './measurement.ts'
import { networksBench, wholeNetworksBench } from './networks/networks-bench.ts'
import { outgoingBench } from './outgoing-bench.ts'
import { sweepsBench } from './sweeps-bench.ts'
import { verifyBench } from './verify-bench.ts'
import { watcherBench } from './watcher-bench.ts'
import { webhooksBench } from './webhooks-bench.ts'

const benches: Readonly<Record<string, Bench>> = {
  api: apiBench,
  networks: networksBench,
  'networks-whole': wholeNetworksBench,
  outgoing: outgoingBench,
  sweeps: sweepsBench,
  transactions: depositsBench,
  verify: verifyBench,
  watcher: watcherBench,
  webhooks: webhooksBench,
}

const usage = [
  'usage: npm run bench -- <name> [--quick] [--seed <n>]; verify: [--scale <part>] [--keep <folder>]',
  `names: ${Object.keys(benches).join(', ')}`,
].join('\n')

/**
 * @param server the folder of server/package.json
 * @returns the exit code: 1 if a target is missed, 2 if the arguments are invalid
 */
export async function main(words: readonly string[], server: string): Promise<number> {
  if (words.includes('--help')) {
    console.log(usage)
    return 0
  }
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      scale: { type: 'string' },
      keep: { type: 'string' },
    },
  })
  const bench = benches[positionals[0] ?? '']
  if (bench === undefined || positionals.length !== 1) {
    console.error(usage)
    return 2
  }
  const startedMs = performance.now()
  const seed = values.seed
  const { quick } = values
  for (const line of describeRun(server, { name: positionals[0] ?? '', seed, quick })) console.log(line)
  const measurements = await bench({
    server,
    seed,
    quick,
    ...(values.scale !== undefined && { scale: Number(values.scale) }),
    ...(values.keep !== undefined && { keep: values.keep }),
    note: (line) => console.log(`· ${line}`),
  })
  console.log(`\n${tableOf(measurements)}`)
  console.log(`\ntook ${Math.round((performance.now() - startedMs) / 1000)} s`)
  return measurements.every(isMet) ? 0 : 1
}
