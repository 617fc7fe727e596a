/**
 * Measures how fast the watcher reads, matches and books blocks that it missed. The reference is a reader
 * that only reads them.
 */
import { randomUUID } from 'node:crypto'
import { startCursor } from '../src/chains/blocks/store.ts'
import type { ChainReader } from '../src/chains/port.ts'
import { assert, required } from '../src/core/assert.ts'
import { readAhead } from '../src/core/concurrency/read-ahead.ts'
import { limits } from '../src/core/limits.ts'
import { silentLog } from '../src/core/log.ts'
import { acquireLease } from '../src/platform/db/lease.ts'
import type { Db } from '../src/platform/db/pool.ts'
import { inTransaction } from '../src/platform/db/transaction.ts'
import { feeDefaults } from '../src/pricing/fees/fee.ts'
import type { PaymentMethods } from '../src/pricing/payment-methods/payment-method.ts'
import { followChain } from '../src/watcher/follow-chain.ts'
import { openBatchCaller } from './batch-calls.ts'
import { addressOf, assertAttributed } from './fill-shop.ts'
import { figure, type Measurement, median } from './measurement.ts'
import { methodsWith } from './methods.ts'
import { seededRandom } from './seeded-random.ts'
import { onCopy, type Prepared, type Shop } from './shops.ts'

const never = new AbortController().signal
const transfersOfFullBlock = 200

/** A chain with missed blocks, which the watcher has to read. */
export interface CaughtChain {
  /** Prefix of the name of each target. */
  readonly title: string
  readonly chain: ChainReader
  readonly methods: PaymentMethods
  readonly shops: readonly Shop[]
  /** Returns an address that belongs to no shop. Each `index` gives another address. */
  strangerOf(index: number): string
  /** Mines a block with one payment to each recipient. */
  mine(recipients: readonly string[]): Promise<void>
  /**
   * Requests the blocks above `from` up to `to` with the same calls as the watcher's reader, but only parses
   * the JSON.
   */
  readBare(from: number, to: number): Promise<void>
}

export async function measureCatchUps(
  prepared: Prepared,
  caught: CaughtChain,
): Promise<readonly Measurement[]> {
  const { sizes, seed } = prepared
  const random = seededRandom(seed)
  const shopAddresses = caught.shops.at(-1)?.addresses ?? []
  /**
   * Returns an address that every shop has, with a probability of 1 in `share`. Otherwise returns an address
   * of no shop.
   */
  const someone = (share: number) =>
    random(share) === 0
      ? required(shopAddresses[random(shopAddresses.length)], 'address')
      : caught.strangerOf(random(2 ** 31))
  const first = await caught.chain.readHead(never)
  const smallBlock = () => Array.from({ length: random(6) }, () => someone(4))
  await mineBlocks(prepared, caught, sizes.smallBlocks, smallBlock)
  const small = await catchUpSmall(prepared, caught, first.height)
  const second = await caught.chain.readHead(never)
  const fullBlock = () => Array.from({ length: transfersOfFullBlock }, () => someone(100))
  await mineBlocks(prepared, caught, sizes.fullBlocks, fullBlock)
  return [...small, ...(await catchUpFull(prepared, caught, second.height))]
}

/** Measures catch-up on anvil. */
export async function measureEvmCatchUps(prepared: Prepared): Promise<readonly Measurement[]> {
  const { node, shops } = prepared
  const caught: CaughtChain = {
    title: '',
    chain: node.chain,
    shops,
    methods: methodsWith(node.tokens),
    strangerOf: (index) => addressOf('strangers', index),
    mine: async (recipients) => {
      await node.pay(recipients)
      await node.mine()
    },
    readBare: (from, to) => readBareEvm(node.url, from, to),
  }
  return [...(await measureCatchUps(prepared, caught)), memoryOfBench()]
}

async function mineBlocks(
  { note }: Prepared,
  { title, mine }: CaughtChain,
  blocks: number,
  recipients: () => readonly string[],
): Promise<void> {
  note(`${title}mining ${blocks} blocks`)
  for (let mined = 0; mined < blocks; mined += 1) await mine(recipients())
}

async function catchUpSmall(
  prepared: Prepared,
  caught: CaughtChain,
  from: number,
): Promise<readonly Measurement[]> {
  const { sizes } = prepared
  const measurements: Measurement[] = []
  for (const shop of caught.shops) {
    const runs: CaughtUp[] = []
    for (let run = 0; run < sizes.catchUps; run += 1)
      runs.push(await catchUpOnCopy(prepared, caught, shop, from))
    measurements.push({
      bar: `${caught.title}catch-up: blocks of 0 to 5 transfers, ${shop.addresses.length} watched`,
      must: { atLeast: 200 },
      measured: median(runs.map(({ blocksPerSecond }) => blocksPerSecond)),
      unit: 'blocks/s',
      remark: `${sizes.smallBlocks} blocks, ${runs[0]?.deposits} deposits; bare reader ${figure(await rateOf(caught.readBare, from, from + sizes.smallBlocks))}`,
    })
  }
  return measurements
}

