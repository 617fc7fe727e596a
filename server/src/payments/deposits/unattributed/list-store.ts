import sql from 'sql-template-tag'
import { one, type Queryable } from '../../../platform/db/pool.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { offsetOf, type Paging } from '../../../platform/http/wire.ts'
import type { Transaction } from '../deposit.ts'
import { unattributedKind } from '../journals.ts'
import { type TransactionRow, toTransaction, transactionColumns } from '../store.ts'
import { subjectOfRow } from '../subject-store.ts'

const row = sql`transaction`

/** Booked as nobody's: the journal tells, as a merchant may have been deleted or restored since. */
const isBooked = sql`transaction.state = 'confirmed' and net_minor is null and exists (
  select from journal where kind = ${unattributedKind} and subject = ${subjectOfRow('deposit', row)})`
const isNobodys = sql`(merchant_id is null or ${isBooked}) and state <> 'failed' and block_height is not null`
const isOpen = sql`${isNobodys} and not exists (select from attribution where transaction_id = transaction.id)`

/** A transaction whose money belongs to nobody we know, pending or confirmed; locked until the transaction ends. */
export async function lockUnattributed(tx: Tx, id: string): Promise<Transaction | undefined> {
  const row = await one<TransactionRow>(
    tx,
    sql`select ${transactionColumns} from transaction where id = ${id} and ${isNobodys} for no key update`,
  )
  return row === undefined ? undefined : toTransaction(row)
}

/**
 * What came to a merchant while it was deleted and was given to nobody since, and what was said to be its own and never
 * booked so; locked until the transaction ends. What another transaction has its hands on is passed over, since that one
 * may wait for the merchant, and decides itself: a block takes it back, or an operator gives it away.
 */
export async function lockUnattributedOf(tx: Tx, merchantId: string): Promise<readonly Transaction[]> {
  const rows = await tx.query<TransactionRow>(sql`
    select ${transactionColumns} from transaction
    where ${isBooked} and (
      merchant_id = ${merchantId} and not exists (select from attribution where transaction_id = transaction.id)
      or id in (select transaction_id from attribution where attribution.merchant_id = ${merchantId})
        and not exists (select from journal where subject = ${subjectOfRow('attributed', row)}))
    order by id for no key update skip locked`)
  return rows.map(toTransaction)
}

/** What waits for an operator's word, the latest first. */
export async function listUnattributed(
  on: Queryable,
  paging: Paging,
): Promise<{ readonly transactions: readonly Transaction[]; readonly total: number }> {
  const rows = await on.query<TransactionRow>(sql`
    select ${transactionColumns} from transaction where ${isOpen}
    order by created_at desc, id desc limit ${paging.limit} offset ${offsetOf(paging)}`)
  const counted = await one<{ total: number }>(
    on,
    sql`select count(*) as total from transaction where ${isOpen}`,
  )
  return { transactions: rows.map(toTransaction), total: counted?.total ?? 0 }
}
