import type pg from 'pg'
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import type { Statement } from '../../src/platform/db/pool.ts'
import { methods, postMove, useSealedBooks, withdrawalIdOf } from './healthy-books.ts'
import { describeTamperings, type Tampering, tamper } from './tampering.ts'

describe('verify', () => {
  const database = useSealedBooks()

  it('finds nothing in correct books, and has checked everything', async () => {
    const lines: string[] = []
    const report = await verify({ db: database.db, methods, report: (line) => lines.push(line) })
    expect(lines.filter((line) => !line.includes(' OK '))).toEqual([])
    expect(report.ok).toBe(true)
    expect(report.entries.map(({ id, examined }) => [id, examined])).toEqual([
      ['M1', 17],
      ['M2', 3],
      ['M3', 13],
      ['M4', 3],
      ['M5', 1],
      ['M6', 4],
      ['M10', 4],
      ['M10-fees', 1],
      ['M16-outgoing-transactions', 5],
      ['M19', 1],
      ['M10-bytes', 1],
      ['M19-wallets', 0],
      ['M10-treasury-withdrawals', 0],
      ['M20-books', 0],
      ['M20-blocks', 0],
      ['M7', 5],
      ['M9', 7],
      ['M12', 3],
      ['M7-quarantine', 0],
      ['M22', 11],
      ['M7-search', 0],
      ['M22-owners', 7],
      ['M24', 0],
      ['M4-debts', 0],
      ['M9-owners', 0],
      ['M9-outflows', 0],
      ['M13', 5],
      ['M16', 8],
      ['M11', 1],
      ['M16-counts', 1],
      ['M16-days', 4],
      ['M16-deposits', 6],
      ['M14', 15],
      ['M14-states', 18],
      ['M14-order', 1],
      ['M14-bodies', 18],
      ['M23', 4],
      ['M23-times', 4],
      ['M23-fees', 0],
      ['M23-limits', 0],
      ['M23-capital', 0],
      ['M23-attributions', 0],
      ['M23-unmoved', 0],
      ['M23-halts', 0],
      ['M23-members', 0],
      ['M23-operators', 0],
      ['M23-keys', 0],
      ['M23-lists', 1],
      ['M23-webhooks', 0],
      ['M14-sent', 18],
      ['M8-deleted', 0],
      ['M17', 17],
      ['M17-heads', 0],
      ['M21-journals', 17],
      ['M21-deposits', 7],
      ['M21-quotes', 2],
      ['M21-addresses', 6],
      ['M21-invoices', 1],
      ['M21-claims', 0],
      ['M21-attributions', 0],
      ['M21-outcomes', 0],
      ['M18', 9],
    ])
  })

  it('finds nothing in an empty database either', async () => {
    const on = sql`truncate outgoing_transaction, hot_wallet, withdrawal, deposit, payment_day_change, deposit_count_change, quote, invoice, invoice_count_change, block,
      chain_cursor, merchant cascade`
    await tamper(database, [
      on,
      ...['journal_seal', 'journal_unsealed', 'journal_line', 'journal', 'audit_entry'].map(emptied),
    ])
    await tamper(database, [sql`delete from ledger_account`])
    const report = await verify({ db: database.db, methods })
    expect(report.entries.flatMap(({ findings }) => findings)).toEqual([])
  })
})

const firstLine = sql`
  (journal_id, ordinal) = (select id, 0 from journal where subject like 'deposit:%' order by subject limit 1)`

/** Posts journals a second time, with all their lines. */
function repeated(which: Statement): readonly Statement[] {
  const selected = sql([` ${which.text} `])
  return [
    sql`insert into journal (id, kind, subject)
        select gen_random_uuid(), kind, subject || '1' from journal where ${selected}`,
    sql`insert into journal_line select again.id, ordinal, account_id, debit, credit
        from journal again join journal first on again.subject = first.subject || '1'
        join journal_line line on line.journal_id = first.id`,
    sql`insert into journal_unsealed select again.id
        from journal again join journal first on again.subject = first.subject || '1'`,
  ]
}