/** Measures the reader and the watcher alternately, so that other load of the host affects both equally. */
async function catchUpFull(
  prepared: Prepared,
  caught: CaughtChain,
  from: number,
): Promise<readonly Measurement[]> {
  const { sizes } = prepared
  const measurements: Measurement[] = []
  for (const shop of caught.shops) {
    const runs: { readonly bare: number; readonly read: number; readonly caughtUp: CaughtUp }[] = []
    for (let run = 0; run < sizes.catchUps; run += 1) {
      const bare = await rateOf(caught.readBare, from, from + sizes.fullBlocks)
      const read = await rateOf(
        (low, high) => readOnly(caught.chain, low, high),
        from,
        from + sizes.fullBlocks,
      )
      runs.push({ bare, read, caughtUp: await catchUpOnCopy(prepared, caught, shop, from) })
    }
    const rates = [
      `booked ${figure(median(runs.map(({ caughtUp }) => caughtUp.blocksPerSecond)))}`,
      `read and checked only ${figure(median(runs.map(({ read }) => read)))}`,
      `bare ${figure(median(runs.map(({ bare }) => bare)))} blocks/s`,
    ]
    measurements.push({
      bar: `${caught.title}catch-up: blocks of ${transfersOfFullBlock} transfers, ${shop.addresses.length} watched`,
      must: { atLeast: 0.7 },
      measured: median(runs.map(({ bare, caughtUp }) => caughtUp.blocksPerSecond / bare)),
      unit: 'of a bare reader',
      remark: `${rates.join(', ')}; ${sizes.fullBlocks} blocks, ${runs[0]?.caughtUp.deposits} deposits`,
    })
  }
  return measurements
}

/**
 * Returns the memory of this process. It includes the load generator and the measurement, so the watcher
 * alone needs less.
 */
function memoryOfBench(): Measurement {
  const measured = process.resourceUsage().maxRSS / 1024
  return {
    bar: 'memory: peak of the benchmark process so far',
    measured,
    unit: 'MB',
    remark: 'including the whole workload',
  }
}

interface CaughtUp {
  readonly blocksPerSecond: number
  readonly deposits: number
}

function catchUpOnCopy(prepared: Prepared, caught: CaughtChain, shop: Shop, from: number): Promise<CaughtUp> {
  return onCopy(prepared, shop, ({ db }) => catchUp(db, caught, from))
}

/** Follows the chain from the block at `from`, which is treated as booked, to the newest block. */
async function catchUp(db: Db, { chain, methods }: CaughtChain, from: number): Promise<CaughtUp> {
  const start = required(await chain.readHeader(from, never), 'the first block')
  await inTransaction(db, (tx) => startCursor(tx, chain.network, start))
  const lease = required(
    await acquireLease(db, { name: 'catch-up', holderId: randomUUID(), ttlMs: 3_600_000 }),
    'the lease',
  )
  const shared = { log: silentLog, mayUndoFinal: true, feeDefaults: feeDefaults.sandbox }
  const parts = { db, chain, lease, methods, ...shared }
  const startedMs = performance.now()
  let blocks = 0
  for (let step = 1; step > 0; blocks += step) step = await followChain(parts, never)
  const tookMs = performance.now() - startedMs
  await assertAttributed(db)
  const [counted] = await db.query<{ deposits: number }>({
    text: 'select count(*) as deposits from deposit',
    values: [],
  })
  return { blocksPerSecond: (blocks / tookMs) * 1000, deposits: counted?.deposits ?? 0 }
}

/** Reads blocks as the watcher does, with all checks, but books nothing. */
async function readOnly(chain: ChainReader, from: number, to: number): Promise<void> {
  const read = (height: number, signal: AbortSignal) => chain.readBlock(height, signal)
  for await (const facts of readAhead(read, from + 1, to, limits.blocksReadAhead, never))
    assert(facts !== undefined, 'a block is missing')
}

/** Returns blocks per second. */
async function rateOf(
  read: (from: number, to: number) => Promise<void>,
  from: number,
  to: number,
): Promise<number> {
  const startedMs = performance.now()
  await read(from, to)
  return ((to - from) / (performance.now() - startedMs)) * 1000
}

/**
 * Requests each block with the same three calls as the watcher, in one batch. The number of concurrent
 * batches is the same as in the watcher.
 */
async function readBareEvm(url: string, from: number, to: number): Promise<void> {
  const caller = openBatchCaller(url, limits.blocksReadAhead)
  await inParallel(from, to, async (height) => {
    const at = `0x${height.toString(16)}`
    await caller.ask([
      { method: 'eth_getBlockByNumber', params: [at, true] },
      { method: 'eth_getBlockReceipts', params: [at] },
      { method: 'trace_block', params: [at] },
    ])
  })
  await caller.close()
}

/**
 * Calls `read` for each height above `from` up to `to`. The number of concurrent calls is the number of
 * blocks that the watcher reads ahead.
 */
export async function inParallel(
  from: number,
  to: number,
  read: (height: number) => Promise<void>,
): Promise<void> {
  let next = from
  const readOn = async () => {
    while (next < to) {
      next += 1
      await read(next)
    }
  }
  await Promise.all(Array.from({ length: limits.blocksReadAhead }, readOn))
}
