import { required } from '../../core/assert.ts'
import { fail } from '../../core/errors.ts'
import { formatDecimal } from '../../core/money.ts'
import { OverdraftError, post } from '../../ledger/post.ts'
import { hasReceivable } from '../../ledger/receivable.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import type { OrderSigner } from '../../signing/order-signature.ts'
import { holdJournal } from './journals.ts'
import { orderOf } from './orders/order-of.ts'
import { findWithdrawal, insertWithdrawal, type NewWithdrawal } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'
import { withdrawalFacts } from './withdrawal-facts.ts'

/**
 * Stores a withdrawal and posts the hold on its amount. If the id exists already, the stored withdrawal is
 * returned unchanged and nothing more is held.
 * @param parts has the signer of the order
 * @param accountId the account that requested the withdrawal; undefined for an API key and for a payee
 * @throws Problem insufficient-balance, payouts-frozen; after that, the transaction can only be rolled back
 */
export async function orderWithdrawal(
  { orders }: { readonly orders: OrderSigner },
  tx: Tx,
  method: PaymentMethod,
  wanted: Omit<NewWithdrawal, 'amount' | 'asset' | 'paymentMethodId' | 'orderSignature'>,
  accountId: string | undefined,
): Promise<Withdrawal> {
  const { id, merchantId, amountMinor } = wanted
  const { asset, decimals, symbol } = method
  const amount = formatDecimal(amountMinor, decimals)
  const order = { ...wanted, asset, paymentMethodId: method.id }
  const orderSignature = orders.sign(method.network, orderOf(order, method))
  const stored = await insertWithdrawal(tx, { ...order, amount, orderSignature })
  if (stored === undefined) {
    return required(await findWithdrawal(tx, merchantId, id), 'the withdrawal with an existing id')
  }
  await hold(tx, stored, method)
  if (await hasReceivable(tx, merchantId)) {
    throw fail(
      'payouts-frozen',
      'The merchant owes money: a chain reversed a deposit after its money had been paid out, or a payment was booked late. ' +
        'New payments repay it first; after that, withdrawals are possible again.',
    )
  }
  await recordAudit(tx, {
    ...(accountId !== undefined && { accountId }),
    merchantId,
    action: 'withdrawal.requested',
    subject: id,
    details: {
      amount,
      fee: formatDecimal(stored.feeMinor, decimals),
      currency: symbol,
      address: stored.address,
      invoiceID: stored.invoiceId ?? null,
    },
  })
  tx.facts?.note(withdrawalFacts, { id, merchantId, content: { invoiceId: stored.invoiceId } })
  return stored
}

async function hold(tx: Tx, withdrawal: Withdrawal, { decimals, symbol }: PaymentMethod): Promise<void> {
  try {
    await post(tx, [holdJournal(withdrawal)])
  } catch (error) {
    if (!(error instanceof OverdraftError)) throw error
    const { amountMinor } = withdrawal
    const shortMinor = required(error.shortfalls[0], 'a shortfall').shortMinor
    const written = (minor: bigint) => `${formatDecimal(minor, decimals)} ${symbol}`
    throw fail(
      'insufficient-balance',
      `Insufficient balance: ${written(amountMinor - shortMinor)} available, ${written(amountMinor)} required.`,
    )
  }
}
