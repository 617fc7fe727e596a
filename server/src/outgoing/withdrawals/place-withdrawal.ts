import { required } from '../../core/assert.ts'
import { fail } from '../../core/errors.ts'
import { formatDecimal } from '../../core/money.ts'
import { OverdraftError, post } from '../../ledger/post.ts'
import { isInSuspense } from '../../ledger/suspense.ts'
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
 * Stores a withdrawal with the hold on its amount. One of that id that is there already is returned as it is, and holds
 * what it held.
 * @param parts who signs the order
 * @param accountId who asked; absent for a key and for a payee
 * @throws Problem insufficient-balance, payouts-frozen: then the transaction can only roll back
 */
export async function placeWithdrawal(
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
    return required(await findWithdrawal(tx, merchantId, id), 'the withdrawal of a taken id')
  }
  await hold(tx, stored, method)
  if (await isInSuspense(tx, merchantId)) {
    throw fail(
      'payouts-frozen',
      'A deposit was taken back by its chain after its money had left. What comes in repays that first; then ' +
        'withdrawals are possible again.',
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
      `Available are ${written(amountMinor - shortMinor)}, needed ${written(amountMinor)}.`,
    )
  }
}
