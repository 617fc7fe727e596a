import sql from 'sql-template-tag'
import { macsOf, named, one, type Queryable } from '../../../platform/db/pool.ts'
import type { Rate } from '../../../pricing/rates/rate.ts'
import { type ContextRow, type InvoiceInContext, inContext, toContext } from '../store.ts'
import type { DerivedAddress, InvoiceAddress } from './address.ts'
import { givenAddressColumns, isFreeToGive } from './address-store.ts'
import { type Assignment, assignmentMac } from './assignment-mac.ts'
import type { Quote } from './quote.ts'
import type { MacedQuote } from './quote-mac.ts'
import { quoteColumns, quoteValues } from './quote-store.ts'

/** An invoice with all its addresses and its last quotes. */
export interface GivenInvoice extends InvoiceInContext {
  readonly addresses: readonly InvoiceAddress[]
  /**
   * The last quote of each method. Older quotes are not read, because an invoice that does not expire may
   * have any number of quotes.
   */
  readonly quotes: readonly Quote[]
  readonly termsMac: string | undefined
}

interface GivenRow extends ContextRow {
  readonly addresses: readonly (Omit<InvoiceAddress, 'mac'> & { readonly mac: string })[]
  readonly quotes: readonly (Omit<Quote, 'priceUsd' | 'fullMinor' | 'quotedAt' | 'expiresAt'> & {
    readonly priceUsd: string
    readonly fullMinor: string
    readonly quotedAt: string
    readonly expiresAt: string
  })[]
}

/**
 * Reads an invoice with its addresses and last quotes in one statement. Returns undefined if the invoice does
 * not exist, or if the invoice or its merchant is deleted.
 */
export async function findGiven(on: Queryable, id: string): Promise<GivenInvoice | undefined> {
  const row = await one<GivenRow>(
    on,
    named(
      'find-given',
      sql`
      select context.*, coalesce(addresses, '[]') as addresses, coalesce(quotes, '[]') as quotes
      from (${inContext}
        where invoice.id = ${id} and invoice.deleted_at is null and merchant.deleted_at is null) context
      left join lateral (
        select jsonb_agg(jsonb_build_object('family', family, 'address', address, 'branch', branch, 'index', index,
          'mac', encode(mac, 'hex'), 'invoiceId', invoice_id, 'paymentMethodId', payment_method_id, 'network', network,
          'assignmentMac', assignment_mac) order by id) as addresses
        from address where invoice_id = context.id
      ) given on true
      left join lateral (
        select jsonb_agg(jsonb_build_object('id', last.id, 'invoiceId', invoice_id, 'paymentMethodId', payment_method_id,
          'priceUsd', price::text, 'fullMinor', full_minor::text, 'quotedAt', quoted_at, 'expiresAt', expires_at)) as quotes
        from unnest(context.payment_method_ids) method (id) cross join lateral (
          select * from quote where invoice_id = context.id and payment_method_id = method.id
          order by quoted_at desc, id desc limit 1
        ) last
      ) quoted on true`,
    ),
  )
  return row === undefined ? undefined : toGiven(row)
}

function toGiven(row: GivenRow): GivenInvoice {
  return {
    ...toContext(row),
    termsMac: row.terms_mac ?? undefined,
    addresses: row.addresses.map((address) => ({ ...address, mac: Buffer.from(address.mac, 'hex') })),
    quotes: row.quotes.map((quote) => ({
      ...quote,
      priceUsd: BigInt(quote.priceUsd),
      fullMinor: BigInt(quote.fullMinor),
      quotedAt: new Date(quote.quotedAt),
      expiresAt: new Date(quote.expiresAt),
    })),
  }
}

/**
 * Assigns the first address for a method to a payable invoice and stores a quote, both in one statement.
 * Returns undefined if the address is not free, or if the invoice can no longer be paid.
 * @throws the database's unique violation of `address_invoice_method_unique` if another request assigned an
 * address first
 */
export function giveFirstAddress(
  on: Queryable,
  derived: DerivedAddress,
  assignment: Assignment,
  quote: MacedQuote,
  rate: Rate,
): Promise<InvoiceAddress | undefined> {
  const { invoiceId, merchantId, paymentMethodId, network } = assignment
  const statement = named(
    'give-first-address',
    sql`
    with payable as (
      select invoice.id from invoice
      where id = ${invoiceId} and deleted_at is null and closed_at is null
        and (state = 'pending' or (state = 'paid' and type = 'reusable')) and type <> 'withdraw'
        and (expires_at is null or expires_at > coffer_now())
        and exists (select from merchant where merchant.id = invoice.merchant_id and merchant.deleted_at is null)
      for update
    ), given as (
      update address
      set network = ${network}, merchant_id = ${merchantId}, invoice_id = payable.id,
          payment_method_id = ${paymentMethodId}, assigned_at = coffer_now(),
          assignment_mac = ${assignmentMac(macsOf(on), derived, assignment)}
      from payable
      where ${isFreeToGive(derived, network)}
      returning ${givenAddressColumns}
    ), quoted as (
      insert into quote (${quoteColumns})
      select ${quoteValues(quote, rate)} from given
    )
    select * from given`,
  )
  return one<InvoiceAddress>(on, statement)
}
