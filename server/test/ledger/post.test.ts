import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { AlreadyPostedError, OverdraftError, post } from '../../src/ledger/post.ts'
import { reverse } from '../../src/ledger/reverse.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { unsealedRecords } from '../support/books/records.ts'
import { useDatabase } from '../support/database.ts'
import { account, checkLedger } from './ledger-table.ts'

const database = useDatabase()

describe('the books', () => {
  it('credit a deposit to the merchant and the fee to the platform', () =>
    checkLedger(
      database.db,
      `
      post     a1   custody:anna 100 -> available:anna 99 + fees:anna 1     ok
      balance  custody:anna     100
      balance  available:anna   99
      balance  fees:anna        1
      `,
    ))

  it('never let a merchant account fall below zero, and report the shortfall', () =>
    checkLedger(
      database.db,
      `
      post     b1   custody:bob 100 -> available:bob 100                    ok
      post     b2   available:bob 60 -> held:bob 60                         ok
      post     b3   available:bob 41 -> held:bob 41                         overdraft available 1
      post     b4   available:bob 40 -> held:bob 40                         ok
      post     b5   held:bob 101 -> custody:bob 101                         overdraft held 1
      post     b6   quarantine:bob 1 -> forfeited:bob 1                     overdraft quarantine 1
      balance  available:bob    0
      balance  held:bob         100
      `,
    ))

  it('reverse a journal exactly, once', () =>
    checkLedger(
      database.db,
      `
      post     c1   custody:carl 100 -> available:carl 99 + fees:carl 1     ok
      reverse  c1                                                           ok
      balance  custody:carl     0
      balance  available:carl   0
      balance  fees:carl        0
      reverse  c1                                                           overdraft available 99
      post     c2   custody:carl 500 -> available:carl 500                  ok
      reverse  c1                                                           already
      balance  available:carl   500
      `,
    ))

  it('refuse to reverse what the merchant no longer has', () =>
    checkLedger(
      database.db,
      `
      post     d1   custody:dora 100 -> available:dora 100                  ok
      post     d2   available:dora 70 -> held:dora 70                       ok
      reverse  d1                                                           overdraft available 70
      post     d3   receivable:dora 70 -> available:dora 70                   ok
      reverse  d1                                                           ok
      balance  receivable:dora    70
      balance  held:dora        70
      `,
    ))

  it('book each subject once', () =>
    checkLedger(
      database.db,
      `
      post     e1   custody:emil 5 -> available:emil 5                      ok
      post     e1   custody:emil 5 -> available:emil 5                      already
      balance  available:emil   5
      `,
    ))

  it('keep assets and owners separate, and sum the platform over all owners', () =>
    checkLedger(
      database.db,
      `
      post     f1   custody:fay@x/X 7 -> available:fay@x/X 6 + fees:fay@x/X 1   ok
      post     f2   custody:fay@x/Y 8 -> available:fay@x/Y 8                    ok
      post     f3   custody:gus@x/X 3 -> available:gus@x/X 1 + fees:gus@x/X 2   ok
      post     f4   custody@x/X 10 -> capital@x/X 10                            ok
      post     f5   custody@x/X 10 -> capital@x/X 10                            ok
      balance  available:fay@x/X   6
      balance  available:fay@x/Y   8
      balance  available:gus@x/X   1
      balance  fees@x/X            3
      balance  custody@x/X         30
      balance  capital@x/X         20
      `,
    ))

  it('carry amounts of any length exactly', () =>
    checkLedger(
      database.db,
      `
      post     g1   custody:hal 100000000000000000000000000000000000001 -> available:hal 100000000000000000000000000000000000001   ok
      balance  available:hal   100000000000000000000000000000000000001
      `,
    ))
})

describe('post', () => {
  const deposit = (subject: string, owner: string) =>
    journal({
      kind: 'test',
      subject,
      lines: [debit(account(`custody:${owner}`), 10n), credit(account(`available:${owner}`), 10n)],
    })

  it('writes all journals of a call or none', async () => {
    const withdrawal = journal({
      kind: 'test',
      subject: 'all:2',
      lines: [debit(account('available:ivy'), 11n), credit(account('held:ivy'), 11n)],
    })
    const batch = [deposit('all:1', 'ivy'), withdrawal, deposit('all:3', 'jon')]
    await expect(inTransaction(database.db, (tx) => post(tx, batch))).rejects.toThrow(OverdraftError)
    await expect(
      inTransaction(database.db, (tx) => post(tx, [deposit('all:4', 'jon'), deposit('all:4', 'jon')])),
    ).rejects.toThrow(AlreadyPostedError)
    await checkLedger(database.db, 'balance available:ivy 0\nbalance available:jon 0')
  })

  it('leaves the transaction usable after an overdraft, so that the caller can decide otherwise', async () => {
    await inTransaction(database.db, async (tx) => {
      const lines = [debit(account('available:kim'), 1n), credit(account('held:kim'), 1n)]
      const refused = post(tx, [journal({ kind: 'test', subject: 'usable:1', lines })])
      await expect(refused).rejects.toThrow(OverdraftError)
      await post(tx, [deposit('usable:2', 'kim')])
    })
    await checkLedger(database.db, 'balance available:kim 10')
  })

  it('needs the same number of statements for one journal and for a thousand', async () => {
    const counts = []
    for (const size of [1, 1_000]) {
      const journals = Array.from({ length: size }, () => deposit(`count:${newId()}`, 'lea'))
      counts.push(
        await inTransaction(database.db, async (tx) => {
          let statements = 0
          const counted = new Proxy(tx, {
            get: (_, key) => {
              if (key !== 'query') return tx[key as 'macs']
              statements += 1
              return tx.query.bind(tx)
            },
          })
          await post(counted, journals)
          await reverse(
            counted,
            journals.map(({ subject }) => ({ subject, kind: 'test.reversed', newSubject: `r:${subject}` })),
          )
          return statements
        }),
      )
    }
    expect(counts).toEqual([7, 7])
  })

  it('marks every journal as unsealed', async () => {
    const mine = deposit('unsealed:1', 'mia')
    await inTransaction(database.db, (tx) => post(tx, [mine]))
    expect(await unsealedRecords.count(database.db, { journalId: mine.id })).toBe(1)
  })
})
