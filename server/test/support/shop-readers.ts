/** Reads what a merchant or an operator sees of payments. */
import sql from 'sql-template-tag'
import { readFunds } from '../../src/payments/balances/read-funds.ts'
import type { Deposit } from '../../src/payments/deposits/deposit.ts'
import { type DepositRow, depositColumns, toDeposit } from '../../src/payments/deposits/store.ts'
import type { Shop } from './shop.ts'

export interface Owned {
  readonly merchantId: string
  readonly invoiceId: string
}

export function invoiceStatusOf(
  shop: Shop,
  { invoiceId }: Owned,
): Promise<{ state: string; exceptions: string[] }> {
  return shop.row(sql`select state, exceptions from invoice where id = ${invoiceId}`)
}

/** Returns the balance in one payment method, as the funds route shows it. */
export async function balanceOf(
  shop: Shop,
  { merchantId }: Owned,
  methodId = 1,
): Promise<string | undefined> {
  const funds = await readFunds(shop.db, shop.methods, [merchantId])
  return funds.get(merchantId)?.find(({ paymentMethodID }) => paymentMethodID === methodId)?.balance
}

/** Returns the types of a merchant's events, in order. */
export async function eventsOf(shop: Shop, { merchantId }: Owned): Promise<string[]> {
  const rows = await shop.db.query<{ type: string }>(
    sql`select type from event where merchant_id = ${merchantId} order by sequence`,
  )
  return rows.map(({ type }) => type)
}

/** The events of one deposit that pays its invoice and is credited once. */
export const paidOnce = ['transaction.detected', 'invoice.paid', 'transaction.confirmed']

/** Returns the deposits of an invoice in the order of their inclusion. Those in no block come last. */
export async function depositsOf(shop: Shop, { invoiceId }: Owned): Promise<readonly Deposit[]> {
  const rows = await shop.db.query<DepositRow>(sql`
    select ${depositColumns} from deposit where invoice_id = ${invoiceId}
    order by block_height nulls last, block_position, created_at, id`)
  return rows.map(toDeposit)
}

/** Returns the kinds of the journals that touch a merchant's accounts, in order. */
export async function journalsOf(shop: Shop, { merchantId }: Owned): Promise<string[]> {
  const rows = await shop.db.query<{ kind: string }>(sql`
    select journal.kind from journal join journal_line line on line.journal_id = journal.id
    join ledger_account account on account.id = line.account_id
    where account.owner_id = ${merchantId} group by journal.id order by journal.id`)
  return rows.map(({ kind }) => kind)
}

/** Returns the number of deposits of all merchants. */
export async function countDeposits(shop: Shop): Promise<number> {
  const { count } = await shop.row<{ count: number }>(sql`select count(*) as count from deposit`)
  return count
}
