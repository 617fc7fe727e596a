/** Recognises payments that came on a network which their invoice does not offer. */
import { required } from '../../core/assert.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Deposit } from './deposit.ts'

/**
 * Returns whether a deposit to an invoice came on a network that is the network of none of the invoice's
 * payment methods. All EVM networks share addresses, so such a payment reaches the right address. A deposit
 * that pays a part of its invoice is never on the wrong network. Its MAC covers that part, so a change of the
 * invoice's row cannot turn a payment of the invoice into one on the wrong network.
 */
export function isOnWrongNetwork(
  methods: PaymentMethods,
  {
    invoiceId,
    fullMinor,
    network,
    offeredMethodIds,
  }: Pick<Deposit, 'invoiceId' | 'fullMinor' | 'network' | 'offeredMethodIds'>,
): boolean {
  if (invoiceId === undefined || fullMinor !== undefined) return false
  return offeredMethodIds.every((id) => methods.byId(id)?.network !== network)
}

/**
 * Returns whether the merchant may credit itself a deposit on the wrong network, if the deposit's state allows
 * it. The amount must reach the minimum of the payment method, because the operator pays for the sweep.
 */
export function mayBeCredited(
  methods: PaymentMethods,
  deposit: Pick<
    Deposit,
    'invoiceId' | 'fullMinor' | 'network' | 'offeredMethodIds' | 'paymentMethodId' | 'amountMinor'
  >,
): boolean {
  const method = required(methods.byId(deposit.paymentMethodId), 'the method of a deposit')
  return (
    isOnWrongNetwork(methods, deposit) && method.isCreditable && deposit.amountMinor >= method.minimumMinor
  )
}

/**
 * Returns whether a confirmed deposit is booked as unattributed, so that its merchant was credited nothing and
 * nothing of it is in quarantine or below the minimum.
 */
export function isBookedUnattributed({
  state,
  netMinor,
  belowMinimum,
  quarantine,
}: Pick<Deposit, 'state' | 'netMinor' | 'belowMinimum' | 'quarantine'>): boolean {
  return (
    state === 'confirmed' &&
    netMinor === undefined &&
    !belowMinimum &&
    (quarantine ?? 'released') === 'released'
  )
}
