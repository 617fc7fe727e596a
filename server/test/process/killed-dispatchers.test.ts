/**
 * No event is ever lost: payments, closed invoices and what is told of them, while a seed kills one of two dispatchers
 * again and again, now and then whoever makes the changes, and PostgreSQL itself. `npm run soak -- webhooks --seed N
 * --kills M` runs it for longer.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { afterAll, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { limits } from '../../src/core/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { type EmbeddedServer, startEmbedded } from '../../src/db/embedded/start-embedded.ts'
import { type Db, openDb } from '../../src/db/pool.ts'
import { KeyTree } from '../../src/signer/key-tree.ts'
import { useAnvil } from '../support/anvil.ts'
import { useChildScript } from '../support/child-script.ts'
import { type MerchantClient, merchantAt, openMerchant, payFrom } from '../support/coffer-client.ts'
import {
  kill,
  type RunningCoffer,
  runCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { type Dice, diceOf } from '../support/dice.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const seed = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000)
const kills = Number(process.env['SOAK_KILLS'] ?? 10)
const merchantsWanted = 3

const anvil = useAnvil({ blockTimeS: 0.2 })
const dataDirs = useDataDirs()
const receiverScript = useChildScript(new URL('../support/receiver-child.ts', import.meta.url))
const login = { email: 'admin@coffer.test', password: 'correct horse battery staple' }

const roles = { maker: 'api,watcher', first: 'dispatcher', second: 'dispatcher' } as const
type Part = keyof typeof roles
/** What is killed is drawn as often as it stands here. */
const hat: readonly (Part | 'postgres')[] = [
  ...(['first', 'first', 'first', 'first', 'second', 'second', 'second', 'second'] as const),
  ...(['maker', 'postgres'] as const),
]

/** One that ends more than eight times, each within a minute, is not started again: that is for somebody to look at. */
const postgresKillsMax = 7

/** All that runs, on one PostgreSQL. */
interface Ground {
  readonly server: EmbeddedServer
  readonly db: Db
  readonly settings: Readonly<Record<Part, Settings>>
  /** What runs now; absent while it starts again. */
  readonly running: Map<Part, RunningCoffer>
  readonly starting: Set<Promise<void>>
  readonly receiver: Receiver
}

const ground: Partial<Ground> = {}
afterAll(async () => {
  for (const coffer of ground.running?.values() ?? []) coffer.signal('SIGKILL')
  ground.receiver?.stop()
  await ground.db?.close()
  await ground.server?.stop()
})

it(`F12 M14 tells everything at least once through ${kills} kills (seed ${seed}, SOAK_SEED=${seed} repeats it)`, {
  timeout: 240_000 + kills * 6_000,
}, async () => {
  const dice = diceOf(seed)
  const parts = await openGround()
  const merchants = await openMerchants(parts)
  const stop = new AbortController()
  const trading = merchants.map((merchant, place) =>
    trade(diceOf(seed + place), parts, merchant, 2 + place, stop.signal),
  )
  const counts = await strikeAgain(dice, parts)
  stop.abort()
  await Promise.all(trading)
  await Promise.all(parts.starting)
  await drained(parts)
  const told = await expectAllTold(parts)
  await expectRightBooks(parts)
  const killed = [...counts].map(([victim, count]) => `${victim} ${count}`).join(', ')
  console.log(`seed ${seed}: ${told.events} events in ${told.calls} calls, kills: ${killed}`)
})

async function openGround(): Promise<Ground> {
  const server = await startEmbedded({ dataDir: await dataDirs.fresh(), log: silentLog })
  const shared = {
    DATABASE_URL: server.appUrl,
    MIGRATION_DATABASE_URL: server.ownerUrl,
    EVM_RPC_ETHEREUM: anvil.url,
    ADMIN_PASSWORD: login.password,
    JWT_SECRET: 'j'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
    XPUB_EVM: new KeyTree('test test test test test test test test test test test junk', 1).depositXpub,
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
  }
  const settings = {
    maker: { ...shared, DATA_DIR: await dataDirs.fresh() },
    first: { ...shared, DATA_DIR: await dataDirs.fresh() },
    second: { ...shared, DATA_DIR: await dataDirs.fresh() },
  }
  const running = new Map<Part, RunningCoffer>()
  const file = join(await dataDirs.fresh(), 'received')
  const receiver = await startReceiver(receiverScript, file)
  const db = openDb({ url: server.ownerUrl, connections: 2, log: silentLog })
  Object.assign(ground, { server, db, settings, running, starting: new Set(), receiver })
  await Promise.all((['maker', 'first', 'second'] as const).map((part) => start(ground as Ground, part)))
  return ground as Ground
}

async function start({ settings, running }: Ground, part: Part): Promise<void> {
  running.set(part, await startCoffer(settings[part], { words: ['start', '--roles', roles[part]] }))
}

async function openMerchants({ running, receiver }: Ground): Promise<readonly MerchantClient[]> {
  const { url } = required(running.get('maker'), 'who makes changes')
  const merchants: MerchantClient[] = []
  for (let place = 0; place < merchantsWanted; place += 1) {
    const merchant = await openMerchant(url, login)
    await merchant.setWebhook(receiver.url, 'a secret of at least 32 characters')
    merchants.push(merchant)
  }
  return merchants
}

