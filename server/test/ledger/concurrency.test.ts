import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import { describe, expect, it, vi } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { silentLog } from '../../src/core/log.ts'
import { credit, debit, type Journal, journal } from '../../src/ledger/journal.ts'
import { OverdraftError, post } from '../../src/ledger/post.ts'
import { openAccounts } from '../../src/ledger/store.ts'
import { type Db, openDb } from '../../src/platform/db/pool.ts'
import { inTransaction, sqlState } from '../../src/platform/db/transaction.ts'
import { testMacs } from '../support/books-macs.ts'
import { useDatabase } from '../support/database.ts'
import { countLockWaiters } from '../support/lock-waiters.ts'
import { account, checkLedger } from './ledger-table.ts'

const database = useDatabase()

describe('32 posters at once', () => {
  it('never overdraw one account: exactly as many succeed as its balance allows', () =>
    withConnections(32, async (db) => {
      await checkLedger(db, 'post o1 custody:anna 100 -> available:anna 100 ok')
      const hold = () => move('available:anna', 'held:anna', 7n)
      const outcomes = await Promise.allSettled(Array.from({ length: 32 }, () => postOnce(db, [hold()])))
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(refused.map(({ reason }) => reason instanceof OverdraftError)).toEqual(Array(18).fill(true))
      await checkLedger(db, 'balance available:anna 2\nbalance held:anna 98')
    }))

  it('on overlapping accounts never deadlock and leave correct totals', () =>
    withConnections(32, async (db) => {
      deadlocks = 0
      const owners = ['bea', 'ben', 'bob', 'bud', 'bix', 'bly']
      await Promise.all(
        Array.from({ length: 32 }, async (_, worker) => {
          for (let round = 0; round < 8; round++) {
            const shuffled = shuffle(owners, `${worker}:${round}`)
            await postOnce(
              db,
              shuffled.map((owner) => move(`custody:${owner}@x/X`, `available:${owner}@x/X`, 3n)),
            )
          }
        }),
      )
      for (const owner of owners) await checkLedger(db, `balance available:${owner}@x/X ${32 * 8 * 3}`)
      expect(await totalsThatDiffer()).toEqual([])
      expect(deadlocks).toBe(0)
    }))

  it('open the same new accounts in any order without a deadlock', () =>
    withConnections(33, async (db) => {
      deadlocks = 0
      const assets = Array.from({ length: 12 }, (_, index) => `new/${index}`)
      const poster = (worker: number) => {
        const shuffled = shuffle(assets, String(worker))
        return postOnce(
          db,
          shuffled.map((asset) => move(`custody@${asset}`, `capital@${asset}`, 1n)),
        )
      }
      // This transaction opens one of the accounts and stays open. All 32 writers therefore wait for it in
      // the middle of their work, and then run at the same time.
      const { posting } = await inTransaction(db, async (tx) => {
        await openAccounts(tx, [account('custody@new/5')])
        const started = Promise.all(Array.from({ length: 32 }, (_, worker) => poster(worker)))
        await vi.waitUntil(async () => (await countLockWaiters(database.db)) === 32, { timeout: 10_000 })
        return { posting: started }
      })
      await posting
      for (const asset of assets) await checkLedger(db, `balance custody@${asset} 32`)
      expect(deadlocks).toBe(0)
    }))

  it('with the same subject post it once', () =>
    withConnections(32, async (db) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 32 }, () => postOnce(db, [move('custody:cat', 'available:cat', 5n, 'once')])),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await checkLedger(db, 'balance available:cat 5')
    }))
})

function move(from: string, to: string, amountMinor: bigint, subject = `move:${newId()}`): Journal {
  const lines = [debit(account(from), amountMinor), credit(account(to), amountMinor)]
  return journal({ kind: 'test', subject, lines })
}

/** Counts deadlocks. `inTransaction` would hide one by a retry. */
let deadlocks = 0

function postOnce(db: Db, journals: readonly Journal[]): Promise<void> {
  return inTransaction(db, async (tx) => {
    try {
      await post(tx, journals)
    } catch (error) {
      if (sqlState(error) === '40P01') deadlocks += 1
      throw error
    }
  })
}

async function withConnections(connections: number, work: (db: Db) => Promise<void>): Promise<void> {
  const db = openDb({ url: database.urls.app, connections, log: silentLog, macs: testMacs })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

function totalsThatDiffer(): Promise<readonly object[]> {
  return database.db.query(sql`
    select account.id from ledger_account account left join journal_line line on line.account_id = account.id
    group by account.id
    having account.debits <> coalesce(sum(line.debit), 0) or account.credits <> coalesce(sum(line.credit), 0)`)
}

/** Returns the items in an order that depends on the seed alone. */
function shuffle<T>(items: readonly T[], seed: string): readonly T[] {
  const rank = (index: number) => createHash('sha256').update(`${seed}:${index}`).digest('hex')
  return items
    .map((item, index) => ({ item, rank: rank(index) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ item }) => item)
}
