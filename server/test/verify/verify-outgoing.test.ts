import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import type { Statement } from '../../src/platform/db/pool.ts'
import {
  hotWalletAddress,
  merchantId,
  methods,
  outside,
  useSealedBooks,
  withdrawalIdOf,
} from './healthy-books.ts'
import { describeTamperings, type Tampering, tamper } from './tampering.ts'

const pendingId = withdrawalIdOf(1)
const completedId = withdrawalIdOf(2)

/** Copies the one outgoing transaction, with another id, nonce and hash, and with `changes`. */
function anotherOutgoingTransaction(
  nonce: number,
  changes: Readonly<Record<string, string>>,
): readonly Statement[] {
  const id = newId()
  const txHash = `0xmore${nonce}`
  const row = { id, included_tx_hash: txHash, ...changes }
  return [
    sql`create temporary table copied on commit drop as select * from outgoing_transaction`,
    sql`create temporary table copied_evm on commit drop as select * from outgoing_evm`,
    sql`insert into outgoing_transaction (id, network, kind, intent, state, max_cost_minor,
          included_tx_hash, included_height, included_block_hash, is_success, fee_minor, ended_at)
        select ${row.id}, network, kind, replace(intent, ${completedId}, ${changes['withdrawalId'] ?? completedId}),
          state, 9, ${txHash}, included_height, included_block_hash,
          is_success, fee_minor, ended_at from copied`,
    sql`insert into outgoing_evm (outgoing_transaction_id, network, wallet, nonce, hot_wallet, gas_limit, max_fee_per_gas,
          max_priority_fee_per_gas)
        select ${id}, network, wallet, ${nonce}, hot_wallet, gas_limit, max_fee_per_gas, max_priority_fee_per_gas from copied_evm`,
    sql`insert into outgoing_transaction_attempt (network, tx_hash, outgoing_transaction_id, raw, max_cost_minor)
        values ('ethereum', ${txHash}, ${id}, '00', 1)`,
  ]
}

const treasuryWithdrawalId = newId()

function treasuryWithdrawal(state: 'completed' | 'failed'): Statement {
  return sql`
    insert into treasury_withdrawal (id, network, asset, payment_method_id, source, amount_minor, state, tx_hash, ended_at)
    values (${treasuryWithdrawalId}, 'ethereum', 'ethereum/USDT', 1, 'fees', 5, ${state}, '0x7a', now())`
}

