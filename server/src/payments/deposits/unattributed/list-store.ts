import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { offsetOf, type Paging } from '../../../platform/http/wire.ts'
import type { Deposit } from '../deposit.ts'
import { unattributedKind } from '../journals.ts'
import { type DepositRow, depositColumns, toDeposit } from '../store.ts'
import { subjectOfRow } from '../subject-store.ts'

const row = sql`deposit`

/**
 * SQL: whether a deposit was booked as unattributed, when it was confirmed or when it was released from
 * quarantine. The journal decides, because the merchant may have been deleted or restored since the booking.
 */
const isBooked = sql`deposit.state = 'confirmed' and net_minor is null and (
  exists (select from journal where kind = ${unattributedKind} and subject = ${subjectOfRow('deposit', row)})
  or quarantine = 'released' and exists (
    select from journal
    join journal_line line on line.journal_id = journal.id
    join ledger_account account on account.id = line.account_id and account.name = 'unattributed'
    where kind = 'quarantine.released' and subject = ${subjectOfRow('quarantine', row)}))`
const isUnattributed = sql`(merchant_id is null or ${isBooked}) and state <> 'failed' and block_height is not null`
const isOpen = sql`${isUnattributed} and not exists (select from attribution where deposit_id = deposit.id)`

/**
 * Returns the deposit with this id if it is unattributed and in a block. Locks it until the transaction ends.
 */
export async function lockUnattributed(tx: Tx, id: string): Promise<Deposit | undefined> {
  const row = await one<DepositRow>(
    tx,
    sql`select ${depositColumns} from deposit where id = ${id} and ${isUnattributed} for no key update`,
  )
  return row === undefined ? undefined : toDeposit(row)
}

/**
 * Returns the deposits that concern a merchant but are not booked to it, and locks them until the transaction
 * ends. Some of them came in while the merchant was deleted, and are not attributed yet. The others were
 * attributed to the merchant, but the attribution was never booked. Skips rows that another transaction has
 * locked. That transaction may wait for our lock on the merchant, so waiting for it could be a deadlock. It
 * handles the skipped deposits itself: it undoes their block, or books an operator's attribution.
 */
export async function lockUnattributedOf(tx: Tx, merchantId: string): Promise<readonly Deposit[]> {
  const rows = await tx.query<DepositRow>(sql`
    select ${depositColumns} from deposit
    where ${isBooked} and (
      merchant_id = ${merchantId} and not exists (select from attribution where deposit_id = deposit.id)
      or id in (select deposit_id from attribution where attribution.merchant_id = ${merchantId})
        and not exists (select from journal where subject = ${subjectOfRow('attributed', row)}))
    order by id for no key update skip locked`)
  return rows.map(toDeposit)
}

/**
 * Returns one page of the unattributed deposits that wait for an operator's decision, the latest first, and
 * their total number.
 */
export async function listUnattributed(
  on: Queryable,
  paging: Paging,
): Promise<{ readonly deposits: readonly Deposit[]; readonly total: number }> {
  const rows = await on.query<DepositRow>(sql`
    select ${depositColumns} from deposit where ${isOpen}
    order by created_at desc, id desc limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(on, sql`select count(*) as total from deposit where ${isOpen}`)
  return { deposits: rows.map(toDeposit), total: counted?.total ?? 0 }
}
