import { readBookedMethods } from '../../payments/invoices/lists/booked-methods-store.ts'
import type { Queryable } from '../../platform/db/pool.ts'
import { firstOwnMethodId } from '../../pricing/own-rows/own-network.ts'
import { mainPaymentMethods } from '../../pricing/payment-methods/catalogue.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'

/**
 * Refuses to work on books with invoices, deposits or accounts in own payment methods that no accepted entry
 * states. Lists with such records could not be shown, and their money would not be seen.
 * @throws Error that names the settings to check
 */
export async function requireKnownMethods(
  db: Queryable,
  methods: Pick<PaymentMethods, 'byId' | 'byAsset'>,
): Promise<void> {
  const booked = await readBookedMethods(db, firstOwnMethodId)
  const shipped = new Set(mainPaymentMethods().map(({ asset }) => asset))
  const ids = booked.ids.filter((id) => methods.byId(id) === undefined)
  const assets = booked.assets.filter((asset) => methods.byAsset(asset) === undefined && !shipped.has(asset))
  if (ids.length + assets.length === 0) return
  throw new Error(
    `The books contain payment methods that no accepted entry states (${[...ids, ...assets].join(', ')}). Check OPERATOR_PUBLIC_KEYS, XPUB_EVM and OPERATOR_ENTRY_MIN; "coffer networks list" shows which entries are refused.`,
  )
}
