import { fail } from '../../core/errors.ts'
import type { Db, Queryable } from '../../platform/db/pool.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { type AddressMacKeys, assertGenuine } from './addresses/address.ts'
import { assertAssigned } from './addresses/assignment-mac.ts'
import { findGiven, type GivenInvoice } from './addresses/checkout-store.ts'
import type { PaymentsOf } from './addresses/give-payment-address.ts'
import { givenAddress, type PaymentAddress } from './addresses/payment-address.ts'
import type { Payment } from './invoice.ts'
import type { InvoiceInContext } from './store.ts'
import type { InvoiceTransactions } from './view.ts'

/**
 * Returns the newest deposits of an invoice and the number of all its deposits, in the format of the API.
 * `deposits/` supplies this function.
 */
export type TransactionsOf = (on: Queryable, invoiceId: string) => Promise<InvoiceTransactions>

export interface ReadInvoiceParts extends AddressMacKeys {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly paymentsOf: PaymentsOf
  readonly transactionsOf: TransactionsOf
}

/** An invoice with its addresses, the sums of its payments, and its newest deposits. */
export interface InvoiceRecord extends InvoiceInContext {
  /** The assigned addresses with their last quotes. */
  readonly addresses: readonly PaymentAddress[]
  /** The payments as sums, because an invoice may have any number of payments. */
  readonly payments: readonly Payment[]
  readonly transactions: InvoiceTransactions
}

/**
 * Returns an invoice with its addresses, payments and newest deposits.
 * @throws Problem not-found if the invoice does not exist or belongs to another merchant
 */
export async function readInvoice(
  parts: ReadInvoiceParts,
  merchantId: string,
  id: string,
): Promise<InvoiceRecord> {
  const { db, transactionsOf } = parts
  const given = await findGiven(db, id)
  if (given?.invoice.merchantId !== merchantId) throw fail('not-found', 'No such invoice.')
  return { ...(await withAddresses(parts, given)), transactions: await transactionsOf(db, id) }
}

/**
 * Returns an invoice with its payments and its addresses. Each address has the amount that is still due.
 * @param coming Unconfirmed payments. They are also deducted from the amount due.
 */
export async function withAddresses(
  {
    db,
    methods,
    paymentsOf,
    ...keys
  }: Omit<ReadInvoiceParts, 'transactionsOf' | 'db'> & { readonly db: Queryable },
  given: GivenInvoice,
  coming: readonly Payment[] = [],
): Promise<Omit<InvoiceRecord, 'transactions'>> {
  const { id } = given.invoice
  const payments = given.addresses.length === 0 ? [] : ((await paymentsOf(db, [id], 'summed')).get(id) ?? [])
  const addresses = given.addresses.flatMap((address) => {
    assertGenuine(keys, address)
    assertAssigned(db, address, given.invoice)
    const method = methods.byId(address.paymentMethodId)
    if (method === undefined) return []
    const quote = given.quotes.find(({ paymentMethodId }) => paymentMethodId === method.id)
    return givenAddress({ ...given, method, address, quote, payments: [...payments, ...coming] })
  })
  return { ...given, addresses, payments }
}
