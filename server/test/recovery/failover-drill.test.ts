/**
 * The drill of docs/failover-drill.md with whole processes, a real standby that is five seconds behind, and
 * shops and payers at work. The primary loses power together with one of the processes, the standby is
 * promoted, and no operator acts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { type MerchantClient, merchantAt, openMerchant, payFrom } from '../support/coffer-client.ts'
import {
  ownSettings,
  type RunningCoffer,
  runCoffer,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { type MerchantServer, startMerchantServer } from '../support/merchant-server.ts'
import { type ReplicatedDatabase, useReplicated } from '../support/standby.ts'
import { keysOf } from '../support/two-coffers.ts'

const replicated = useReplicated()
const dataDirs = useDataDirs()
const login = { email: 'admin@coffer.test', password: 'correct horse battery staple' }
const lagMs = 5_000
const invoicesMax = 300
const patience = { timeout: 60_000, interval: 100 }
let receiver: MerchantServer | undefined
afterAll(() => receiver?.close())

/** Deposits to customers' addresses that belong to no merchant. Deposits to hot wallets are left out. */
const unattributed = 'deposit where merchant_id is null and address_id is not null'

interface Shown {
  readonly id: string
  readonly address: string
  readonly amount: string
}

interface Delivered {
  readonly id: string
  readonly sequence: number
}

it('recovers from a lossy promotion by itself, and misses no payment', { timeout: 240_000 }, async () => {
  const pair = await replicated.start()
  const { first, second } = await startBoth(pair)
  const shop = await openMerchant(first.url, login)
  const dying = merchantAt(second.url, shop)
  const server = await startMerchantServer()
  receiver = server
  await shop.setWebhook(server.url, 'a secret of at least 32 characters')
  const kept = await order([shop, dying], 12)
  await pair.caughtUp()
  pair.holdUpStream()
  const lag = sleep(lagMs)
  const [lost, orphaned] = await Promise.all([
    order([shop], invoicesMax / 2, lag),
    order([dying], invoicesMax / 2, lag),
  ])
  await payAll(first, [...kept.slice(0, 4), ...lost.slice(0, 10)])
  await vi.waitUntil(() => server.calls.length >= 14, patience)
  await lag
  const before = await readFeed(shop, 0)
  second.signal('SIGKILL')
  const fellAt = performance.now()
  await pair.failOver('without power')
  const promotedAt = performance.now()
  const db = await connectTo(pair)
  const noticed = await notice(db, lost)
  const noticedMs = performance.now() - promotedAt
  await recovered(db, noticed.incarnation)
  const recoveredMs = performance.now() - promotedAt
  await payAll(first, [...lost.slice(10), ...orphaned, ...kept.slice(4)])
  await becomePaid(shop, [...lost, ...kept])
  await vi.waitUntil(async () => (await count(db, unattributed)) >= orphaned.length, patience)
  expect(await count(db, unattributed)).toBe(orphaned.length)
  const after = await readFeed(shop, required(before.at(-1), 'an event').sequence)
  const emitted = () => server.calls.map(({ body }): Delivered => JSON.parse(body.toString()))
  await vi.waitUntil(
    () => {
      const ids = new Set(emitted().map(({ id }) => id))
      return after.every(({ id }) => ids.has(id))
    },
    { timeout: 90_000, interval: 500 },
  )
  const hook = emitted()
  const reused = sequencesOfTwo([...before, ...after, ...hook])
  expect(reused).toEqual([])
  const lostEvents = await count(db, "lost_record where kind = 'event'")
  expect(lostEvents).toBeGreaterThan(0)
  const back = await count(db, "lost_record where kind = 'invoice' and outcome = 'put-back'")
  expect(back).toBe(lost.length)
  const listed = await runCoffer(['recover', '--lost'], first.settings)
  expect(listed.stdout.match(/ put-back invoice /g)).toHaveLength(lost.length)
  console.log(
    [
      `primary dead to standby promoted: ${seconds(promotedAt - fellAt)}`,
      `promoted to noticed: ${seconds(noticedMs)}; to blocks read on: ${seconds(recoveredMs)}`,
      `invoices lost: ${noticed.lostCount}; put back: ${back}; of a process that died with the primary: ${orphaned.length}`,
      `addresses watched again: ${await added(db)}`,
      `payments credited that would have been unattributed: ${lost.length}; unattributed: ${orphaned.length}; missed: 0`,
      `events lost: ${lostEvents}; the receiver has ${hook.length} events, ${new Set(hook.map(({ id }) => id)).size} of them different`,
      `a reader of the feed had ${before.length} events before and got ${after.length} after; sequences used twice: ${reused.length}`,
    ].join('\n'),
  )
  await db.end()
  await first.stop()
})

