import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import type { Statement } from '../../src/platform/db/pool.ts'
import { laneAddress, merchantId, methods, outside, useSealedBooks, withdrawalIdOf } from './healthy-books.ts'
import { describeTamperings, type Tampering, tamper } from './tampering.ts'

const pendingId = withdrawalIdOf(1)
const completedId = withdrawalIdOf(2)

/** A copy of the one payout, with another id, nonce and hash, and other things by `changes`. */
function anotherPayout(nonce: number, changes: Readonly<Record<string, string>>): readonly Statement[] {
  const id = newId()
  const txHash = `0xmore${nonce}`
  const row = { id, nonce, included_tx_hash: txHash, ...changes }
  return [
    sql`create temporary table copied on commit drop as select * from payout`,
    sql`insert into payout (id, network, kind, intent, wallet_place, wallet, nonce, state, gas, max_fee_minor, tip_minor,
          included_tx_hash, included_height, included_block_hash, is_success, fee_minor, ended_at)
        select ${row.id}, network, kind, replace(intent, ${completedId}, ${changes['withdrawalId'] ?? completedId}),
          wallet_place, wallet, ${row.nonce}, state, 9, 1, 1, ${txHash}, included_height, included_block_hash,
          is_success, fee_minor, ended_at from copied`,
    sql`insert into payout_attempt (network, tx_hash, payout_id, raw, gas, max_fee_minor, tip_minor)
        values ('ethereum', ${txHash}, ${id}, '00', 1, 1, 1)`,
  ]
}

const takeOutId = newId()

function takeOut(state: 'completed' | 'failed'): Statement {
  return sql`
    insert into take_out (id, network, asset, payment_method_id, source, amount_minor, state, tx_hash, ended_at)
    values (${takeOutId}, 'ethereum', 'ethereum/USDT', 1, 'fees', 5, ${state}, '0x7a', now())`
}

const tamperings: readonly Tampering[] = [
  {
    what: 'a withdrawal paid a second time',
    by: anotherPayout(1, {}),
    foundBy: ['M10', 'M10-fees', 'M10-bytes'],
  },
  {
    what: 'a payment for a withdrawal that is still waiting',
    by: anotherPayout(1, { withdrawalId: pendingId }),
    foundBy: ['M10', 'M10-fees', 'M10-bytes'],
  },
  {
    what: 'where the payout of a withdrawal went',
    by: [sql`update payout set intent = replace(intent, ${outside}, '0xthief')`],
    foundBy: ['M10', 'M10-bytes'],
  },
  {
    what: 'where a completed withdrawal says it went',
    by: [sql`update withdrawal set address = '0xthief' where state = 'completed'`],
    foundBy: ['M10', 'M23'],
  },
  {
    what: 'the transaction that a completed withdrawal names',
    by: [sql`update withdrawal set tx_hash = '0xother' where state = 'completed'`],
    foundBy: ['M10', 'M14-bodies'],
  },
  {
    what: 'the payout of a completed withdrawal gone',
    by: [sql`delete from payout_attempt`, sql`delete from payout`],
    foundBy: ['M10', 'M10-fees'],
  },
  {
    what: 'the fee of a final payout',
    by: [sql`update payout set fee_minor = fee_minor + 1`],
    foundBy: ['M10-fees'],
  },
  {
    what: 'the bytes of a payout gone',
    by: [sql`delete from payout_attempt`],
    foundBy: ['M16-payouts'],
  },
  {
    what: 'a final payout in another block',
    by: [sql`update payout set included_block_hash = '0xother'`],
    foundBy: ['M16-payouts'],
  },
  {
    what: 'a withdrawal said to be on its way',
    by: [sql`update withdrawal set stage = 'signed' where state = 'pending'`],
    foundBy: ['M16-payouts'],
  },
  {
    what: 'a payout signed for a withdrawal that is still queued',
    by: [
      ...anotherPayout(1, { withdrawalId: pendingId }),
      sql`update payout set state = 'signed', included_tx_hash = null, included_height = null, ended_at = null,
            included_block_hash = null, is_success = null, fee_minor = null where nonce = 1`,
    ],
    foundBy: ['M16-payouts', 'M10-bytes'],
  },
  {
    what: 'a nonce left out',
    by: [
      ...anotherPayout(5, { withdrawalId: pendingId }),
      sql`update payout set state = 'signed', included_tx_hash = null, included_height = null, ended_at = null,
            included_block_hash = null, is_success = null, fee_minor = null where nonce = 5`,
      sql`update withdrawal set stage = 'signed' where state = 'pending'`,
    ],
    foundBy: ['M19', 'M10-bytes'],
  },
  {
    what: 'a take-out that is completed, and was never sent',
    by: [takeOut('completed')],
    foundBy: ['M10-take-outs'],
  },
  {
    what: 'a take-out that is failed, so that its amount is free again, and is on its way',
    by: [
      takeOut('failed'),
      ...anotherPayout(1, { withdrawalId: pendingId }),
      sql`update payout set kind = 'take_out', id = ${takeOutId}, state = 'broadcast', included_tx_hash = null,
            included_height = null, included_block_hash = null, is_success = null, fee_minor = null, ended_at = null
          where id <> ${completedId} and nonce = 1`,
      sql`update payout_attempt set payout_id = ${takeOutId} where tx_hash = '0xmore1'`,
    ],
    foundBy: ['M10-bytes', 'M10-take-outs'],
  },
  {
    what: 'a debt that nothing taken back caused',
    by: debtBy('deposit:nothing:1'),
    foundBy: ['M4', 'M4-debts'],
  },
  {
    what: 'a debt that a journal caused which takes nothing back',
    by: debtBy(`withdrawal:${pendingId}:requested`),
    foundBy: ['M4', 'M4-debts'],
  },
  {
    what: 'unattributed money said to be the operator’s, and not booked so',
    by: [
      sql`insert into attribution (transaction_id, fee_percent_basis_points, fee_flat_minor)
          select id, 0, 0 from transaction where merchant_id is null`,
    ],
    foundBy: ['M9-owners', 'M23-attributions'],
  },
  {
    what: 'unattributed money booked as the operator’s by nobody’s word',
    by: [
      sql`insert into journal (id, kind, subject)
          select gen_random_uuid(), 'attributed.capital', 'attributed:' || id || ':1' from transaction
          where merchant_id is null`,
      sql`insert into journal_unsealed select id from journal where kind = 'attributed.capital'`,
      sql`insert into ledger_account (name, owner_id, asset)
          select 'capital', null, asset from transaction where merchant_id is null`,
      sql`insert into journal_line
          select journal.id, case name when 'unattributed' then 0 else 1 end, account.id,
            case name when 'unattributed' then 9000000 else 0 end, case name when 'unattributed' then 0 else 9000000 end
          from journal, ledger_account account
          where journal.kind = 'attributed.capital' and name in ('unattributed', 'capital')
            and asset = 'ethereum/USDC'`,
      sql`update ledger_account account set
            credits = (select coalesce(sum(credit), 0) from journal_line where account_id = account.id),
            debits = (select coalesce(sum(debit), 0) from journal_line where account_id = account.id)`,
    ],
    foundBy: ['M9-owners'],
  },
]

