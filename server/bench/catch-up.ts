/** Catch-up: how fast missed blocks are read, matched and booked, and beside it a reader that does nothing but read. */
import { randomUUID } from 'node:crypto'
import { startCursor } from '../src/blocks/store.ts'
import { assert, required } from '../src/core/assert.ts'
import { limits } from '../src/core/limits.ts'
import { silentLog } from '../src/core/log.ts'
import { acquireLease } from '../src/db/lease.ts'
import type { Db } from '../src/db/pool.ts'
import { inTransaction } from '../src/db/transaction.ts'
import { feeDefaults } from '../src/fees/fee.ts'
import { followChain } from '../src/watcher/follow-chain.ts'
import { readAhead } from '../src/watcher/read-ahead.ts'
import { openBatchCaller } from './batch-calls.ts'
import { addressOf } from './fill-shop.ts'
import { figure, type Measurement, median } from './measurement.ts'
import { methodsWith } from './methods.ts'
import type { DevNode } from './open-node.ts'
import { seededRandom } from './seeded-random.ts'
import { onCopy, type Prepared, type Shop } from './shops.ts'

const never = new AbortController().signal
const transfersOfFullBlock = 200

export async function measureCatchUps(prepared: Prepared): Promise<readonly Measurement[]> {
  const { sizes, node, shops, seed } = prepared
  const random = seededRandom(seed)
  const ours = shops.at(-1)?.addresses ?? []
  /** One of `share` is ours, in every shop. */
  const someone = (share: number) =>
    random(share) === 0
      ? required(ours[random(ours.length)], 'address')
      : addressOf('strangers', random(2 ** 31))
  const first = await node.chain.readHead(never)
  await mineBlocks(prepared, sizes.smallBlocks, () => Array.from({ length: random(6) }, () => someone(4)))
  const small = await catchUpSmall(prepared, first.height)
  const second = await node.chain.readHead(never)
  const fullBlock = () => Array.from({ length: transfersOfFullBlock }, () => someone(100))
  await mineBlocks(prepared, sizes.fullBlocks, fullBlock)
  const full = await catchUpFull(prepared, second.height)
  return [...small, ...full, memoryOfBench()]
}

async function mineBlocks(
  { node, note }: Prepared,
  blocks: number,
  recipients: () => readonly string[],
): Promise<void> {
  note(`mining ${blocks} blocks`)
  for (let mined = 0; mined < blocks; mined += 1) {
    await node.pay(recipients())
    await node.mine()
  }
}

async function catchUpSmall(prepared: Prepared, from: number): Promise<readonly Measurement[]> {
  const { node, shops, sizes } = prepared
  const measurements: Measurement[] = []
  for (const shop of shops) {
    const runs: CaughtUp[] = []
    for (let run = 0; run < sizes.catchUps; run += 1) runs.push(await catchUpOnCopy(prepared, shop, from))
    measurements.push({
      bar: `catch-up: blocks of 0 to 5 transfers, ${shop.addresses.length} watched`,
      must: { atLeast: 200 },
      measured: median(runs.map(({ blocksPerSecond }) => blocksPerSecond)),
      unit: 'blocks/s',
      remark: `${sizes.smallBlocks} blocks, ${runs[0]?.deposits} deposits; bare reader ${figure(await readBare(node, from, from + sizes.smallBlocks))}`,
    })
  }
  return measurements
}

