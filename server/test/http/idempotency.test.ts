/** Tests the guarantees of an Idempotency-Key, with servers that share a database. */
import { Type } from 'typebox'
import { describe, expect, it, vi } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { fail } from '../../src/core/errors.ts'
import { silentLog } from '../../src/core/log.ts'
import { type Db, openDb } from '../../src/platform/db/pool.ts'
import { forgetOldKeys } from '../../src/platform/http/idempotency/answer-once.ts'
import { type Route, route } from '../../src/platform/http/route.ts'
import { sealer } from '../api/api.ts'
import { useDatabase } from '../support/database.ts'
import { merchantIds } from '../support/made-people.ts'
import { openLater, useMadeServers } from '../support/made-server.ts'
import { idempotencyRecords } from '../support/people/records.ts'
import { fromNow } from '../support/records/values.ts'

const database = useDatabase()
const startServer = useMadeServers()

const things = `/merchants/${merchantIds.shop}/things`
const stallThings = `/merchants/${merchantIds.stall}/things`
const childId = '01890a5d-ac96-774b-bcce-b30209900000'

/** Work that a test can delay, count and make fail. */
class Work {
  /** The id of each run, in order. */
  readonly runs: string[] = []
  /** The ids of the created objects. A second insert with the same id creates nothing. */
  readonly made = new Set<string>()
  before: (run: number) => Promise<void> | void = () => {}
  after: (run: number) => Promise<void> | void = () => {}

  async do(id: string): Promise<void> {
    const run = this.runs.push(id)
    await this.before(run)
    this.made.add(id)
    await this.after(run)
  }

  routes(): readonly Route[] {
    const body = Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) })
    const replies = { 201: Type.Object({ id: Type.String(), secret: Type.String() }) }
    const handle = async ({ newId: id }: { newId: string }) => {
      await this.do(id)
      return { status: 201, headers: { location: `/${id}` }, body: { id, secret: `of ${id}` } } as const
    }
    const shared = { auth: 'any', idempotent: true, summary: 'Makes a thing', body, replies, handle } as const
    return [
      route({ method: 'POST', path: '/merchants/:merchantID/things', ...shared }),
      route({ method: 'POST', path: '/merchants/:merchantID/things/:thingID', ...shared }),
      route({ method: 'POST', path: '/things', ...shared }),
      route({ method: 'POST', path: '/public/things/:thingID', ...shared, auth: 'open' }),
      route({
        method: 'DELETE',
        path: '/merchants/:merchantID/things/:thingID',
        auth: 'any',
        idempotent: true,
        summary: 'Ends a thing',
        replies: { 204: null },
        handle: async ({ newId }) => {
          await this.do(newId)
          return { status: 204 }
        },
      }),
    ]
  }
}

interface StartOptions {
  readonly db?: Pick<Db, 'query'>
  readonly waitMs?: number
  readonly clock?: Clock
}

function start(work: Work, { db = database.db, waitMs = 10_000, clock = systemClock }: StartOptions = {}) {
  return startServer({ routes: work.routes(), idempotency: { db, sealer, clock, waitMs } })
}

let keysMade = 0

/** Returns the options of a call, with a new key unless one is given. */
function under(key = `key-${keysMade++}`, over: { token?: string; key?: string; json?: unknown } = {}) {
  const credential = over.token === undefined && over.key === undefined ? { token: 'alice' } : {}
  return { ...credential, json: { name: 'x' }, ...over, headers: { 'idempotency-key': key } }
}

async function rowsOf(key: string): Promise<number> {
  return (await idempotencyRecords.all(database.db, { key })).length
}

/** Ends the claims, as if their process had died long ago. */
async function endClaims(): Promise<void> {
  await idempotencyRecords.change(database.db, { status: null }, { claimedUntil: fromNow('-1 second') })
}

