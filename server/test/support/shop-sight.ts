/** What a merchant, or an operator, gets to see of payments. */
import sql from 'sql-template-tag'
import { readFunds } from '../../src/payments/balances/read-funds.ts'
import type { Transaction } from '../../src/payments/deposits/deposit.ts'
import { type TransactionRow, toTransaction, transactionColumns } from '../../src/payments/deposits/store.ts'
import type { Shop } from './shop.ts'

export interface Owned {
  readonly merchantId: string
  readonly invoiceId: string
}

export function standingOf(
  shop: Shop,
  { invoiceId }: Owned,
): Promise<{ state: string; exceptions: string[] }> {
  return shop.row(sql`select state, exceptions from invoice where id = ${invoiceId}`)
}

/** The balance in one method, as funds shows it. */
export async function balanceOf(
  shop: Shop,
  { merchantId }: Owned,
  methodId = 1,
): Promise<string | undefined> {
  const funds = await readFunds(shop.db, shop.methods, [merchantId])
  return funds.get(merchantId)?.find(({ paymentMethodID }) => paymentMethodID === methodId)?.balance
}

/** The types of a merchant's events in their order. */
export async function eventsOf(shop: Shop, { merchantId }: Owned): Promise<string[]> {
  const rows = await shop.db.query<{ type: string }>(
    sql`select type from event where merchant_id = ${merchantId} order by sequence`,
  )
  return rows.map(({ type }) => type)
}

/** The events of a payment that pays its invoice and is credited, once. */
export const paidOnce = ['transaction.detected', 'invoice.paid', 'transaction.confirmed']

/** In the order they were included; those in no block last. */
export async function transactionsOf(shop: Shop, { invoiceId }: Owned): Promise<readonly Transaction[]> {
  const rows = await shop.db.query<TransactionRow>(sql`
    select ${transactionColumns} from transaction where invoice_id = ${invoiceId}
    order by block_height nulls last, block_place, created_at, id`)
  return rows.map(toTransaction)
}

/** The kinds of the journals that touch a merchant, in their order. */
export async function journalsOf(shop: Shop, { merchantId }: Owned): Promise<string[]> {
  const rows = await shop.db.query<{ kind: string }>(sql`
    select journal.kind from journal join journal_line line on line.journal_id = journal.id
    join ledger_account account on account.id = line.account_id
    where account.owner_id = ${merchantId} group by journal.id order by journal.id`)
  return rows.map(({ kind }) => kind)
}

/** All that came to addresses of ours, whoever they belong to. */
export async function countTransactions(shop: Shop): Promise<number> {
  const { count } = await shop.row<{ count: number }>(sql`select count(*) as count from transaction`)
  return count
}