/** Makes the totals of accounts match their lines. */
const totalled: readonly Statement[] = [
  sql`update ledger_account account set
        credits = (select coalesce(sum(credit), 0) from journal_line where account_id = account.id),
        debits = (select coalesce(sum(debit), 0) from journal_line where account_id = account.id)`,
]

const tamperings: readonly Tampering[] = [
  {
    what: 'the address of an order that is still queued',
    by: [sql`update withdrawal set address = '0xthief' where state = 'pending'`],
    foundBy: ['M23'],
  },
  {
    what: 'an order that vanished with its hold',
    by: [
      sql`delete from withdrawal where state = 'pending'`,
      sql`delete from journal_line where journal_id in (select id from journal where subject = ${`withdrawal:${withdrawalIdOf(1)}:requested`})`,
      sql`delete from journal_seal where journal_id in (select id from journal where subject = ${`withdrawal:${withdrawalIdOf(1)}:requested`})`,
      sql`delete from journal where subject = ${`withdrawal:${withdrawalIdOf(1)}:requested`}`,
      ...totalled,
    ],
    foundBy: ['M23', 'M17'],
  },
  {
    what: 'a withdrawal let go by nobody',
    by: [sql`update withdrawal set released_at = now() where state = 'pending'`],
    foundBy: ['M23'],
  },
  {
    what: 'the audit log, which was emptied',
    by: [sql`delete from audit_entry`],
    foundBy: ['M23'],
  },
  {
    what: 'a fee schedule that nobody set',
    by: [
      sql`insert into fee_schedule (id, merchant_id, type, percent_basis_points, flat_usd)
          select gen_random_uuid(), id, 'onetime', 0, 0 from merchant`,
    ],
    foundBy: ['M23-fees'],
  },
  {
    what: 'a payer who was made a source of the operator’s capital',
    by: [sql`insert into capital_source (network, address) values ('ethereum', '0xpayer')`],
    foundBy: ['M23-capital'],
  },
  {
    what: 'the amount that an event told',
    by: [
      sql`update event set body = jsonb_set(body::jsonb, '{data,amount}', '"1"')::text
          where type = 'transaction.confirmed' and subject like ${`%${withdrawalIdOf(1).slice(0, 8)}%`}`,
    ],
    foundBy: ['M14-bodies'],
  },
  {
    what: 'the net of a withdrawal that an event told',
    by: [
      sql`update event set body = jsonb_set(body::jsonb, '{data,net}', '"10"')::text where type = 'withdrawal.completed'`,
    ],
    foundBy: ['M14-bodies'],
  },
  {
    what: 'whom the address of a deposit was given to',
    by: [sql`update address set merchant_id = ${newId()} where address = '0xadd1'`],
    foundBy: ['M22-owners'],
  },
  {
    what: 'where a deposit came to',
    by: [sql`update deposit set recipient = '0xother' where tx_hash = '0x1'`],
    foundBy: ['M22-owners'],
  },
  {
    what: 'a deposit marked as swept by nothing',
    by: [sql`update deposit set sweep_id = ${newId()} where tx_hash = '0x1'`],
    foundBy: ['M24'],
  },
  {
    what: 'an amount of a line',
    by: [sql`update journal_line set debit = debit + 1 where ${firstLine}`],
    foundBy: ['M1', 'M2', 'M3', 'M7', 'M9', 'M17'],
  },
  {
    what: 'both sides of a journal and its totals, so that all sums still agree',
    by: [
      sql`update journal_line line set credit = credit + case account.name when 'fees' then -5 else 5 end
          from ledger_account account, journal
          where account.id = account_id and journal.id = journal_id and account.name in ('fees', 'available')
            and subject = (select min(subject) from journal where kind = 'deposit.credited')`,
      sql`update ledger_account account set credits = (
            select coalesce(sum(credit), 0) from journal_line where account_id = account.id)`,
    ],
    foundBy: ['M12', 'M17'],
  },
  {
    what: 'a line moved to another account',
    by: [
      sql`update journal_line set account_id = (select id from ledger_account where name = 'unattributed')
          where ${firstLine}`,
    ],
    foundBy: ['M1', 'M2', 'M3', 'M7', 'M22', 'M17'],
  },
  {
    what: 'a total of an account',
    by: [
      sql`update ledger_account set credits = credits + 1000000 where name = 'available' and asset like '%/USDT'`,
    ],
    foundBy: ['M2', 'M3'],
  },
  {
    what: 'an account below zero',
    by: [
      sql`alter table ledger_account drop constraint ledger_account_no_overdraft`,
      sql`insert into journal (id, kind, subject) values (${newId()}, 'theft', 'theft')`,
      sql`insert into journal_unsealed select id from journal where subject = 'theft'`,
      sql`insert into journal_line
          select journal.id, case name when 'available' then 0 else 1 end, account.id,
            case name when 'available' then 10^12 else 0 end, case name when 'available' then 0 else 10^12 end
          from journal, ledger_account account
          where subject = 'theft' and asset like '%/USDT' and name in ('available', 'fees')`,
      sql`update ledger_account account set
            credits = (select coalesce(sum(credit), 0) from journal_line where account_id = account.id),
            debits = (select coalesce(sum(debit), 0) from journal_line where account_id = account.id)`,
    ],
    foundBy: ['M4'],
  },
  {
    what: 'a seal',
    by: [sql`update journal_seal set hash = decode(repeat('ab', 32), 'hex') where sequence = 3`],
    foundBy: ['M17'],
  },
  {
    what: 'the kind of a journal that is neither first nor last',
    by: [sql`update journal set kind = 'other' where kind = 'deposit.raised'`],
    foundBy: ['M12', 'M17'],
  },
  {
    what: 'a journal deleted with all its traces',
    by: [
      sql`create temporary table gone on commit drop as
          select id from journal where kind = 'deposit.unattributed'`,
      sql`update ledger_account account set credits = 0, debits = 0
          where id in (select account_id from journal_line where journal_id in (select id from gone))`,
      sql`delete from journal_seal where journal_id in (select id from gone)`,
      sql`delete from journal_line where journal_id in (select id from gone)`,
      sql`delete from journal where id in (select id from gone)`,
    ],
    foundBy: ['M7', 'M9', 'M17'],
  },
  {
    what: 'a journal deleted under its seal',
    by: [sql`delete from journal where kind = 'deposit.unattributed'`],
    foundBy: ['M7', 'M9', 'M17'],
  },
  {
    what: 'the last seal taken off without a trace of waiting for another',
    by: [sql`delete from journal_seal where sequence = (select max(sequence) from journal_seal)`],
    foundBy: ['M17'],
  },
  {
    what: 'a journal that waits too long for its seal',
    by: [
      sql`insert into journal_unsealed select journal_id from journal_seal where sequence = 8`,
      sql`delete from journal_seal where sequence = 8`,
      sql`update journal set posted_at = now() - interval '61 seconds'
          where id in (select journal_id from journal_unsealed)`,
    ],
    foundBy: ['M17'],
  },
  {
    what: 'a deposit credited a second time',
    by: [
      sql`insert into journal (id, kind, subject)
          select gen_random_uuid(), kind, subject || '1' from journal where subject like 'deposit:%1:1'`,
      sql`insert into journal_line select again.id, ordinal, account_id, debit, credit
          from journal again join journal first on again.subject = first.subject || '1'
          join journal_line line on line.journal_id = first.id`,
      sql`insert into journal_unsealed select id from journal where subject like '%1:11'`,
      sql`update ledger_account account set
            credits = (select coalesce(sum(credit), 0) from journal_line where account_id = account.id),
            debits = (select coalesce(sum(debit), 0) from journal_line where account_id = account.id)`,
    ],
    foundBy: ['M7', 'M9', 'M12'],
  },
  {
    what: 'the amount of a transaction',
    by: [
      sql`update deposit set amount_minor = amount_minor + 1 where state = 'confirmed' and net_minor is not null`,
    ],
    foundBy: ['M7', 'M9', 'M12', 'M11', 'M16-days', 'M14-bodies'],
  },
  {
    what: 'a fee split other than agreed',
    by: [
      sql`update deposit set fee_minor = fee_minor + 1, net_minor = net_minor - 1 where net_minor is not null`,
    ],
    foundBy: ['M12', 'M14-bodies'],
  },
  {
    what: 'a quote of one step too little',
    by: [sql`update quote set full_minor = full_minor - 1000000000000 where payment_method_id = 3`],
    foundBy: ['M13'],
  },
  {
    what: 'a quote of one step too much',
    by: [sql`update quote set full_minor = full_minor + 1 where payment_method_id = 1`],
    foundBy: ['M13'],
  },
  {
    what: 'a pending transaction called confirmed',
    by: [sql`update deposit set state = 'confirmed', confirmed_at = now() where state = 'pending'`],
    foundBy: ['M7', 'M9', 'M16', 'M16-days', 'M16-deposits', 'M14'],
  },
  {
    what: 'a paid invoice whose payments are in no block',
    by: [
      sql`update deposit set block_height = null, block_hash = null, included_at = null, state = 'pending',
            confirmed_at = null, fee_minor = null, net_minor = null, below_minimum = false`,
    ],
    foundBy: ['M7', 'M9', 'M16', 'M11', 'M16-days', 'M16-deposits', 'M14-states'],
  },
  {
    what: 'an invoice marked late that was paid in time',
    by: [sql`update invoice set exceptions = '{late}'`],
    foundBy: ['M11'],
  },
  {
    what: 'an invoice archived behind the back of the counts',
    by: [sql`update invoice set archived_at = now()`],
    foundBy: ['M16-counts'],
  },
  {
    what: 'a change of a count lost before it was folded',
    by: [sql`delete from invoice_count_change where state = 'paid'`],
    foundBy: ['M16-counts'],
  },
  {
    what: 'a count of a day',
    by: [
      sql`insert into invoice_range_count
          select merchant_id, scale, bucket, false, 1 from invoice, invoice_scales(created_at, amount_usd)
          where scale = 'day'`,
    ],
    foundBy: ['M16-counts'],
  },
  {
    what: 'a count of what became of invoices',
    by: [
      sql`insert into invoice_outcome_count
          select merchant_id, created_at::date, state, 1 from invoice limit 1`,
    ],
    foundBy: ['M16-counts'],
  },
  {
    what: 'a payment lost to the sums before it was folded',
    by: [sql`delete from payment_day_change`],
    foundBy: ['M16-days'],
  },
  {
    what: 'the worth of a day',
    by: [
      sql`insert into payment_day_sum
          select merchant_id, confirmed_at::date, payment_method_id, 0, 0, 1, 0
          from deposit where merchant_id is not null and state = 'confirmed' limit 1`,
    ],
    foundBy: ['M16-days'],
  },
  {
    what: 'the amount of a pending withdrawal',
    by: [sql`update withdrawal set amount_minor = amount_minor - 1000000 where state = 'pending'`],
    foundBy: ['M5', 'M6'],
  },
  {
    what: 'a pending withdrawal called cancelled',
    by: [
      sql`update withdrawal set state = 'cancelled', stage = null, ended_at = now() where state = 'pending'`,
    ],
    foundBy: ['M5', 'M6', 'M14'],
  },
  {
    what: 'a completed withdrawal called failed',
    by: [sql`update withdrawal set state = 'failed' where state = 'completed'`],
    foundBy: ['M6', 'M10', 'M14', 'M14-states'],
  },
  {
    what: 'the fee of a completed withdrawal',
    by: [sql`update withdrawal set fee_minor = fee_minor - 1 where state = 'completed'`],
    foundBy: ['M6', 'M10', 'M14-bodies', 'M23'],
  },
  {
    what: 'a withdrawal gone, its hold left behind',
    by: [sql`delete from withdrawal where state = 'pending'`],
    foundBy: ['M5', 'M6', 'M23'],
  },
  {
    what: 'a hold released a second time',
    by: [
      ...repeated(sql`kind = 'withdrawal.cancelled'`),
      sql`update ledger_account account set
            credits = (select coalesce(sum(credit), 0) from journal_line where account_id = account.id),
            debits = (select coalesce(sum(debit), 0) from journal_line where account_id = account.id)`,
    ],
    foundBy: ['M5', 'M6'],
  },
  {
    what: 'a debt repaid that was never owed',
    by: [
      sql`insert into ledger_account (name, owner_id, asset, debits, credits)
          select 'receivable', owner_id, asset, 0, 5 from ledger_account where name = 'available' and asset like '%/USDT'`,
      sql`insert into journal (id, kind, subject) values (${newId()}, 'receivable.repaid', 'repaid')`,
      sql`insert into journal_unsealed select id from journal where subject = 'repaid'`,
      sql`insert into journal_line
          select journal.id, case name when 'available' then 0 else 1 end, account.id,
            case name when 'available' then 5 else 0 end, case name when 'available' then 0 else 5 end
          from journal, ledger_account account
          where subject = 'repaid' and asset like '%/USDT' and name in ('available', 'receivable')`,
      sql`update ledger_account set debits = debits + 5 where name = 'available' and asset like '%/USDT'`,
    ],
    foundBy: ['M4', 'M4-debts'],
  },
  {
    what: 'a debt beside money that should have repaid it',
    by: [
      sql`insert into ledger_account (name, owner_id, asset, debits, credits)
          select 'receivable', owner_id, asset, 5, 0 from ledger_account where name = 'available' and asset like '%/USDT'`,
      sql`insert into journal (id, kind, subject) values (${newId()}, 'receivable.owed', 'owed')`,
      sql`insert into journal_unsealed select id from journal where subject = 'owed'`,
      sql`insert into journal_line
          select journal.id, case name when 'receivable' then 0 else 1 end, account.id,
            case name when 'receivable' then 5 else 0 end, case name when 'receivable' then 0 else 5 end
          from journal, ledger_account account
          where subject = 'owed' and asset like '%/USDT' and name in ('available', 'receivable')`,
      sql`update ledger_account set credits = credits + 5 where name = 'available' and asset like '%/USDT'`,
    ],
    foundBy: ['M4', 'M4-debts'],
  },
  {
    what: 'a deposit credited to another merchant',
    by: [
      sql`insert into ledger_account (name, owner_id, asset)
          select name, '0197a1f1-1111-7111-8111-222222222222', asset from ledger_account
          where name = 'available' and asset like '%/ETH'`,
      sql`update journal_line set account_id = (select max(id) from ledger_account)
          where account_id = (select min(id) from ledger_account where name = 'available' and asset like '%/ETH')`,
      ...totalled,
    ],
    foundBy: ['M22', 'M17'],
  },
  {
    what: 'a hold that was taken from nobody',
    by: [
      sql`insert into ledger_account (name, owner_id, asset)
          select 'capital', owner_id, asset from ledger_account where name = 'available' and asset like '%/USDT'`,
      sql`update journal_line set account_id = (select max(id) from ledger_account)
          where journal_id = (select min(id::text)::uuid from journal where kind = 'withdrawal.requested') and ordinal = 0`,
      ...totalled,
    ],
    foundBy: ['M6', 'M17'],
  },
  {
    what: 'two deposits booked with each other’s amounts',
    by: [
      sql`update journal_line set debit = case debit when 0 then 0 else 400000 - debit end,
            credit = case credit when 0 then 0 else 400000 - credit end
          where journal_id in (select id from journal where kind = 'deposit.below_minimum')`,
    ],
    foundBy: ['M9', 'M17'],
  },
  {
    what: 'the parent of a block',
    by: [sql`update block set parent_hash = '0xother' where height = 4`],
    foundBy: ['M18'],
  },
  {
    what: 'the hash of a block that holds a transaction',
    by: [sql`update block set hash = '0xother' where height = 4`],
    foundBy: ['M16-outgoing-transactions', 'M18'],
  },
  {
    what: 'a merchant deleted without its money',
    by: [sql`update merchant set deleted_at = now()`],
    foundBy: ['M8-deleted'],
  },
  {
    what: 'a coin above our blocks that the books do not know',
    by: [
      sql`insert into own_output (network, outpoint, tx_hash, address, amount_minor, height)
          values ('litecoin', 'aa:0', 'aa', 'ltc1', 5, 3)`,
    ],
    foundBy: ['M20-books', 'M20-blocks'],
  },
  {
    what: 'a coin that none of our transactions spent',
    by: [
      sql`insert into chain_cursor (network, height, hash, first_height, head_height)
          values ('litecoin', 9, 'h9', 9, 9)`,
      sql`insert into block (network, height, hash, parent_hash, mined_at) values ('litecoin', 9, 'h9', 'h8', now())`,
      sql`insert into own_output (network, outpoint, tx_hash, address, amount_minor, height, spent_by, spent_height)
          values ('litecoin', 'aa:0', 'aa', 'ltc1', 5, 3, 'bb', 4)`,
    ],
    foundBy: ['M20-blocks'],
  },
  { what: 'a block gone', by: [sql`delete from block where height = 8`], foundBy: ['M18'] },
  {
    what: 'a cursor that jumped',
    by: [sql`update chain_cursor set height = height + 1`],
    foundBy: ['M18'],
  },
]

