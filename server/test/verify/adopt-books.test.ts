/** Books of before get their MACs, once everything that verify looks at is in order. */
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, it } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { adoptBooks } from '../../src/oversight/adoption/adopt-books.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import type { Statement } from '../../src/platform/db/pool.ts'
import { feeDefaults } from '../../src/pricing/fees/fee.ts'
import { testMacs } from '../support/books-macs.ts'
import type { TestDatabase } from '../support/database.ts'
import { takeMacsBack } from '../support/take-macs-back.ts'
import { methods, postMove, useSealedBooks } from './healthy-books.ts'
import { tamper } from './tampering.ts'

async function takeBack(database: TestDatabase): Promise<void> {
  await takeMacsBack(database.urls.superuser)
  // An order that is pending carries a signature: those of before have ended.
  const signature = `aaaaaaaa.${'A'.repeat(86)}`
  await database.owner.query(
    sql`update withdrawal set order_signature = ${signature} where state = 'pending'`,
  )
}

function adopt(database: TestDatabase) {
  const { owner } = database
  return adoptBooks({ owner, methods, macs: testMacs, keyId: 'c0ffee00', reason: 'a test' })
}

/** Everything that an adoption writes. */
async function macsOf({ owner }: TestDatabase): Promise<unknown> {
  return owner.query(sql`
    select (select string_agg(mac, ',' order by id) from journal) as journals,
      (select string_agg(mac, ',' order by id) from transaction) as deposits,
      (select string_agg(mac, ',' order by id) from quote) as quotes,
      (select string_agg(assignment_mac, ',' order by id) from address) as addresses,
      (select string_agg(encode(hash, 'hex'), ',' order by sequence) from journal_seal) as seals,
      (select count(*) from books_key) as keys`)
}

describe('books of before that are in order', () => {
  const database = useSealedBooks()
  beforeAll(async () => {
    const [nobodys] = await database.db.query<{ id: string }>(sql`
      select id from transaction where merchant_id is null and state = 'confirmed'`)
    const wish = { transactionId: required(nobodys, 'unattributed money').id, merchantId: undefined }
    await attributeMoney({ db: database.db, methods, feeDefaults: feeDefaults.sandbox }, undefined, wish)
    await takeBack(database)
  })

  it('carry MACs that hold after they were adopted, under seals that hold, and are guarded as before', async () => {
    const { owner } = database
    await postMove(database.db, 'waits for its seal')
    await tamper(database, [
      sql`update journal set mac = '', posted_at = now() - interval '1 hour' where subject = 'capital:waits for its seal'`,
    ])
    await tamper(database, [
      sql`insert into capital_source (network, address) values ('ethereum', '0xtreasury')`,
    ])
    const adopted = await adopt(database)
    expect(adopted.capitalSources).toEqual(['ethereum/0xtreasury'])
    expect(adopted.formerHead).not.toBe(adopted.head)
    expect(Math.min(adopted.journals, adopted.deposits, adopted.quotes, adopted.addresses)).toBeGreaterThan(0)
    expect(adopted.attributions).toBe(1)
    const lines: string[] = []
    const report = await verify({ db: database.db, methods, report: (line) => lines.push(line) })
    expect(report.ok, lines.join('\n')).toBe(true)
    expect(report.entries.filter(({ id }) => id.startsWith('M21-')).map(({ skipped }) => skipped)).toEqual([
      ...Array(7).fill(undefined),
    ])
    expect(await owner.query(sql`select id from books_key`)).toEqual([{ id: 'c0ffee00' }])
    expect(
      await owner.query(
        sql`select action, subject, details ->> 'head' as head from audit_entry where action = 'books.adopted'`,
      ),
    ).toEqual([{ action: 'books.adopted', subject: 'c0ffee00', head: adopted.head }])
    await expect(owner.query(sql`update journal set kind = 'x'`)).rejects.toThrow()
    await expect(adopt(database)).rejects.toThrow('already (c0ffee00)')
  })
})

const unfit: readonly (readonly [string, readonly Statement[], string])[] = [
  [
    'money that nobody posted',
    [sql`update ledger_account set credits = credits + 1 where name = 'available'`],
    'not in order',
  ],
  [
    'a journal that is not as it was sealed',
    [
      sql`update journal set posted_at = posted_at + interval '1 ms' where id = (select journal_id from journal_seal where sequence = 2)`,
    ],
    'seal 2 does not fit',
  ],
  ['a seal that is gone', [sql`delete from journal_seal where sequence = 3`], 'seal 3 does not fit'],
  [
    'an order of before that is pending',
    [sql`update withdrawal set order_signature = null`],
    '1 withdrawals are pending',
  ],
  ['a MAC of a key that is not noted', [sql`update quote set mac = 'c0ffee00.ab'`], 'somebody took it out'],
]

describe.each(unfit)('books of before with %s', (_what, by, why) => {
  const database = useSealedBooks()
  beforeAll(() => takeBack(database))

  it('are not adopted, and stay as they were', async () => {
    await tamper(database, by)
    const before = await macsOf(database)
    await expect(adopt(database)).rejects.toThrow(why)
    expect(await macsOf(database)).toEqual(before)
  })
})
