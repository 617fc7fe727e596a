/**
 * Tests that every process notices a database that was restored to an earlier time, and that no money leaves
 * until an operator decides.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { insertOwnHalt, readHalts } from '../../src/outgoing/engine/controls/halt-store.ts'
import { diagnose } from '../../src/oversight/health/diagnosis.ts'
import { openMetrics } from '../../src/oversight/health/metrics.ts'
import { readState } from '../../src/oversight/health/read-state.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { acquireLease, assertLease, LeaseLostError, renewLease } from '../../src/platform/db/lease.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { readHistory, readIncarnation, readLostBeats } from '../../src/platform/incarnation/store.ts'
import { raiseCounters } from '../../src/platform/outbox/store.ts'
import { readFeedPage } from '../../src/webhooks/feed/store.ts'
import { useDatabase } from '../support/database.ts'
import { eventsTo } from '../support/emitted-events.ts'
import { ageBeats, demote, loseBeats, openProcess, promote, readIncarnations } from '../support/going-back.ts'
import { countLockWaiters, waitForLocks } from '../support/lock-waiters.ts'
import { addMerchant } from '../support/merchant-server.ts'
import { restoreDatabase, snapshotDatabase } from '../support/snapshot.ts'
import { methods } from '../verify/healthy-books.ts'
import { emitEvents } from '../webhooks/dispatching.ts'

const database = useDatabase()

/** Opens a process that has made two heartbeats. */
async function working(role: string, memoryPath?: string) {
  const opened = openProcess(database, role, memoryPath)
  await opened.history.beat()
  await opened.history.beat()
  return opened
}

const current = async () => required(await readIncarnation(database.db), 'the incarnation')
const haltsNow = async () => (await readHalts(database.db)).length

async function memoryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-history-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'heartbeat.json')
}

describe('a heartbeat that was committed and is lost', () => {
  it('is noticed with the next heartbeat, halts outgoing transactions, and is reported once to log and hook', async () => {
    const { history, losses, alerts } = await working('payouts')
    const { number } = await current()
    const halts = await haltsNow()
    await loseBeats(database)
    await history.beat()
    expect(await current()).toMatchObject({ number: number + 1, cause: 'loss' })
    expect(await haltsNow()).toBe(halts + 1)
    expect(alerts).toEqual(['history-lost'])
    expect(losses).toMatchObject([{ incarnation: number + 1, isProven: true }])
    const [loss] = losses
    expect(loss?.lastSeenAt.getTime()).toBeLessThanOrEqual(loss?.noticedAt.getTime() ?? 0)
    expect(await readLostBeats(database.db, number + 1)).toMatchObject([
      { role: 'payouts', beat: 2, survivingBeat: 1 },
    ])
    await history.beat()
    expect(losses).toHaveLength(1)
    expect((await current()).number).toBe(number + 1)
  })

  it('causes one incarnation and one halt, however many processes notice it at once; each process calls its hook', async () => {
    const processes = await Promise.all(
      ['api', 'watcher', 'payouts', 'dispatcher'].map((role) => working(role)),
    )
    const { number } = await current()
    const halts = await haltsNow()
    await loseBeats(database)
    await Promise.all(processes.map(({ history }) => history.beat()))
    expect((await current()).number).toBe(number + 1)
    expect(await haltsNow()).toBe(halts + 1)
    expect(await readLostBeats(database.db, number + 1)).toHaveLength(4)
    for (const { losses } of processes)
      expect(losses).toMatchObject([{ incarnation: number + 1, isProven: true }])
  })

  it('is found by a process that was restarted after the loss, from its file', async () => {
    const path = await memoryFile()
    await working('api', path)
    await loseBeats(database)
    const restarted = openProcess(database, 'api', path)
    await restarted.history.beat()
    expect(restarted.losses).toMatchObject([{ isProven: true }])
  })

  it('halts outgoing transactions again after the halt of an earlier loss', async () => {
    const { history } = await working('payouts')
    const halts = await haltsNow()
    for (let round = 1; round <= 2; round += 1) {
      await loseBeats(database)
      await history.beat()
      expect(await haltsNow()).toBe(halts + round)
    }
  })
})

describe('a start', () => {
  it('reports nothing after a normal stop, after a kill, and without a file', async () => {
    const path = await memoryFile()
    const { history } = await working('api', path)
    const before = await readIncarnations(database.db)
    await history.end()
    const restarted = await working('api', path)
    const killed = await working('api', path)
    const fresh = await working('watcher')
    expect(await readIncarnations(database.db)).toEqual(before)
    for (const { losses } of [restarted, killed, fresh]) expect(losses).toEqual([])
  })

  it('continues under the same row, which increases each time', async () => {
    const path = await memoryFile()
    const role = `role ${newId()}`
    await working(role, path)
    await working(role, path)
    const { heartbeats } = await readState(database.db)
    expect(heartbeats.filter((one) => one.role === role)).toHaveLength(1)
  })
})

