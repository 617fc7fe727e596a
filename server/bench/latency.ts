/**
 * Latency: from a block being seen at the node to the commit of its rows and to the webhooks it causes. What is measured
 * is Coffer itself, as `coffer start` runs it, in a process of its own; this one is the outside world: it pays, mines
 * at a fixed rate, listens to the node and to the database, and receives the webhooks.
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
/** Connections are made, statements planned and code compiled before anything counts. */
const warmUpBlocks = 6
const patienceMs = 20_000

/** What of the watcher's benchmark this part needs. */
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
    const world = { node, shop, heads, commits, receiver }
    await playBlocks(world, warmUpBlocks + sizes.latencyBlocks)
    return barsOf(world, await coffer.memoryMb())
  } finally {
    await opened.closeAll((name, error) => console.error(`${name} did not close well:`, error))
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

/** The outside world, and when it noticed what; times are of `performance.now()`, places count the blocks mined here. */
interface World {
  readonly node: DevNode
  readonly shop: Shop
  readonly heads: Heads
  readonly commits: Commits
  readonly receiver: Receiver
}

interface Heads {
  /** To be called before each block is mined. */
  expect(): void
  readonly seenAtMs: readonly number[]
  stop(): void
}

/** Blocks come one at a time and far apart, so a head that is told of is the one mined last. */
function watchHeads({ chain }: DevNode): Heads {
  const stopping = new AbortController()
  const seenAtMs: number[] = []
  let place = -1
  chain.watchHeads(() => {
    seenAtMs[place] ??= performance.now()
  }, stopping.signal)
  const expect = () => {
    place += 1
  }
  return { seenAtMs, expect, stop: () => stopping.abort() }
}

interface Commits {
  /**
   * When each transaction was told of, in the order of the blocks: each has events, and tells once. Fewer than blocks where
   * one was late and the next one was written with it.
   */
  readonly atMs: readonly number[]
  stop(): Promise<void>
}

/** The notification that wakes dispatchers goes out with the commit; hearing it costs the measured process nothing. */
async function listenForCommits(url: string): Promise<Commits> {
  const client = new pg.Client({ connectionString: url })
  const atMs: number[] = []
  client.on('notification', () => atMs.push(performance.now()))
  await client.connect()
  await client.query(`listen ${eventsChannel}`)
  return { atMs, stop: () => client.end() }
}

/** Mines at a fixed rate, whether Coffer keeps up or not, then waits until everything has been told. */
async function playBlocks({ node, shop, heads, receiver }: World, blocks: number): Promise<void> {
  const startedMs = performance.now()
  for (let place = 0; place < blocks; place += 1) {
    const from = place * paymentsPerBlock
    const recipients = Array.from({ length: paymentsPerBlock }, (_, index) => from + index)
    const paid = recipients.map((index) => shop.addresses[index % shop.addresses.length] ?? '')
    receiver.expect(await node.pay(paid), place)
    await sleep(Math.max(0, startedMs + place * blockTimeMs - performance.now()))
    heads.expect()
    await node.mine()
  }
  // A block more confirms the payments of the last one.
  heads.expect()
  await node.mine()
  const giveUpMs = performance.now() + patienceMs
  while (!receiver.isComplete()) {
    if (performance.now() > giveUpMs) throw new Error('webhooks are missing')
    await sleep(20)
  }
}

function barsOf(world: World, memoryMb: number): readonly Measurement[] {
  const { heads, commits, receiver, shop } = world
  const counts = (place: number) => place >= warmUpBlocks && heads.seenAtMs[place] !== undefined
  const since = (place: number, atMs: number) => atMs - (heads.seenAtMs[place] ?? Number.NaN)
  const isEachAlone = commits.atMs.length === heads.seenAtMs.length
  const commitsMs = commits.atMs.flatMap((atMs, place) => (counts(place) ? [since(place, atMs)] : []))
  const webhooksMs = receiver.arrivals.flatMap(({ place, atMs }) =>
    counts(place) ? [since(place, atMs)] : [],
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