describe('the same request under the same key', () => {
  it('M15 takes effect once and gets the same bytes', async () => {
    const work = new Work()
    const { call } = await start(work)
    const first = await call('POST', things, under('a'))
    const again = await call('POST', `${things}/`, under('a'))
    expect(first).toMatchObject({ status: 201, body: { id: work.runs[0], secret: `of ${work.runs[0]}` } })
    expect(first.headers.get('idempotent-replayed')).toBe(null)
    expect(work.runs).toHaveLength(1)
    expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: first.text })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    for (const name of ['content-type', 'location']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    }
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
  })

  it('gets the same answer as without a key', async () => {
    const { call } = await start(new Work())
    const keyed = await call('POST', things, under())
    const plain = await call('POST', things, { token: 'alice', json: { name: 'x' } })
    const names = ({ headers }: typeof keyed) => [...headers.keys()].sort()
    expect(names(keyed)).toEqual(names(plain))
    expect(keyed.headers.get('content-type')).toBe(plain.headers.get('content-type'))
    expect(Object.keys(keyed.body)).toEqual(Object.keys(plain.body))
  })

  it('repeats an answer without a body', async () => {
    const work = new Work()
    const { call } = await start(work)
    const options = { token: 'alice', headers: { 'idempotency-key': 'ended' } }
    const answers = [
      await call('DELETE', `${things}/${childId}`, options),
      await call('DELETE', `${things}/${childId.toUpperCase()}`, options),
    ]
    const answered = answers.map(({ status, text, headers }) => [status, text, headers.get('content-type')])
    expect(answered).toEqual([
      [204, '', null],
      [204, '', null],
    ])
    expect(work.runs).toHaveLength(1)
  })

  it('is recognised whatever the order of its fields and its white space', async () => {
    const work = new Work()
    const { call } = await start(work)
    await call('POST', things, under('fields', { json: { name: 'x', size: 2 } }))
    const { status } = await call('POST', things, under('fields', { json: { size: 2, name: 'x' } }))
    expect({ status, runs: work.runs.length }).toEqual({ status: 201, runs: 1 })
  })

  it('M15 runs once when it is sent fifty times at once to two processes', async () => {
    const work = new Work()
    const servers = [await start(work), await start(work)]
    work.before = () => systemClock.sleep(50)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => servers[index % 2]?.call('POST', things, under('both'))),
    )
    expect(work.runs).toHaveLength(1)
    expect(new Set(answers.map((answer) => `${answer?.status} ${answer?.text}`)).size).toBe(1)
    expect(answers.filter((answer) => answer?.headers.get('idempotent-replayed') === null)).toHaveLength(1)
  })
})

describe('another request under the same key', () => {
  it.each([
    ['another body', things, { json: { name: 'y' } }],
    ['one field more', things, { json: { name: 'x', size: 1 } }],
    ['a child of the same path', `${things}/${childId}`, {}],
    ['another route of the merchant', '/things', { key: 'shop' }],
  ])('is refused: %s', async (name, path, over) => {
    const work = new Work()
    const { call } = await start(work)
    const key = name.replaceAll(' ', '-')
    await call('POST', things, under(key))
    const answer = await call('POST', path, under(key, over))
    expect(answer).toMatchObject({ status: 409, body: { code: 'idempotency-conflict' } })
    expect(work.runs).toHaveLength(1)
  })

  it('is refused while the first still runs', async () => {
    const work = new Work()
    const { call } = await start(work)
    const held = openLater()
    work.before = () => held.promise
    const first = call('POST', things, under('running'))
    await vi.waitFor(() => expect(work.runs).toHaveLength(1), { timeout: 10_000 })
    expect((await call('POST', things, under('running', { json: { name: 'y' } }))).status).toBe(409)
    held.resolve()
    expect((await first).status).toBe(201)
  })

  it('is allowed if it is another merchant’s or another account’s', async () => {
    const work = new Work()
    const { call } = await start(work)
    const statuses = [
      (await call('POST', things, under('shared'))).status,
      (await call('POST', stallThings, under('shared'))).status,
      (await call('POST', '/things', under('shared', { token: 'alice' }))).status,
      (await call('POST', '/things', under('shared', { token: 'bob', json: { name: 'y' } }))).status,
      (await call('POST', `/public/things/${childId}`, under('shared'))).status,
    ]
    expect(statuses).toEqual([201, 201, 201, 201, 201])
    expect(new Set(work.runs).size).toBe(5)
  })

  it('is allowed for a merchant if an anonymous caller used the key on an open route', async () => {
    const work = new Work()
    const { call } = await start(work)
    const stranger = await call('POST', `/public/things/${merchantIds.shop}`, under('guessed', { token: '' }))
    const merchant = await call('POST', things, under('guessed'))
    expect([stranger.status, merchant.status]).toEqual([201, 201])
    expect(new Set(work.runs).size).toBe(2)
  })

  it('is recognised alike from a merchant’s key and from its owner', async () => {
    const work = new Work()
    const { call } = await start(work)
    const answers = [
      await call('POST', things, under('merchant', { token: 'alice' })),
      await call('POST', things, under('merchant', { key: 'shop' })),
    ]
    expect(answers[1]?.text).toBe(answers[0]?.text)
    expect(work.runs).toHaveLength(1)
  })
})