describe('a server that took over', () => {
  beforeEach(async () => {
    for (const { role } of (await readState(database.db)).heartbeats) await ageBeats(database, role, 120)
  })

  it('halts outgoing transactions if a process was working, although no heartbeat is missing', async () => {
    const { history, losses } = await working('payouts')
    await promote(database)
    await history.beat()
    expect(await current()).toMatchObject({ cause: 'promotion' })
    expect(losses).toMatchObject([{ isProven: false }])
  })

  it('halts nothing if every process had stopped normally before', async () => {
    const path = await memoryFile()
    const processes = [await working('api', path), await working('payouts')]
    for (const { history } of processes) await history.end()
    const halts = await haltsNow()
    await promote(database)
    const restarted = openProcess(database, 'api', path)
    await restarted.history.beat()
    expect(await current()).toMatchObject({ cause: 'planned' })
    expect(await haltsNow()).toBe(halts)
    expect(restarted.losses).toEqual([])
  })

  it('halts if one of them was killed', async () => {
    const stopped = await working('api')
    await working('payouts')
    await stopped.history.end()
    await promote(database)
    const restarted = openProcess(database, 'api')
    await restarted.history.beat()
    expect(await current()).toMatchObject({ cause: 'promotion' })
  })
})

describe('a lease for payouts', () => {
  const take = (guard: Parameters<typeof acquireLease>[1]['guard']) =>
    acquireLease(database.db, { name: newId(), holderId: newId(), ttlMs: 10_000, guard })
  const write = (lease: Parameters<typeof assertLease>[1]) =>
    inTransaction(database.db, (tx) => assertLease(tx, lease))

  it('is not granted to a process that has not compared its heartbeats yet', async () => {
    expect(await take(openProcess(database, 'payouts').history.guard)).toBeUndefined()
    expect(await take((await working('payouts')).history.guard)).toBeDefined()
  })

  it.each([
    ['another server took over', () => promote(database)],
    ['a beat is gone', () => loseBeats(database)],
    [
      'another process began an incarnation',
      async () => {
        const other = await working('api')
        await promote(database)
        await other.history.beat()
      },
    ],
  ])(
    'writes nothing from the moment that %s, before anybody has noticed, and again after the heartbeat',
    async (_, change) => {
      const { history } = await working('payouts')
      const lease = required(await take(history.guard), 'the lease')
      await write(lease)
      await history.beat()
      await write(lease)
      await change()
      await expect(write(lease)).rejects.toThrow(LeaseLostError)
      expect(await renewLease(database.db, lease)).toBe(false)
      await history.beat()
      await write(lease)
    },
  )
})

describe('numbers of events', () => {
  const query = { limit: 100, types: undefined, scannedMax: 100 }

  it('skip a million on another timeline before anybody has noticed, and again in another incarnation', async () => {
    const { history } = await working('api')
    const merchantId = await addMerchant(database.db)
    await emitEvents(database.db, merchantId, 3)
    await promote(database)
    await emitEvents(database.db, merchantId, 2)
    await history.beat()
    await emitEvents(database.db, merchantId)
    await emitEvents(database.db, merchantId)
    const { entries } = await verify({ db: database.db, methods })
    expect(entries.find(({ id }) => id === 'M14-order')).toMatchObject({ ok: true, examined: 1 })
    const emitted = await eventsTo(database.db, merchantId)
    expect(emitted.map(({ sequence }) => sequence)).toEqual([
      1, 2, 3, 1_000_004, 1_000_005, 2_000_006, 2_000_007,
    ])
  })

  it('show a reader who is behind where events were lost, and nobody else; all read every event once', async () => {
    await working('api')
    const merchantId = await addMerchant(database.db)
    await emitEvents(database.db, merchantId, 3)
    const behind = await readFeedPage(database.db, { ...query, merchantId, after: 5 })
    expect(behind).toMatchObject({ readAgainAfter: 3, last: 3 })
    await promote(database)
    await emitEvents(database.db, merchantId, 2)
    const { number: incarnation } = await current()
    const lost = await readFeedPage(database.db, { ...query, merchantId, after: 5 })
    expect(lost).toMatchObject({ readAgainAfter: 3, next: 1_000_005, last: 1_000_005, incarnation })
    expect(lost.bodies.map((body) => JSON.parse(body).sequence)).toEqual([1_000_004, 1_000_005])
    for (const scannedMax of [1, 2, 100]) {
      const read: number[] = []
      for (let after = 0; after < 1_000_005; ) {
        const page = await readFeedPage(database.db, { ...query, merchantId, after, scannedMax })
        expect(page.readAgainAfter).toBeUndefined()
        expect(page.next).toBeGreaterThan(after)
        read.push(...page.bodies.map((body) => JSON.parse(body).sequence))
        after = page.next
      }
      expect(read).toEqual([1, 2, 3, 1_000_004, 1_000_005])
    }
  })
})

