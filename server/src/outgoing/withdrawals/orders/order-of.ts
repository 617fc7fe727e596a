import { required } from '../../../core/assert.ts'
import type { PaymentMethod, PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Payment } from '../../../signing/intent.ts'
import type { Order } from '../../../signing/order-signature.ts'
import { netMinor, type Withdrawal } from '../withdrawal.ts'

/**
 * Returns the part of a withdrawal that is signed: the fields that decide who gets how much money, and whose
 * money it is.
 */
export function orderOf(
  withdrawal: Pick<
    Withdrawal,
    'id' | 'merchantId' | 'asset' | 'address' | 'amountMinor' | 'feeMinor' | 'invoiceId'
  >,
  { contract }: Pick<PaymentMethod, 'contract'>,
): Order {
  const { id, merchantId, asset, address, amountMinor, feeMinor, invoiceId } = withdrawal
  return {
    id,
    merchantId,
    asset,
    contract: contract ?? null,
    address,
    amountMinor,
    feeMinor,
    invoiceId: invoiceId ?? null,
  }
}

/** Returns the payment for an order. The MAC of an approval authenticates this payment. */
export function paymentOf(methods: PaymentMethods, withdrawal: Withdrawal): Omit<Payment, 'mac'> {
  const { id, merchantId, asset, address, feeMinor, paymentMethodId } = withdrawal
  const { contract = null } = required(methods.byId(paymentMethodId), 'the method of a withdrawal')
  return {
    withdrawalId: id,
    merchantId,
    asset,
    contract,
    address,
    netMinor: netMinor(withdrawal),
    feeMinor,
    invoiceId: withdrawal.invoiceId ?? null,
    // The signer refuses a payment without an order signature.
    orderSignature: withdrawal.orderSignature ?? '',
  }
}
