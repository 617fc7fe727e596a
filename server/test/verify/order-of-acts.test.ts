/**
 * Tests that verify takes the acts on one subject in their true order. The clocks of the processes that made
 * them may differ, and a transaction may begin before another one and act after it.
 */
import sql from 'sql-template-tag'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { generateApiKey, revokeApiKey } from '../../src/merchants/change-api-key.ts'
import { removeIpList, setIpList } from '../../src/merchants/change-ip-list.ts'
import { addMember, changeMember } from '../../src/merchants/change-members.ts'
import { insertMerchant } from '../../src/merchants/store.ts'
import { haltAsset, resumeAsset } from '../../src/outgoing/engine/controls/asset-halts.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { type Db, openDb } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { setSchedule } from '../../src/pricing/fees/set-schedule.ts'
import { setLimits } from '../../src/pricing/limits/set-limits.ts'
import { useDatabase } from '../support/database.ts'
import { methods } from './healthy-books.ts'

const database = useDatabase()
const owner = '0197a1f1-aaaa-7aaa-8aaa-aaaaaaaaaaaa'
const asset = 'ethereum/usdt'

interface Subject {
  readonly merchantId: string
  /** An account that may become a member of the merchant. */
  readonly clerk: { readonly accountId: string; readonly email: string }
}

type Act = (db: Db, subject: Subject) => Promise<unknown>

const by = ({ merchantId }: Subject) => ({ accountId: owner, merchantId })
const everyMethod = ({ merchantId }: Subject) => ({ merchantId, paymentMethodId: undefined })
const generateKey: Act = (db, subject) => generateApiKey(db, by(subject))
const revokeKey: Act = (db, subject) => revokeApiKey(db, by(subject))
const setList =
  (address: string): Act =>
  (db, subject) =>
    setIpList(db, by(subject), [address])
const removeList: Act = (db, subject) => removeIpList(db, by(subject))
const addClerk: Act = (db, subject) =>
  addMember(db, by(subject), { email: subject.clerk.email, role: 'viewer' })
const promoteClerk: Act = (db, subject) =>
  changeMember(db, by(subject), { accountId: subject.clerk.accountId, role: 'admin' })
const setFee =
  (percent: string): Act =>
  (db, subject) => {
    const schedule = { type: 'onetime', percent, flat: '0', currency: undefined } as const
    return setSchedule({ db, methods }, owner, { ...everyMethod(subject), ...schedule })
  }
const setMinimum =
  (minCollect: string): Act =>
  (db, subject) =>
    setLimits({ db, methods }, owner, { ...everyMethod(subject), minCollect, minWithdraw: undefined })
const halt: Act = (db) => haltAsset({ db, log: silentLog }, { asset, cause: 'insolvent', detail: 'test' })
const lift: Act = (db) => inTransaction(db, (tx) => resumeAsset(tx, asset, { reason: 'test' }))

interface Story {
  readonly what: string
  readonly invariant: string
  /** The last act decides what the database must show. It is the one that is made late, or by a wrong clock. */
  readonly acts: readonly Act[]
}

const stories: readonly Story[] = [
  { what: 'a key that replaced another', invariant: 'M23-keys', acts: [generateKey, generateKey] },
  { what: 'a key after a revoked one', invariant: 'M23-keys', acts: [generateKey, revokeKey, generateKey] },
  {
    what: 'a list that replaced another',
    invariant: 'M23-lists',
    acts: [setList('192.0.2.1'), setList('192.0.2.2')],
  },
  { what: 'a list that was removed', invariant: 'M23-lists', acts: [setList('192.0.2.1'), removeList] },
  { what: 'a member whose role was changed', invariant: 'M23-members', acts: [addClerk, promoteClerk] },
  { what: 'a fee that replaced another', invariant: 'M23-fees', acts: [setFee('1'), setFee('2')] },
  {
    what: 'a minimum that replaced another',
    invariant: 'M23-limits',
    acts: [setMinimum('1'), setMinimum('2')],
  },
  { what: 'a halt that was lifted', invariant: 'M23-halts', acts: [halt, lift] },
]

beforeAll(() =>
  database.db.query(sql`
    insert into account (id, email, password_hash) values (${owner}, 'owner@shop.test', '')`),
)

afterEach(() => {
  vi.useRealTimers()
})

async function openShop(): Promise<Subject> {
  const merchantId = newId()
  const accountId = newId()
  const email = `${accountId}@shop.test`
  await database.db.query(
    sql`insert into account (id, email, password_hash) values (${accountId}, ${email}, '')`,
  )
  await insertMerchant(database.db, { id: merchantId, name: 'Shop', ownerId: owner })
  return { merchantId, clerk: { accountId, email } }
}

async function findingsOf(invariant: string): Promise<readonly string[]> {
  const { entries } = await verify({ db: database.db, methods })
  return required(
    entries.find(({ id }) => id === invariant),
    invariant,
  ).findings
}

const clockErrorMs = 5 * 60 * 60 * 1000

describe.each(stories)('verify reports no violation about $what', ({ invariant, acts }) => {
  const last = required(acts.at(-1), 'the last act')

  it('by a process whose clock is hours behind', async () => {
    const subject = await openShop()
    for (const act of acts.slice(0, -1)) await act(database.db, subject)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - clockErrorMs })
    await last(database.db, subject)
    vi.useRealTimers()
    expect(await findingsOf(invariant)).toEqual([])
  })

  it('by a transaction that began before the others', async () => {
    const subject = await openShop()
    const early = openDb({ url: database.urls.app, connections: 1, log: silentLog })
    try {
      // PostgreSQL ignores a second begin, so the last act runs in this transaction and commits it.
      await early.query(sql`begin`)
      // Entries have times in milliseconds.
      await database.db.query(sql`select pg_sleep(0.005)`)
      for (const act of acts.slice(0, -1)) await act(database.db, subject)
      await last(early, subject)
    } finally {
      await early.close()
    }
    expect(await findingsOf(invariant)).toEqual([])
  })
})
