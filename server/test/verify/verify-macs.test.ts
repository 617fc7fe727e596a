/**
 * Tests changes by a superuser who can compute all hashes and totals, but does not have the keys of the
 * books.
 */
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { sealBatch } from '../../src/ledger/seal.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { acquireLease } from '../../src/platform/db/lease.ts'
import type { Statement } from '../../src/platform/db/pool.ts'
import { testMacs } from '../support/books-macs.ts'
import { methods, useSealedBooks } from './healthy-books.ts'
import { tamper } from './tampering.ts'

const thief = newId()
const foundByMacs = ({ id }: { id: string }) => id.startsWith('M21-')

describe('verify with the keys of the books', () => {
  const database = useSealedBooks()

  it('finds every MAC of correct books valid, and checks none without the keys', async () => {
    const { entries } = await verify({ db: database.db, methods })
    const macEntries = entries.filter(foundByMacs)
    expect(macEntries.map(({ id, ok, examined }) => [id, ok, examined > 0])).toEqual([
      ['M21-journals', true, true],
      ['M21-deposits', true, true],
      ['M21-quotes', true, true],
      ['M21-addresses', true, true],
      ['M21-invoices', true, true],
      // The books have no rows of these kinds.
      ['M21-claims', true, false],
      ['M21-attributions', true, false],
      ['M21-outcomes', true, false],
    ])
    const blind = await verify({ db: { ...database.db, macs: undefined }, methods })
    expect(blind.entries.filter(foundByMacs).map(({ skipped }) => skipped)).toEqual(
      Array.from({ length: 8 }, () => 'BOOKS_KEY_FILE is not available'),
    )
  })
})

const asThief = sql`insert into merchant (id, name) values (${thief}, 'Eve')`
const tamperings: readonly (readonly [string, readonly Statement[], string])[] = [
  [
    'a deposit of one merchant into another’s',
    [asThief, sql`update deposit set merchant_id = ${thief} where merchant_id is not null`],
    'M21-deposits',
  ],
  ['a deposit’s key', [sql`update deposit set transfer_key = transfer_key || '1'`], 'M21-deposits'],
  ['a deposit’s sender', [sql`update deposit set sender = '0xeve'`], 'M21-deposits'],
  ['a deposit’s recipient', [sql`update deposit set recipient = '0xeve'`], 'M21-deposits'],
  ['a deposit’s fee', [sql`update deposit set fee_percent_basis_points = 0`], 'M21-deposits'],
  ['how often a deposit was mined', [sql`update deposit set inclusion = inclusion + 1`], 'M21-deposits'],
  ['what an invoice asks for', [sql`update invoice set amount_usd = 100000000`], 'M21-quotes'],
  [
    'what an invoice asks for, with its quotes',
    [sql`update invoice set amount_usd = 100000000`, sql`update quote set full_minor = 1000000`],
    'M21-quotes',
  ],
  ['what an invoice was created for', [sql`update invoice set amount_usd = 100000000`], 'M21-invoices'],
  ['the text of an invoice’s amount', [sql`update invoice set amount = '1'`], 'M21-invoices'],
  ['the type of an invoice', [sql`update invoice set type = 'onetime'`], 'M21-invoices'],
  [
    'until when a price holds',
    [sql`update quote set expires_at = expires_at + interval '1 ms'`],
    'M21-quotes',
  ],
  [
    'a free address into a merchant’s',
    [
      sql`
      update address set (merchant_id, invoice_id, payment_method_id, assigned_at) =
        (select merchant_id, id, 6, now() from invoice limit 1)
      where assigned_at is null`,
    ],
    'M21-addresses',
  ],
  [
    'an address of one merchant into another’s',
    [asThief, sql`update address set merchant_id = ${thief} where merchant_id is not null`],
    'M21-addresses',
  ],
  [
    'an invoice into a claim on its merchant’s money',
    [sql`update invoice set type = 'withdraw', claim_hash = decode(repeat('ab', 32), 'hex')`],
    'M21-claims',
  ],
  [
    'whose unattributed money is',
    [
      sql`insert into attribution (deposit_id, merchant_id, fee_percent_basis_points, fee_flat_minor)
          select id, (select id from merchant limit 1), 0, 0 from deposit where merchant_id is null limit 1`,
    ],
    'M21-attributions',
  ],
  [
    'what became of a payout',
    [
      sql`insert into missing_transfer (outgoing_transaction_id, block_hash, tx_hash, detail, outcome, reason, decided_at)
          select id, '0xb10c4', '0xpaid', 'nothing moved', 'unpaid', 'a lie', now() from outgoing_transaction limit 1`,
    ],
    'M21-outcomes',
  ],
  ['a MAC into nothing', [sql`update quote set mac = ''`], 'M21-quotes'],
]

describe.each(tamperings)('a superuser who changes %s', (_what, by, foundBy) => {
  const database = useSealedBooks()

  it(`is found by ${foundBy}`, async () => {
    await tamper(database, by)
    const { entries } = await verify({ db: database.db, methods })
    expect(entries.filter(({ ok }) => !ok).map(({ id }) => id)).toContain(foundBy)
  })
})

describe('a superuser who rewrites a journal, its totals and every seal', () => {
  const database = useSealedBooks()

  it('is found only by the journal’s MAC', async () => {
    await tamper(database, [
      asThief,
      sql`insert into ledger_account (name, owner_id, asset)
          select name, ${thief}, asset from ledger_account where name = 'available' and owner_id is not null`,
      sql`update journal_line line set account_id = stolen.id
          from ledger_account mine join ledger_account stolen on stolen.asset = mine.asset and stolen.name = 'available'
            and stolen.owner_id = ${thief}
          where line.account_id = mine.id and mine.name = 'available' and mine.owner_id <> ${thief}`,
      sql`update ledger_account account set debits = sums.debits, credits = sums.credits
          from (select ledger_account.id, coalesce(sum(debit), 0) as debits, coalesce(sum(credit), 0) as credits
            from ledger_account left join journal_line on account_id = ledger_account.id group by ledger_account.id) sums
          where sums.id = account.id`,
      sql`insert into journal_unsealed select journal_id from journal_seal`,
      sql`delete from journal_seal`,
    ])
    await resealBlindly()
    const { entries } = await verify({ db: database.db, methods })
    const broken = entries.filter(({ ok }) => !ok).map(({ id }) => id)
    expect(broken).toContain('M21-journals')
    expect(broken).not.toContain('M17')
  })

  /** Seals like an attacker who knows how seals are made: with a sealer that checks no MAC. */
  async function resealBlindly(): Promise<void> {
    const lease = await takeOver()
    const blind = { ...testMacs, journal: { ...testMacs.journal, verify: () => true } }
    while ((await sealBatch({ ...database.owner, macs: blind }, lease)) > 0);
  }

  async function takeOver() {
    await database.owner.query(sql`delete from lease where name = 'sealer'`)
    const lease = await acquireLease(database.db, { name: 'sealer', holderId: newId(), ttlMs: 60_000 })
    if (lease === undefined) throw new Error('nobody else wants this lease')
    return lease
  }
})