/** Starts two whole processes. The second uses the chain and the signer of the first. */
async function startBoth(pair: ReplicatedDatabase) {
  const shared = {
    DATABASE_URL: pair.urls.app,
    MIGRATION_DATABASE_URL: pair.urls.owner,
    ADMIN_PASSWORD: login.password,
    JWT_SECRET: 'j'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
  }
  const dir = await dataDirs.fresh()
  const first = await startCoffer(await ownSettings(dir, shared))
  const own = await ownSettings(await dataDirs.fresh(), shared)
  const settings = { ...own, ...(await keysOf(dir)), EVM_RPC_ETHEREUM: first.nodeUrl }
  const second = await startCoffer(settings, { words: ['start', '--roles', 'api'] })
  return { first, second }
}

/**
 * Places orders at each shop, one after the other, and shows each to its payer. With `until`, places as many
 * orders as fit in the time.
 */
async function order(
  shops: readonly MerchantClient[],
  wanted: number,
  until?: Promise<unknown>,
): Promise<readonly Shown[]> {
  let isOver = false
  void until?.then(() => {
    isOver = true
  })
  const shown: Shown[] = []
  const hotWallet = async (shop: MerchantClient) => {
    while (shown.length < wanted && !isOver) {
      const id = await shop.createInvoice({ amount: '2' })
      shown.push({ id, ...(await shop.addressOf(id)) })
    }
  }
  await Promise.all([...shops, ...shops].map(hotWallet))
  return shown
}

async function payAll({ nodeUrl }: RunningCoffer, invoices: readonly Shown[]): Promise<void> {
  for (const invoice of invoices) await payFrom(nodeUrl, 5, invoice)
}

async function becomePaid(shop: MerchantClient, invoices: readonly Shown[]): Promise<void> {
  await vi.waitFor(async () => {
    const states = await shop.states()
    expect(invoices.filter(({ id }) => states.get(id) !== 'paid')).toEqual([])
  }, patience)
}

async function readFeed(shop: MerchantClient, after: number): Promise<readonly Delivered[]> {
  const emitted: Delivered[] = []
  for (let next = after; ; ) {
    const { body } = await shop.call('GET', `/merchants/${shop.merchantId}/events?after=${next}`)
    emitted.push(...body.data)
    if (body.next === next) return emitted
    next = body.next
  }
}

/** Returns the sequence numbers under which two different events were delivered. */
function sequencesOfTwo(emitted: readonly Delivered[]): readonly number[] {
  const ids = new Map<number, string>()
  return emitted.flatMap(({ id, sequence }) => {
    const known = ids.get(sequence)
    ids.set(sequence, id)
    return known === undefined || known === id ? [] : [sequence]
  })
}

async function connectTo({ urls }: ReplicatedDatabase): Promise<pg.Client> {
  const db = new pg.Client({ connectionString: urls.superuser })
  // Shutting down the server closes this connection, which is not a failure of the test.
  db.on('error', () => {})
  await db.connect()
  return db
}

async function count(db: pg.Client, rows: string): Promise<number> {
  return Number((await db.query(`select count(*) as count from ${rows}`)).rows[0]?.count)
}

/**
 * Waits until a process has noticed the loss, and returns how many of the given invoices the new primary
 * lacks.
 */
async function notice(db: pg.Client, lost: readonly Shown[]) {
  const ids = lost.map(({ id }) => `'${id}'`).join()
  const there = await count(db, `invoice where id in (${ids})`)
  const incarnation = await vi.waitUntil(async () => {
    const { rows } = await db.query(
      "select max(number) as number from incarnation where cause in ('promotion', 'loss')",
    )
    return rows[0]?.number ?? false
  }, patience)
  return { incarnation: Number(incarnation), lostCount: lost.length - there }
}

/** Waits until the recovery has ended and blocks are followed again. */
async function recovered(db: pg.Client, incarnation: number): Promise<void> {
  const height = await heightOf(db)
  await vi.waitUntil(
    async () =>
      (await count(db, `loss_recovery where incarnation = ${incarnation} and ended_at is not null`)) > 0,
    patience,
  )
  await vi.waitUntil(async () => (await heightOf(db)) > height, patience)
}

async function heightOf(db: pg.Client): Promise<number> {
  return Number((await db.query('select height from chain_cursor')).rows[0]?.height)
}

async function added(db: pg.Client): Promise<number> {
  return Number((await db.query('select sum(added_count) as added from loss_recovery')).rows[0]?.added)
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