/** Opens invoices, pays most and closes others, whether or not anybody answers. */
async function trade(
  dice: Dice,
  { running }: Ground,
  opened: MerchantClient,
  account: number,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    await sleep(dice.between(50, 400))
    const maker = running.get('maker')
    if (maker === undefined) continue
    try {
      const merchant = merchantAt(maker.url, opened)
      const id = await merchant.createInvoice({ amount: String(dice.between(1, 200)) })
      if (dice.chance(0.7)) await payFrom(anvil.url, account, await merchant.addressOf(id))
      else await merchant.call('POST', `/merchants/${merchant.merchantId}/invoices/${id}/close`)
    } catch {
      // Whoever was asked is dead, or what it needs is.
    }
  }
}

/**
 * Kills whom the dice name at moments that they decide, each time after something new happened: all come under load, however
 * long a start takes. Starts again what was killed; tells how many of what.
 */
async function strikeAgain(dice: Dice, parts: Ground): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  let events = 0
  for (let count = 0; count < kills; count += 1) {
    const drawn = required(hat[dice.between(0, hat.length - 1)], 'whoever is drawn')
    const isSpared = drawn === 'postgres' && (counts.get(drawn) ?? 0) >= postgresKillsMax
    const victim = isSpared ? 'first' : drawn
    events = await untilEvents(parts, events + dice.between(1, 3))
    await sleep(dice.between(0, 300))
    await vi.waitUntil(() => isUp(parts, victim), { timeout: 60_000, interval: 10 })
    strike(parts, victim)
    counts.set(victim, (counts.get(victim) ?? 0) + 1)
  }
  return counts
}

/** Returns how many there are then. PostgreSQL may be away meanwhile. */
function untilEvents({ db }: Ground, atLeast: number): Promise<number> {
  return vi.waitFor(
    async () => {
      const [found] = await db.query<{ count: number }>(sql`select count(*)::integer as count from event`)
      expect(found?.count).toBeGreaterThanOrEqual(atLeast)
      return found?.count ?? 0
    },
    { timeout: 60_000, interval: 50 },
  )
}

/** PostgreSQL goes only under those that send. */
function isUp({ running }: Ground, victim: Part | 'postgres'): boolean {
  return victim === 'postgres' ? running.has('first') && running.has('second') : running.has(victim)
}

function strike(parts: Ground, victim: Part | 'postgres'): void {
  if (victim === 'postgres') {
    kill(parts.server.pid)
    return
  }
  const coffer = required(parts.running.get(victim), victim)
  parts.running.delete(victim)
  coffer.signal('SIGKILL')
  const again = coffer.ended.then(() => startAgain(parts, victim))
  parts.starting.add(again)
  void again.finally(() => parts.starting.delete(again))
}

/** PostgreSQL may be away at this moment: whoever runs Coffer starts it again, and again. */
async function startAgain(parts: Ground, part: Part): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start(parts, part)
    } catch (error) {
      if (tries === 10) throw error
      await sleep(500)
    }
  }
}

/** Waits until nothing is left to be sent. Rests are not waited for, nor, where few are killed, claims of the dead. */
async function drained({ db }: Ground): Promise<void> {
  if (kills < 50) {
    await sleep(1_000)
    await db.query(
      sql`update delivery set claimed_until = now() - interval '1 second' where state = 'pending' and claimed_until > now()`,
    )
  }
  await vi.waitFor(
    async () => {
      await db.query(sql`
        update delivery set next_attempt_at = now() - interval '1 second'
        where state = 'pending' and claimed_until is null and next_attempt_at > now()`)
      const left = await db.query(sql`select id from delivery where state = 'pending' limit 1`)
      expect(left).toEqual([])
    },
    { timeout: 120_000, interval: 500 },
  )
}

/** Every event arrived, always under its id and with its bytes, and nothing else did. */
async function expectAllTold({
  db,
  receiver,
}: Ground): Promise<{ readonly events: number; readonly calls: number }> {
  const calls = await receiver.received()
  const events = await db.query<{ id: string; body: string; merchant_id: string; sequence: number }>(
    sql`select id, body, merchant_id, sequence from event order by merchant_id, sequence`,
  )
  const expected = events.map(({ id, body }) => `${id} ${createHash('sha256').update(body).digest('hex')}`)
  expect([...new Set(calls.map(({ id, hash }) => `${id} ${hash}`))].sort()).toEqual(expected.sort())
  const next = new Map<string, number>()
  for (const { merchant_id, sequence } of events) {
    expect(sequence, `the numbers of ${merchant_id}`).toBe((next.get(merchant_id) ?? 0) + 1)
    next.set(merchant_id, sequence)
  }
  const [unsound] = await db.query<{ count: number }>(sql`
    select count(*)::integer as count from delivery
    where state <> 'delivered' or attempts > ${limits.deliveryAttempts}`)
  expect(unsound?.count, 'deliveries that nobody took').toBe(0)
  expect(events.length).toBeGreaterThan(kills)
  return { events: events.length, calls: calls.length }
}

async function expectRightBooks({ settings }: Ground): Promise<void> {
  const { code, stdout, stderr } = await runCoffer(['verify'], settings.maker)
  expect(code, stdout + stderr).toBe(0)
}