const tamperings: readonly Tampering[] = [
  {
    what: 'a withdrawal paid a second time',
    by: anotherOutgoingTransaction(1, {}),
    foundBy: ['M10', 'M10-fees', 'M10-bytes'],
  },
  {
    what: 'a payment for a withdrawal that is still waiting',
    by: anotherOutgoingTransaction(1, { withdrawalId: pendingId }),
    foundBy: ['M10', 'M10-fees', 'M10-bytes'],
  },
  {
    what: 'where the outgoing transaction of a withdrawal went',
    by: [sql`update outgoing_transaction set intent = replace(intent, ${outside}, '0xthief')`],
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
    by: [sql`delete from outgoing_transaction_attempt`, sql`delete from outgoing_transaction`],
    foundBy: ['M10', 'M10-fees'],
  },
  {
    what: 'the fee of a final payout',
    by: [sql`update outgoing_transaction set fee_minor = fee_minor + 1`],
    foundBy: ['M10-fees'],
  },
  {
    what: 'the bytes of a payout gone',
    by: [sql`delete from outgoing_transaction_attempt`],
    foundBy: ['M16-outgoing-transactions'],
  },
  {
    what: 'a final payout in another block',
    by: [sql`update outgoing_transaction set included_block_hash = '0xother'`],
    foundBy: ['M16-outgoing-transactions'],
  },
  {
    what: 'a withdrawal said to be on its way',
    by: [sql`update withdrawal set stage = 'signed' where state = 'pending'`],
    foundBy: ['M16-outgoing-transactions'],
  },
  {
    what: 'a payout signed for a withdrawal that is still queued',
    by: [
      ...anotherOutgoingTransaction(1, { withdrawalId: pendingId }),
      sql`update outgoing_transaction set state = 'signed', included_tx_hash = null, included_height = null, ended_at = null,
            included_block_hash = null, is_success = null, fee_minor = null from outgoing_evm
          where id = outgoing_transaction_id and nonce = 1`,
    ],
    foundBy: ['M16-outgoing-transactions', 'M10-bytes'],
  },
  {
    what: 'a nonce left out',
    by: [
      ...anotherOutgoingTransaction(5, { withdrawalId: pendingId }),
      sql`update outgoing_transaction set state = 'signed', included_tx_hash = null, included_height = null, ended_at = null,
            included_block_hash = null, is_success = null, fee_minor = null from outgoing_evm
          where id = outgoing_transaction_id and nonce = 5`,
      sql`update withdrawal set stage = 'signed' where state = 'pending'`,
    ],
    foundBy: ['M19', 'M10-bytes'],
  },
  {
    what: 'an outgoing transaction without a slot in any family of chains',
    by: [sql`delete from outgoing_evm`],
    foundBy: ['M16-outgoing-transactions', 'M10-bytes'],
  },
  {
    what: 'a final outgoing transaction that is said to be superseded',
    by: [sql`update outgoing_evm set is_superseded = true`],
    foundBy: ['M16-outgoing-transactions'],
  },
  {
    what: 'an outgoing transaction that costs something else than its fees',
    by: [sql`update outgoing_transaction set max_cost_minor = max_cost_minor + 1`],
    foundBy: ['M16-outgoing-transactions'],
  },
  {
    what: 'a treasury withdrawal that is completed, and was never sent',
    by: [treasuryWithdrawal('completed')],
    foundBy: ['M10-treasury-withdrawals'],
  },
  {
    what: 'a treasury withdrawal that is failed, so that its amount is free again, and is on its way',
    by: [
      treasuryWithdrawal('failed'),
      ...anotherOutgoingTransaction(1, { withdrawalId: pendingId }),
      sql`alter table outgoing_evm drop constraint outgoing_evm_outgoing_transaction_id_fkey`,
      sql`update outgoing_transaction set kind = 'treasury_withdrawal', id = ${treasuryWithdrawalId}, state = 'broadcast', included_tx_hash = null,
            included_height = null, included_block_hash = null, is_success = null, fee_minor = null, ended_at = null
          where id <> ${completedId} and kind = 'withdrawal' and included_tx_hash = '0xmore1'`,
      sql`update outgoing_evm set outgoing_transaction_id = ${treasuryWithdrawalId} where nonce = 1`,
      sql`update outgoing_transaction_attempt set outgoing_transaction_id = ${treasuryWithdrawalId} where tx_hash = '0xmore1'`,
    ],
    foundBy: ['M10-bytes', 'M10-treasury-withdrawals'],
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
    what: 'a payment of an outflow that is said to be booked',
    by: [
      sql`insert into wallet_outflow (network, tx_hash, wallet, nonce, height, block_hash, kind, detail, raw, fee_minor)
          values ('ethereum', '0xout1', '0xw1', 99, 1, '0xb1', 'unknown', '7 to somebody', '02', 0)`,
      sql`insert into outflow_payment (id, network, tx_hash, amount_minor, booked_at, bookings)
          values (gen_random_uuid(), 'ethereum', '0xout1', 7, now(), 1)`,
    ],
    foundBy: ['M9-outflows'],
  },
  {
    what: 'unattributed money said to be the operator’s, and not booked so',
    by: [
      sql`insert into attribution (deposit_id, fee_percent_basis_points, fee_flat_minor)
          select id, 0, 0 from deposit where merchant_id is null`,
    ],
    foundBy: ['M9-owners', 'M23-attributions'],
  },
  {
    what: 'unattributed money booked as the operator’s by nobody’s word',
    by: [
      sql`insert into journal (id, kind, subject)
          select gen_random_uuid(), 'attributed.capital', 'attributed:' || id || ':1' from deposit
          where merchant_id is null`,
      sql`insert into journal_unsealed select id from journal where kind = 'attributed.capital'`,
      sql`insert into ledger_account (name, owner_id, asset)
          select 'capital', null, asset from deposit where merchant_id is null`,
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

/** Posts a receivable of 5 USDT of the merchant, out of its available balance. */
function debtBy(cause: string): readonly Statement[] {
  const subject = `owed:available ${merchantId} ethereum/USDT:${cause}`
  return [
    sql`insert into ledger_account (name, owner_id, asset) values ('receivable', ${merchantId}, 'ethereum/USDT')`,
    sql`insert into journal (id, kind, subject) values (${newId()}, 'receivable.owed', ${subject})`,
    sql`insert into journal_unsealed select id from journal where kind = 'receivable.owed'`,
    sql`insert into journal_line
        select journal.id, case name when 'receivable' then 0 else 1 end, account.id,
          case name when 'receivable' then 5 else 0 end, case name when 'receivable' then 0 else 5 end
        from journal, ledger_account account
        where journal.kind = 'receivable.owed' and owner_id = ${merchantId} and asset = 'ethereum/USDT'
          and name in ('available', 'receivable')`,
    sql`update ledger_account account set
          credits = (select coalesce(sum(credit), 0) from journal_line where account_id = account.id),
          debits = (select coalesce(sum(debit), 0) from journal_line where account_id = account.id)`,
  ]
}

describeTamperings(tamperings)

describe('verify, where two outgoing transactions share a nonce because the constraint is gone,', () => {
  const database = useSealedBooks()

  it('is found by M19', async () => {
    await database.owner.query(sql`drop index outgoing_evm_nonce_unique`)
    await tamper(database, [
      ...anotherOutgoingTransaction(0, { withdrawalId: pendingId }),
      sql`update outgoing_transaction set state = 'signed', included_tx_hash = null, included_height = null, ended_at = null,
            included_block_hash = null, is_success = null, fee_minor = null where id <> ${completedId}`,
      sql`update withdrawal set stage = 'signed' where state = 'pending'`,
    ])
    const { entries } = await verify({ db: database.db, methods })
    const found = entries.filter(({ ok }) => !ok)
    expect(found.map(({ id }) => id)).toEqual(['M19', 'M10-bytes'])
    expect(found[0]?.findings).toContainEqual(
      `${hotWalletAddress} on ethereum has 2 outgoing transactions of nonce 0`,
    )
  })
})

describe('verify, of an outgoing transaction on a UTXO chain,', () => {
  const database = useSealedBooks()

  async function findingsAfter(...changes: readonly Statement[]): Promise<readonly string[]> {
    await tamper(database, [
      sql`delete from outgoing_evm`,
      sql`delete from outgoing_utxo`,
      sql`delete from outgoing_transaction_input`,
      sql`insert into outgoing_utxo (outgoing_transaction_id, network, pinned_outpoint, vbytes, fee_rate, fee)
          select id, network, 'aa:0', 1, max_cost_minor, max_cost_minor from outgoing_transaction`,
      sql`insert into outgoing_transaction_input
            (outgoing_transaction_id, ordinal, network, outpoint, amount_minor, key_type, key_branch, key_index)
          select id, 0, network, 'aa:0', 1, 'hot', 0, 0 from outgoing_transaction`,
      ...changes,
    ])
    const { entries } = await verify({ db: database.db, methods })
    return entries.flatMap((entry) => (entry.id === 'M16-outgoing-transactions' ? entry.findings : []))
  }

  it('accepts that its first input is its pinned output', async () => {
    expect(await findingsAfter()).toEqual([])
    const released = [sql`update outgoing_utxo set is_released = true`]
    expect(
      await findingsAfter(...released, sql`update outgoing_transaction_input set is_released = true`),
    ).toEqual([])
  })

  it.each([
    [
      'a pinned output that no input has',
      sql`update outgoing_utxo set pinned_outpoint = 'bb:0'`,
      'its first input is not its pinned output',
    ],
    [
      'a pinned output that is released apart from its input',
      sql`update outgoing_utxo set is_released = true`,
      'its first input is not its pinned output',
    ],
    [
      'a pinned output that is not the first input',
      sql`update outgoing_transaction_input set ordinal = 1`,
      'its first input is not its pinned output',
    ],
    [
      'a slot in another network',
      sql`update outgoing_utxo set network = 'litecoin'`,
      'its slot is in another network',
    ],
    [
      'a conflicted transaction that keeps its outputs reserved',
      sql`update outgoing_transaction set state = 'conflicted', included_tx_hash = null, included_height = null,
            included_block_hash = null, is_success = null, fee_minor = null`,
      'it conflicted and still reserves its pinned output',
    ],
  ])('finds %s by M16', async (_what, change, finding) => {
    expect((await findingsAfter(change)).join()).toContain(finding)
  })
})
