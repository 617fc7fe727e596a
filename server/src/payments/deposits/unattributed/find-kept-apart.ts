import { readCreditingWrongNetwork } from '../../../merchants/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Deposit } from '../deposit.ts'
import { isOnWrongNetwork } from '../wrong-network.ts'
import { readAttributions } from './attribution-store.ts'

/**
 * Returns a function that decides whether a deposit is booked as unattributed because it is on the wrong
 * network. It is credited at once only if its merchant chose so and if a merchant may credit its asset. A deposit
 * that was attributed before a reorganisation is also booked as unattributed, so that the earlier decision
 * applies again. The caller must have locked the merchants with `lockDeleted`, so that nobody changes the
 * setting before the booking.
 */
export async function findKeptApart(
  methods: PaymentMethods,
  tx: Tx,
  deposits: readonly Deposit[],
): Promise<(deposit: Deposit) => boolean> {
  const wrong = deposits.filter((deposit) => isOnWrongNetwork(methods, deposit))
  if (wrong.length === 0) return () => false
  const merchantIds = [...new Set(wrong.flatMap(({ merchantId }) => merchantId ?? []))]
  const crediting = await readCreditingWrongNetwork(tx, merchantIds)
  const attributions = await readAttributions(
    tx,
    wrong.map(({ id }) => id),
  )
  const attributed = new Set(attributions.map(({ depositId }) => depositId))
  const isCredited = ({ id, merchantId = '', paymentMethodId }: Deposit) =>
    crediting.has(merchantId) && methods.byId(paymentMethodId)?.isCreditable === true && !attributed.has(id)
  const keptApart = new Set(wrong.filter((deposit) => !isCredited(deposit)).map(({ id }) => id))
  return ({ id }) => keptApart.has(id)
}