describe('verify, with very many violations,', () => {
  const database = useSealedBooks()

  it('reports at most ten violations of an invariant', async () => {
    await tamper(database, [
      sql`insert into journal (id, kind, subject)
          select gen_random_uuid(), 'empty', 'empty:' || number from generate_series(1, 50) number`,
    ])
    const { entries } = await verify({ db: database.db, methods })
    expect(
      entries.map(({ id, findings }) => [id, findings.length]).filter(([, count]) => count !== 0),
    ).toEqual([
      ['M1', 10],
      ['M17', 10],
      ['M21-journals', 10],
    ])
  })
})

describe('verify, while journals are posted,', () => {
  const database = useSealedBooks()

  it('finds nothing', async () => {
    const stop = new AbortController()
    const poster = async (index: number) => {
      for (let round = 0; !stop.signal.aborted; round++) await postMove(database.db, `${index}:${round}`)
    }
    const posting = Promise.all([0, 1, 2, 3].map(poster))
    const findings = []
    for (let round = 0; round < 10; round++) {
      const { entries } = await verify({ db: database.db, methods })
      findings.push(...entries.flatMap((entry) => entry.findings))
    }
    stop.abort()
    await posting
    expect(findings).toEqual([])
  })
})

describe('verify, while somebody changes a row that is not checked yet,', () => {
  const database = useSealedBooks()

  it('reads the changed row', async () => {
    const change = () => tamper(database, [sql`delete from block where height = 8`])
    const pool = interrupted(database.db.pool, 'from journal', change)
    const { entries } = await verify({ db: { ...database.db, pool }, methods })
    expect(entries.flatMap(({ id, ok }) => (ok ? [] : [id]))).toEqual(['M18'])
  })
})

describeTamperings(tamperings)

function emptied(table: string): Statement {
  return { text: `delete from ${table}`, values: [] }
}

/** Returns a pool that runs `change` once, after the first statement that contains `text`. */
function interrupted(pool: pg.Pool, text: string, change: () => Promise<void>): pg.Pool {
  let isDone = false
  const query = (client: pg.PoolClient) => async (statement: pg.QueryConfig) => {
    const result = await client.query(statement)
    if (!isDone && statement.text?.includes(text)) {
      isDone = true
      await change()
    }
    return result
  }
  const connect = async () => {
    const client = await pool.connect()
    return override(client, { query: query(client) })
  }
  return override(pool, { connect })
}

function override<T extends object>(target: T, changes: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get: (_, key) => {
      if (typeof key === 'string' && key in changes) return changes[key]
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
