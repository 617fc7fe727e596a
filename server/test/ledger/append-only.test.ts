import sql from 'sql-template-tag'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { acquireLease } from '../../src/platform/db/lease.ts'
import type { Db, Statement } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { journalRecords } from '../support/books/records.ts'
import { useDatabase } from '../support/database.ts'
import { account, checkLedger } from './ledger-table.ts'

const database = useDatabase()

beforeAll(async () => {
  await checkLedger(database.db, 'post a1 custody:anna 100 -> available:anna 100 ok')
  const lease = await acquireLease(database.db, { name: 'sealer', holderId: newId(), ttlMs: 60_000 })
  if (lease === undefined) throw new Error('nobody else wants this lease')
  await sealBatch(database.db, lease)
})

const changes: readonly Statement[] = [
  sql`update journal set kind = 'other'`,
  sql`delete from journal`,
  sql`truncate journal cascade`,
  sql`update journal_line set debit = debit + 1 where debit > 0`,
  sql`delete from journal_line`,
  sql`truncate journal_line`,
  sql`update journal_seal set hash = decode(repeat('00', 32), 'hex')`,
  sql`delete from journal_seal`,
  sql`truncate journal_seal`,
]

describe('append-only tables', () => {
  it.each(changes.map((change) => [change.text, change] as const))(
    'refuse "%s" to the service role',
    async (_, change) => {
      await expect(database.db.query(change)).rejects.toMatchObject({ code: '42501' })
    },
  )

  it.each(changes.map((change) => [change.text, change] as const))(
    'refuse "%s" to the owner of the tables too',
    async (_, change) => {
      await expect(database.owner.query(change)).rejects.toThrow('append-only')
    },
  )

  it('refuse lines for a journal that is already posted, even balanced ones', async () => {
    const row = await journalRecords.first(database.db, { subject: 'a1' }, 'id')
    const insert = sql`
      insert into journal_line (journal_id, ordinal, account_id, debit, credit)
      select ${row?.id}::uuid, 10 + id, id, (name = 'custody')::int, (name <> 'custody')::int from ledger_account`
    await expect(database.db.query(insert)).rejects.toThrow('lines cannot be added to a posted journal')
  })
})

describe('a journal written by raw SQL', () => {
  it.each([
    ['does not balance', [100, 0], [0, 99]],
    ['has no second line', [100, 0], undefined],
    ['has no lines', undefined, undefined],
  ])('is refused at commit if it %s', async (_, first, second) => {
    const subject = newId()
    await expect(writeRaw(database.db, subject, [first, second])).rejects.toThrow('does not balance')
    expect(await journalRecords.first(database.db, { subject }, 'id')).toBeUndefined()
  })

  it('is accepted when it balances', async () => {
    const subject = newId()
    await writeRaw(database.db, subject, [
      [100, 0],
      [0, 100],
    ])
    expect(await journalRecords.first(database.db, { subject }, 'id')).toBeDefined()
  })

  it('is refused if the assets do not balance separately', async () => {
    await checkLedger(database.db, 'post a2 custody:anna@x/X 5 -> available:anna@x/X 5 ok')
    await expect(
      writeRaw(
        database.db,
        newId(),
        [
          [5, 0],
          [0, 5],
        ],
        'x/X',
      ),
    ).rejects.toThrow('does not balance')
  })
})

/**
 * Writes a journal by raw SQL: a debit of custody in the usual asset and a credit of available in
 * `creditAsset`.
 */
async function writeRaw(
  db: Db,
  subject: string,
  lines: readonly (readonly number[] | undefined)[],
  creditAsset = 'ethereum/USDT',
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const id = newId()
    await journalRecords.add(tx, { id, kind: 'raw', subject })
    for (const [index, line] of lines.entries()) {
      if (line === undefined) continue
      const of = account(index === 0 ? 'custody:anna' : `available:anna@${creditAsset}`)
      await tx.query(sql`
        insert into journal_line (journal_id, ordinal, account_id, debit, credit)
        select ${id}, ${index}, id, ${line[0]}, ${line[1]} from ledger_account
        where name = ${of.name} and owner_id = ${of.ownerId} and asset = ${of.asset}`)
    }
  })
}
