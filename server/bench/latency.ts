/**
 * Measures the time from the announcement of a block by the node to the commit of its rows and to the
 * resulting webhooks. Coffer runs as `coffer start` in a separate process. This process pays, mines at a
 * fixed rate, listens to the node and to the database, and receives the webhooks.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CloseStack } from '../src/app/close-stack.ts'
import { startCursor } from '../src/chains/blocks/store.ts'
import { inTransaction } from '../src/platform/db/transaction.ts'
import { eventsChannel } from '../src/platform/outbox/store.ts'
import { saveDevTokens } from '../src/pricing/payment-methods/store.ts'
import { sendWebhooksTo } from './fill-shop.ts'
import { type Measurement, percentile, spreadOf } from './measurement.ts'
import type { DevNode } from './open-node.ts'
import type { OpenedDatabase } from './open-postgres.ts'
import { openReceiver, type Receiver } from './open-receiver.ts'
import { onCopy, type Prepared, type Shop, type Sizes } from './shops.ts'
import { startCoffer } from './start-coffer.ts'

const paymentsPerBlock = 20
const blockTimeMs = 500
/**
 * Number of blocks before the measurement. During these blocks, connections are opened, statements are
 * planned and code is compiled.
 */
const warmUpBlocks = 6
const patienceMs = 20_000

/** The parts of the watcher's benchmark that this measurement needs. */
export interface LatencyPrepared extends Pick<Prepared, 'node' | 'postgres' | 'shops' | 'note'> {
  readonly sizes: Pick<Sizes, 'latencyBlocks'>
}

export async function measureLatencies(prepared: LatencyPrepared): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = []
  for (const shop of prepared.shops) {
    prepared.note(`block to webhook, ${shop.addresses.length} watched`)
    measurements.push(...(await onCopy(prepared, shop, (database) => measureShop(prepared, shop, database))))
  }
  return measurements
}

async function measureShop(
  { node, sizes }: LatencyPrepared,
  shop: Shop,
  database: OpenedDatabase,
): Promise<readonly Measurement[]> {
  const opened = new CloseStack()
  try {
    const receiver = await openReceiver()
    opened.add('receiver', () => receiver.stop())
    await prepareDatabase(database, node, receiver)
    const commits = await listenForCommits(database.ownerUrl)
    opened.add('listener', () => commits.stop())
    const coffer = await startCoffer(database, node)
    opened.add('Coffer', () => coffer.stop())
    const heads = watchHeads(node)
    opened.add('heads', () => heads.stop())
    const setup = { node, shop, heads, commits, receiver }
    await playBlocks(setup, warmUpBlocks + sizes.latencyBlocks)
    return barsOf(setup, await coffer.memoryMb())
  } finally {
    await opened.closeAll((name, error) => console.error(`closing ${name} failed:`, error))
  }
}

async function prepareDatabase({ db }: OpenedDatabase, { chain, tokens }: DevNode, receiver: Receiver) {
  const head = await chain.readHead(AbortSignal.timeout(patienceMs))
  await inTransaction(db, (tx) => startCursor(tx, chain.network, head))
  const contracts = Object.entries(tokens).map(([symbol, contract]) => ({ symbol, contract }))
  await saveDevTokens(
    db,
    contracts.map((token) => ({ network: chain.network, ...token })),
  )
  await sendWebhooksTo(db, receiver.url)
}

/**
 * The processes with which Coffer talks during the benchmark, and the times at which they noticed each step.
 * Times are values of `performance.now()`. Block 0 is the first block that the benchmark mines.
 */
interface Setup {
  readonly node: DevNode
  readonly shop: Shop
  readonly heads: Heads
  readonly commits: Commits
  readonly receiver: Receiver
}

interface Heads {
  /** Must be called before each block is mined. */
  expect(): void
  readonly seenAtMs: readonly number[]
  stop(): void
}