describe('numbers of events after the same database was lost more than once', () => {
  const emitOne = async (merchantId: string) => {
    await emitEvents(database.db, merchantId)
    return required((await eventsTo(database.db, merchantId)).at(-1), 'the event').sequence
  }
  const m14 = async () => {
    const { entries } = await verify({ db: database.db, methods })
    return entries.find(({ id }) => id === 'M14-order')?.findings
  }

  it('are never those of an event of a lost incarnation', async () => {
    const { history } = await working('api')
    const merchantId = await addMerchant(database.db)
    const sent = [await emitOne(merchantId)]
    const kept = await snapshotDatabase(database)
    await history.beat()
    for (let loss = 1; loss <= 3; loss += 1) {
      await restoreDatabase(database, kept)
      if (loss % 2 === 0) await promote(database)
      await history.beat()
      sent.push(await emitOne(merchantId), await emitOne(merchantId))
    }
    expect(new Set(sent).size).toBe(sent.length)
    expect(await m14()).toEqual([])
  })

  it('are never those of a lost event, even if nobody had noticed the promotion before the loss', async () => {
    const { history } = await working('api')
    const merchantId = await addMerchant(database.db)
    const sent = [await emitOne(merchantId)]
    const kept = await snapshotDatabase(database)
    await promote(database)
    sent.push(await emitOne(merchantId))
    await history.beat()
    sent.push(await emitOne(merchantId), await emitOne(merchantId))
    await restoreDatabase(database, kept)
    await history.beat()
    sent.push(await emitOne(merchantId), await emitOne(merchantId))
    expect(new Set(sent).size).toBe(sent.length)
    expect(await m14()).toEqual([])
  })

  it('are never those of a lost event if the disk from before an unnoticed promotion is put back', async () => {
    const { history } = await working('api')
    const merchantId = await addMerchant(database.db)
    const sent = [await emitOne(merchantId)]
    const kept = await snapshotDatabase(database)
    await promote(database)
    sent.push(await emitOne(merchantId))
    await history.beat()
    sent.push(await emitOne(merchantId), await emitOne(merchantId))
    await restoreDatabase(database, kept)
    await demote(database)
    await history.beat()
    sent.push(await emitOne(merchantId), await emitOne(merchantId))
    expect(new Set(sent).size).toBe(sent.length)
    expect(await m14()).toEqual([])
  })

  it('stay in the newest incarnation if a statement that began before it ends after it', async () => {
    const { history } = await working('api')
    // A statement locks counters in the order of the merchants' ids, which may be made in the same millisecond.
    const [first = '', second = ''] = [await addMerchant(database.db), await addMerchant(database.db)].sort()
    for (const id of [first, second]) await emitOne(id)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let holding = Promise.resolve()
    await new Promise<void>((resolve) => {
      holding = inTransaction(database.db, async (tx) => {
        await raiseCounters(tx, new Map([[first, 0]]))
        resolve()
        await released
      })
    })
    const counts = new Map([first, second].map((id) => [id, 0]))
    const late = inTransaction(database.db, async (tx) => {
      await waitForLocks(tx)
      await raiseCounters(tx, counts)
    })
    await vi.waitUntil(async () => (await countLockWaiters(database.db)) === 1, { timeout: 30_000 })
    await loseBeats(database)
    await history.beat()
    const raised = await emitOne(second)
    release()
    await Promise.all([holding, late])
    expect(await emitOne(second)).toBe(raised + 1)
  })

  it('are never those of a lost event of a merchant whose counter was lost as well', async () => {
    const { history } = await working('api')
    const merchantId = await addMerchant(database.db)
    const kept = await snapshotDatabase(database)
    const sent = [await emitOne(merchantId)]
    await history.beat()
    for (let loss = 1; loss <= 3; loss += 1) {
      await restoreDatabase(database, kept)
      if (loss === 2) await promote(database)
      await history.beat()
      sent.push(await emitOne(merchantId), await emitOne(merchantId))
    }
    expect(new Set(sent).size).toBe(sent.length)
    expect(await m14()).toEqual([])
  })
})

it('gives each simultaneous halt its own row, so that none is lifted with another', async () => {
  const halts = await haltsNow()
  const processes = Array.from({ length: 3 }, (_, index) =>
    inTransaction(database.db, (tx) => insertOwnHalt(tx, 'history', `process ${index}`)),
  )
  await Promise.all(processes)
  expect(await haltsNow()).toBe(halts + 3)
})

describe('what operators are shown', () => {
  it('is a fault with the command that lifts the halt, and figures', async () => {
    const { history } = await working('payouts')
    await loseBeats(database)
    await history.beat()
    const findings = diagnose(await readState(database.db))
    const errors = findings.filter(({ isError }) => isError)
    expect(errors.map(({ subject }) => subject)).toContain('history')
    expect(JSON.stringify(errors)).toMatch(/coffer signer lift --halt [0-9a-f-]{36} .* --new-database-id/)
    const { number } = await current()
    const lines = (await openMetrics().read({ db: database.db, methods })).split('\n')
    expect(lines).toContain(`coffer_incarnation ${number}`)
    expect(lines).toContain('coffer_history_lost 1')
  })

  it('names the server itself while no process has compared yet', async () => {
    await working('api')
    await promote(database)
    const findings = diagnose(await readState(database.db))
    expect(findings[0]).toMatchObject({ subject: 'database', isError: true })
    const seen = await inTransaction(database.db, (tx) => readHistory(tx, { processId: newId(), role: 'x' }))
    expect(seen.server.timeline).toBe((await current()).timeline + 1)
  })
})
