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

/** The newest transactions of an invoice as the wire shows them; `transactions/` supplies it. */
export type TransactionsOf = (on: Queryable, invoiceId: string) => Promise<InvoiceTransactions>

export interface ReadInvoiceParts extends AddressMacKeys {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly paymentsOf: PaymentsOf
  readonly transactionsOf: TransactionsOf
}

/** An invoice with everything that hangs on it. */
export interface InvoiceRecord extends InvoiceInContext {
  /** Those that were given out, with their last quotes. */
  readonly addresses: readonly PaymentAddress[]
  /** Summed, as there may be any number. */
  readonly payments: readonly Payment[]
  readonly transactions: InvoiceTransactions
}

/** @throws Problem not-found, for another merchant's invoice as for a missing one */
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
 * An invoice with where it was and is to be paid, and what came in.
 * @param coming payments on their way that are not to be asked for again
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