describe('a refusal', () => {
  it.each(['reference-taken', 'insufficient-balance'] as const)(
    'M15 after the request was read is the final answer: %s',
    async (code) => {
      const work = new Work()
      const { call } = await start(work)
      work.before = (run) => {
        if (run === 1) throw fail(code, 'No.')
      }
      const first = await call('POST', things, under(code))
      const again = await call('POST', things, under(code))
      expect(first.body.code).toBe(code)
      expect({ status: again.status, text: again.text }).toEqual({ status: first.status, text: first.text })
      expect(again.headers.get('content-type')).toBe('application/problem+json')
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(work.runs).toHaveLength(1)
    },
  )

  it.each(['invalid-request', 'forbidden', 'not-found', 'payment-under-way'] as const)(
    'that may be temporary leaves the key free, even for a corrected request: %s',
    async (code) => {
      const work = new Work()
      const { call } = await start(work)
      work.before = (run) => {
        if (run === 1) throw fail(code, 'Not so.')
      }
      expect((await call('POST', things, under(code))).body.code).toBe(code)
      expect(await rowsOf(code)).toBe(0)
      expect((await call('POST', things, under(code, { json: { name: 'corrected' } }))).status).toBe(201)
    },
  )

  it('M15 that is a failure leaves the key to the next run, which creates the same object', async () => {
    const work = new Work()
    const { call } = await start(work)
    work.after = (run) => {
      if (run === 1) throw new Error('the answer of the database was lost')
    }
    expect((await call('POST', things, under('failure'))).status).toBe(500)
    expect((await call('POST', things, under('failure', { json: { name: 'y' } }))).status).toBe(409)
    const { status, body } = await call('POST', things, under('failure'))
    expect({ status, id: body.id }).toEqual({ status: 201, id: work.runs[0] })
    expect(work.made.size).toBe(1)
  })

  it('M15 of a second run does not discard what a first run may have created', async () => {
    const work = new Work()
    const { call } = await start(work)
    work.after = (run) => {
      if (run === 1) throw new Error('the process was cut off')
    }
    work.before = (run) => {
      if (run === 2) throw fail('payment-under-way', 'Not now.')
    }
    await call('POST', things, under('later'))
    expect((await call('POST', things, under('later'))).status).toBe(409)
    expect((await call('POST', things, under('later'))).body.id).toBe(work.runs[0])
    expect(work.made.size).toBe(1)
  })

  it.each([
    ['without a credential', 401, things, { token: 'nobody' }],
    ['of a foreign merchant', 403, stallThings, { key: 'shop' }],
    ['of an unknown merchant', 404, '/merchants/nonsense/things', { token: 'alice' }],
    ['of a bad body', 400, things, { json: {} }],
    ['of an unknown field', 400, things, { json: { name: 'x', other: 1 } }],
  ])('%s comes before the key is read', async (name, status, path, over) => {
    const { call } = await start(new Work())
    const key = name.replaceAll(' ', '-')
    expect((await call('POST', path, under(key, over))).status).toBe(status)
    expect(await rowsOf(key)).toBe(0)
  })
})

describe('a run that does not end', () => {
  it('M15 is waited for, then reported with Retry-After', async () => {
    const work = new Work()
    const one = await start(work)
    const restsMs: number[] = []
    const clock: Clock = {
      ...systemClock,
      sleep: (ms, signal) => {
        restsMs.push(ms)
        return systemClock.sleep(ms, signal)
      },
    }
    const other = await start(work, { waitMs: 100, clock })
    const held = openLater()
    work.before = () => held.promise
    const first = one.call('POST', things, under('slow'))
    await vi.waitFor(() => expect(work.runs).toHaveLength(1), { timeout: 10_000 })
    const answered = await other.call('POST', things, under('slow'))
    expect(restsMs[0], 'it looked again after a rest').toBe(20)
    expect(answered).toMatchObject({ status: 409, body: { code: 'idempotency-in-progress' } })
    const retryAfterS = Number(answered.headers.get('retry-after'))
    expect(retryAfterS).toBeGreaterThan(20)
    expect(retryAfterS).toBeLessThanOrEqual(30)
    held.resolve()
    expect((await other.call('POST', things, under('slow'))).text).toBe((await first).text)
    expect(work.runs).toHaveLength(1)
  })

  it('M15 because its process died after the effect is repeated, and creates the same object', async () => {
    const work = new Work()
    const dying = await start(work)
    const other = await start(work)
    const never = openLater()
    work.after = (run) => (run === 1 ? never.promise : undefined)
    const lost = dying.call('POST', things, under('dead')).catch(() => undefined)
    await vi.waitFor(() => expect(work.made.size).toBe(1), { timeout: 10_000 })
    await endClaims()
    const answer = await other.call('POST', things, under('dead'))
    expect(answer).toMatchObject({ status: 201, body: { id: work.runs[0] } })
    expect(work.runs).toHaveLength(2)
    expect(work.made.size).toBe(1)
    never.resolve()
    await lost
  })

  it('M15 but returns late cannot replace the answer of the run that took over', async () => {
    const work = new Work()
    const paused = await start(work)
    const other = await start(work)
    const pause = openLater()
    work.before = async (run) => {
      if (run !== 1) return
      await pause.promise
      throw fail('insufficient-balance', 'Too late.')
    }
    const late = paused.call('POST', things, under('paused'))
    await vi.waitFor(() => expect(work.runs).toHaveLength(1), { timeout: 10_000 })
    await endClaims()
    const answer = await other.call('POST', things, under('paused'))
    pause.resolve()
    expect((await late).status).toBe(422)
    expect((await paused.call('POST', things, under('paused'))).text).toBe(answer.text)
  })

  it('M15 and took effect after the run that took over was refused is found by a repeat', async () => {
    const work = new Work()
    const paused = await start(work)
    const other = await start(work)
    const pause = openLater()
    work.before = async (run) => {
      if (run === 1) await pause.promise
      if (run === 2) throw fail('insufficient-balance', 'Not yet.')
    }
    const late = paused.call('POST', things, under('overtaken'))
    await vi.waitFor(() => expect(work.runs).toHaveLength(1), { timeout: 10_000 })
    await endClaims()
    expect((await other.call('POST', things, under('overtaken'))).status).toBe(422)
    pause.resolve()
    const made = await late
    const again = await other.call('POST', things, under('overtaken'))
    expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: made.text })
    expect(work.made.size).toBe(1)
  })

  it('M15 whose outcome cannot be stored still returns its answer, and a repeat creates the same object', async () => {
    const work = new Work()
    const cut = withoutStatement(database.db, 'keep-idempotent-answer')
    const cutOff = await start(work, { db: cut })
    const other = await start(work)
    const first = await cutOff.call('POST', things, under('unwritten'))
    expect(first.status).toBe(201)
    await endClaims()
    expect((await other.call('POST', things, under('unwritten'))).text).toBe(first.text)
    expect(work.made.size).toBe(1)
  })

  it('holds no connection of the database', async () => {
    const db = openDb({ url: database.urls.app, connections: 1, log: silentLog })
    const work = new Work()
    const { call } = await start(work, { db })
    const held = openLater()
    work.before = () => held.promise
    const answers = Array.from({ length: 20 }, () => call('POST', things, under()))
    await vi.waitFor(() => expect(work.runs).toHaveLength(20), { timeout: 10_000 })
    held.resolve()
    expect((await Promise.all(answers)).every(({ status }) => status === 201)).toBe(true)
    await db.close()
  })
})