/** Reader and watcher take turns, so that both meet the machine as it is at that time. */
async function catchUpFull(prepared: Prepared, from: number): Promise<readonly Measurement[]> {
  const { node, shops, sizes } = prepared
  const measurements: Measurement[] = []
  for (const shop of shops) {
    const runs: { readonly bare: number; readonly read: number; readonly caughtUp: CaughtUp }[] = []
    for (let run = 0; run < sizes.catchUps; run += 1) {
      const bare = await readBare(node, from, from + sizes.fullBlocks)
      const read = await readOnly(node, from, from + sizes.fullBlocks)
      runs.push({ bare, read, caughtUp: await catchUpOnCopy(prepared, shop, from) })
    }
    const rates = [
      `booked ${figure(median(runs.map(({ caughtUp }) => caughtUp.blocksPerSecond)))}`,
      `read and checked alone ${figure(median(runs.map(({ read }) => read)))}`,
      `bare ${figure(median(runs.map(({ bare }) => bare)))} blocks/s`,
    ]
    measurements.push({
      bar: `catch-up: blocks of ${transfersOfFullBlock} transfers, ${shop.addresses.length} watched`,
      must: { atLeast: 0.7 },
      measured: median(runs.map(({ bare, caughtUp }) => caughtUp.blocksPerSecond / bare)),
      unit: 'of a bare reader',
      remark: `${rates.join(', ')}; ${sizes.fullBlocks} blocks, ${runs[0]?.caughtUp.deposits} deposits`,
    })
  }
  return measurements
}

/** Workload and measuring are in this process too, so the watcher alone needs less. */
function memoryOfBench(): Measurement {
  const measured = process.resourceUsage().maxRSS / 1024
  return {
    bar: 'memory: peak of the benchmark itself, so far',
    measured,
    unit: 'MB',
    remark: 'the whole workload included',
  }
}

interface CaughtUp {
  readonly blocksPerSecond: number
  readonly deposits: number
}

function catchUpOnCopy(prepared: Prepared, shop: Shop, from: number): Promise<CaughtUp> {
  return onCopy(prepared, shop, ({ db }) => catchUp(db, prepared.node, from))
}

/** Follows the chain from the block at `from`, which counts as booked, to its head. */
async function catchUp(db: Db, { chain, tokens }: DevNode, from: number): Promise<CaughtUp> {
  const start = required(await chain.readHeader(from, never), 'the first block')
  await inTransaction(db, (tx) => startCursor(tx, chain.network, start))
  const lease = required(
    await acquireLease(db, { name: 'catch-up', holderId: randomUUID(), ttlMs: 3_600_000 }),
    'the lease',
  )
  const shared = { log: silentLog, mayUndoFinal: true, feeDefaults: feeDefaults.sandbox }
  const parts = { db, chain, lease, methods: methodsWith(tokens), ...shared }
  const startedMs = performance.now()
  let blocks = 0
  for (let step = 1; step > 0; blocks += step) step = await followChain(parts, never)
  const tookMs = performance.now() - startedMs
  const [counted] = await db.query<{ deposits: number }>({
    text: 'select count(*) as deposits from transaction',
    values: [],
  })
  return { blocksPerSecond: (blocks / tookMs) * 1000, deposits: counted?.deposits ?? 0 }
}

/** What the watcher reads with, checks and bloom included, and nothing booked. */
async function readOnly({ chain }: DevNode, from: number, to: number): Promise<number> {
  const startedMs = performance.now()
  const read = (height: number, signal: AbortSignal) => chain.readBlock(height, signal)
  for await (const facts of readAhead(read, from + 1, to, limits.blocksReadAhead, never))
    assert(facts !== undefined, 'a block is missing')
  return ((to - from) / (performance.now() - startedMs)) * 1000
}

/** The same three calls per block in one request, as many requests under way, JSON.parse, and no more. */
async function readBare({ url }: DevNode, from: number, to: number): Promise<number> {
  const caller = openBatchCaller(url, limits.blocksReadAhead)
  let next = from
  const readOn = async () => {
    while (next < to) {
      next += 1
      const at = `0x${next.toString(16)}`
      await caller.ask([
        { method: 'eth_getBlockByNumber', params: [at, false] },
        { method: 'eth_getLogs', params: [{ fromBlock: at, toBlock: at }] },
        { method: 'trace_block', params: [at] },
      ])
    }
  }
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: limits.blocksReadAhead }, readOn))
  const tookMs = performance.now() - startedMs
  await caller.close()
  return ((to - from) / tookMs) * 1000
}
