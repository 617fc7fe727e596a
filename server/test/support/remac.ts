/**
 * Computes the MACs of rows that a test wrote by SQL, as one of our processes would have done. Journals are
 * not included, because they cannot be changed.
 */
import sql from 'sql-template-tag'
import type { BooksMacs } from '../../src/core/books-macs.ts'
import { depositMac } from '../../src/payments/deposits/deposit-mac.ts'
import { type DepositRow, depositColumns, toDeposit } from '../../src/payments/deposits/store.ts'
import { assignmentMac } from '../../src/payments/invoices/addresses/assignment-mac.ts'
import { withQuoteMac } from '../../src/payments/invoices/addresses/quote-mac.ts'
import { type InvoiceTerms, termsMac } from '../../src/payments/invoices/terms/terms-mac.ts'
import type { Queryable } from '../../src/platform/db/pool.ts'
import { testMacs } from './books-macs.ts'

export async function remac(on: Queryable): Promise<void> {
  await remacQuotes(on)
  await remacDeposits(on)
  await remacAssignments(on)
  await remacInvoices(on)
}

interface Owned {
  readonly merchantId: string
  readonly amountUsd: string
}

/**
 * Computes the MACs of all quotes.
 * @param macs makes the MACs; needed if the service under test has another key of the books than `testMacs`
 */
export async function remacQuotes(on: Queryable, macs: BooksMacs = testMacs): Promise<void> {
  const quotes = await on.query<
    Owned & {
      readonly id: string
      readonly invoiceId: string
      readonly paymentMethodId: number
      readonly priceUsd: string
      readonly fullMinor: string
      readonly quotedAt: Date
      readonly expiresAt: Date
    }
  >(sql`
    select quote.id, invoice_id as "invoiceId", quote.payment_method_id as "paymentMethodId", price as "priceUsd",
      full_minor as "fullMinor", quoted_at as "quotedAt", quote.expires_at as "expiresAt",
      merchant_id as "merchantId", amount_usd as "amountUsd"
    from quote join invoice on invoice.id = quote.invoice_id`)
  for (const { merchantId, amountUsd, ...quote } of quotes) {
    const priced = { ...quote, priceUsd: BigInt(quote.priceUsd), fullMinor: BigInt(quote.fullMinor) }
    const invoice = { merchantId, amountUsd: BigInt(amountUsd) }
    const { mac } = withQuoteMac(macs, priced, invoice)
    await on.query(sql`update quote set mac = ${mac} where id = ${quote.id}`)
  }
}

async function remacDeposits(on: Queryable): Promise<void> {
  const rows = await on.query<DepositRow>(sql`select ${depositColumns} from deposit`)
  for (const row of rows) {
    const mac = depositMac(testMacs, toDeposit(row))
    await on.query(sql`update deposit set mac = ${mac} where id = ${row.id}`)
  }
}

async function remacAssignments(on: Queryable): Promise<void> {
  const rows = await on.query<
    Owned & {
      readonly id: number
      readonly family: string
      readonly address: string
      readonly branch: number
      readonly index: number
      readonly network: string
      readonly invoiceId: string
      readonly paymentMethodId: number
    }
  >(sql`
    select address.id, family, address, branch, index, network, invoice_id as "invoiceId",
      address.payment_method_id as "paymentMethodId", address.merchant_id as "merchantId", amount_usd as "amountUsd"
    from address join invoice on invoice.id = address.invoice_id`)
  for (const row of rows) {
    const mac = assignmentMac(testMacs, row, { ...row, amountUsd: BigInt(row.amountUsd) })
    await on.query(sql`update address set assignment_mac = ${mac} where id = ${row.id}`)
  }
}

async function remacInvoices(on: Queryable): Promise<void> {
  const rows = await on.query<Omit<InvoiceTerms, 'amountUsd'> & { readonly amountUsd: string }>(sql`
    select id, merchant_id as "merchantId", type, amount, amount_usd as "amountUsd" from invoice`)
  for (const row of rows) {
    const mac = termsMac(testMacs, { ...row, amountUsd: BigInt(row.amountUsd) })
    await on.query(sql`update invoice set terms_mac = ${mac} where id = ${row.id}`)
  }
}