/** Owed by `merchantId`: 5 of USDT, out of what it has. */
function debtBy(cause: string): readonly Statement[] {
  const subject = `owed:available ${merchantId} ethereum/USDT:${cause}`
  return [
    sql`insert into ledger_account (name, owner_id, asset) values ('suspense', ${merchantId}, 'ethereum/USDT')`,
    sql`insert into journal (id, kind, subject) values (${newId()}, 'suspense.owed', ${subject})`,
    sql`insert into journal_unsealed select id from journal where kind = 'suspense.owed'`,
    sql`insert into journal_line
        select journal.id, case name when 'suspense' then 0 else 1 end, account.id,
          case name when 'suspense' then 5 else 0 end, case name when 'suspense' then 0 else 5 end
        from journal, ledger_account account
        where journal.kind = 'suspense.owed' and owner_id = ${merchantId} and asset = 'ethereum/USDT'
          and name in ('available', 'suspense')`,
    sql`update ledger_account account set
          credits = (select coalesce(sum(credit), 0) from journal_line where account_id = account.id),
          debits = (select coalesce(sum(debit), 0) from journal_line where account_id = account.id)`,
  ]
}

describeTamperings(tamperings)

describe('verify, where two payouts share a nonce because the constraint is gone,', () => {
  const database = useSealedBooks()

  it('finds it by M19', async () => {
    await database.owner.query(sql`drop index payout_nonce_unique`)
    await tamper(database, [
      ...anotherPayout(0, { withdrawalId: pendingId }),
      sql`update payout set state = 'signed', included_tx_hash = null, included_height = null, ended_at = null,
            included_block_hash = null, is_success = null, fee_minor = null where id <> ${completedId}`,
      sql`update withdrawal set stage = 'signed' where state = 'pending'`,
    ])
    const { entries } = await verify({ db: database.db, methods })
    const found = entries.filter(({ ok }) => !ok)
    expect(found.map(({ id }) => id)).toEqual(['M19', 'M10-bytes'])
    expect(found[0]?.findings).toContainEqual(`${laneAddress} on ethereum has 2 payouts of nonce 0`)
  })
})