function withoutStatement(db: Db, name: string): Pick<Db, 'query'> {
  return {
    query: (statement) =>
      statement.name === name ? Promise.reject(new Error('the database is away')) : db.query(statement),
  }
}

describe('a key', () => {
  it.each([
    ['with a space', 'a b'],
    ['that is empty', ''],
    ['beyond 255 characters', 'a'.repeat(256)],
    ['outside ASCII', 'caf\u00e9'],
    ['sent twice', 'a, b'],
  ])('%s is refused and named', async (_name, key) => {
    const work = new Work()
    const { call } = await start(work)
    const { status, body } = await call('POST', things, under(key))
    expect({ status, pointers: body.errors?.map((error: { pointer: string }) => error.pointer) }).toEqual({
      status: 400,
      pointers: ['header/Idempotency-Key'],
    })
    expect(work.runs).toHaveLength(0)
  })

  it('of 255 visible characters is accepted', async () => {
    const { call } = await start(new Work())
    expect((await call('POST', things, under(`"!~${'k'.repeat(252)}`))).status).toBe(201)
  })

  it('that was not sent costs no row', async () => {
    const work = new Work()
    const { call } = await start(work)
    const before = await idempotencyRecords.all(database.db)
    await call('POST', things, { token: 'alice', json: { name: 'x' } })
    await call('POST', things, { token: 'alice', json: { name: 'x' } })
    expect(work.made.size).toBe(2)
    expect(await idempotencyRecords.all(database.db)).toHaveLength(before.length)
  })

  it('G11 leaves no readable answer in the database', async () => {
    const { call } = await start(new Work())
    const { body } = await call('POST', things, under('sealed'))
    const dump = await idempotencyRecords.texts(database.db, { key: 'sealed' })
    const stored = Buffer.from(body.secret).toString('hex')
    expect(dump).toHaveLength(1)
    expect(dump[0]).not.toContain(body.secret)
    expect(dump[0]).not.toContain(stored)
  })

  it('is deleted after seven days, and not before', async () => {
    const work = new Work()
    const { call } = await start(work)
    await call('POST', things, under('young'))
    await call('POST', things, under('old'))
    const { runBatch } = forgetOldKeys({ db: database.db })
    const age = (key: string, days: string) =>
      idempotencyRecords.change(database.db, { key }, { createdAt: fromNow(`${days} ago`) })
    await age('young', '6 days 23:59')
    await age('old', '7 days 00:01')
    expect(await runBatch(new AbortController().signal)).toBe(1)
    expect([await rowsOf('young'), await rowsOf('old')]).toEqual([1, 0])
  })
})