/**
 * Records the time at which the node announces each block. Blocks are mined one at a time and far apart, so
 * an announcement always concerns the last mined block.
 */
function watchHeads({ chain }: DevNode): Heads {
  const stopping = new AbortController()
  const seenAtMs: number[] = []
  let index = -1
  chain.watchHeads(() => {
    seenAtMs[index] ??= performance.now()
  }, stopping.signal)
  const expect = () => {
    index += 1
  }
  return { seenAtMs, expect, stop: () => stopping.abort() }
}

interface Commits {
  /**
   * The times of the notifications, in the order of the blocks. Each transaction that writes events notifies
   * once. There are fewer times than blocks if a late block was written together with the next one.
   */
  readonly atMs: readonly number[]
  stop(): Promise<void>
}

/**
 * Listens for the notification that wakes dispatchers. PostgreSQL sends it with the commit, so the measured
 * process does no additional work.
 */
async function listenForCommits(url: string): Promise<Commits> {
  const client = new pg.Client({ connectionString: url })
  const atMs: number[] = []
  client.on('notification', () => atMs.push(performance.now()))
  await client.connect()
  await client.query(`listen ${eventsChannel}`)
  return { atMs, stop: () => client.end() }
}

/** Mines at a fixed rate, even if Coffer is slower, and then waits until every webhook has arrived. */
async function playBlocks({ node, shop, heads, receiver }: Setup, blocks: number): Promise<void> {
  const startedMs = performance.now()
  for (let index = 0; index < blocks; index += 1) {
    const from = index * paymentsPerBlock
    const recipients = Array.from({ length: paymentsPerBlock }, (_, index) => from + index)
    const paid = recipients.map((index) => shop.addresses[index % shop.addresses.length] ?? '')
    receiver.expect(await node.pay(paid), index)
    await sleep(Math.max(0, startedMs + index * blockTimeMs - performance.now()))
    heads.expect()
    await node.mine()
  }
  // The payments of the last measured block become confirmed only with one more block.
  heads.expect()
  await node.mine()
  const giveUpMs = performance.now() + patienceMs
  while (!receiver.isComplete()) {
    if (performance.now() > giveUpMs) throw new Error('webhooks are missing')
    await sleep(20)
  }
}

function barsOf(setup: Setup, memoryMb: number): readonly Measurement[] {
  const { heads, commits, receiver, shop } = setup
  const counts = (index: number) => index >= warmUpBlocks && heads.seenAtMs[index] !== undefined
  const since = (index: number, atMs: number) => atMs - (heads.seenAtMs[index] ?? Number.NaN)
  const isEachAlone = commits.atMs.length === heads.seenAtMs.length
  const commitsMs = commits.atMs.flatMap((atMs, index) => (counts(index) ? [since(index, atMs)] : []))
  const webhooksMs = receiver.received.flatMap(({ index, atMs }) =>
    counts(index) ? [since(index, atMs)] : [],
  )
  const watched = `${paymentsPerBlock} payments a block, ${shop.addresses.length} watched`
  const webhook = (share: number, atMost: number) => ({
    bar: `block seen to webhook, p${share * 100}: ${watched}`,
    must: { atMost },
    measured: percentile(webhooksMs, share),
    unit: 'ms',
    remark: spreadOf(webhooksMs, 'ms'),
  })
  const commit = {
    bar: `block seen to commit, p95: ${watched}`,
    measured: percentile(commitsMs, 0.95),
    unit: 'ms',
    remark: spreadOf(commitsMs, 'ms'),
  }
  return [
    ...(isEachAlone ? [commit] : []),
    webhook(0.5, 150),
    webhook(0.95, 400),
    {
      bar: `memory of watcher and dispatcher, ${shop.addresses.length} watched`,
      must: { atMost: 300 },
      measured: memoryMb,
      unit: 'MB',
      remark: 'resident, one process, after the blocks above',
    },
  ]
}
