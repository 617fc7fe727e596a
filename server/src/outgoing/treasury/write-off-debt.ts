import { fail, failField } from '../../core/errors.ts'
import { formatDecimal, parseDecimal } from '../../core/money.ts'
import { credit, debit, journal } from '../../ledger/journal.ts'
import { lockOwnMoney } from '../../ledger/lock-own-money.ts'
import { post } from '../../ledger/post.ts'
import { findJournals, lockOwned } from '../../ledger/store.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readBooks } from './books-store.ts'
import { freeMinor } from './own-money.ts'

export interface WriteOffParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

export interface WriteOffParams {
  readonly id: string
  readonly merchantId: string
  readonly paymentMethodId: number
  /** The debt that the operator saw, in whole units. A larger debt is not written off. */
  readonly amount: string
}

/**
 * Writes off everything that a merchant owes in one asset, and charges the operator's capital. The merchant
 * can withdraw again once it owes nothing in any asset. If the merchant now owes more than the operator saw,
 * nothing is written off.
 * @returns how much was written off, in the asset's smallest unit
 * @throws Problem invalid-request, nothing-owed, owes-more, insufficient-balance
 */
export async function writeOffDebt(
  { db, methods }: WriteOffParts,
  accountId: string | undefined,
  { id, merchantId, paymentMethodId, amount }: WriteOffParams,
): Promise<bigint> {
  const method = methods.byId(paymentMethodId)
  if (method === undefined) throw failField('/paymentMethodID', 'is not the number of a payment method')
  const { asset, decimals, symbol } = method
  const shownMinor = parseDecimal(amount, decimals)
  if (shownMinor === undefined)
    throw failField('/amount', `must be a decimal with at most ${decimals} decimal places`)
  const subject = `written-off:${id}`
  return inTransaction(db, async (tx) => {
    const [made] = await findJournals(tx, [subject])
    if (made !== undefined) return made.lines[0]?.debitMinor ?? 0n
    const owedMinor = await lockDebt(tx, merchantId, asset)
    if (owedMinor <= 0n) throw fail('nothing-owed', `This merchant owes no ${symbol}.`)
    if (owedMinor > shownMinor) {
      const now = formatDecimal(owedMinor, decimals)
      throw fail(
        'owes-more',
        `This merchant now owes ${now} ${symbol}, more than ${amount}. Check the amount and try again.`,
      )
    }
    await lockOwnMoney(tx, asset)
    const [books] = await readBooks(methods, tx, [method])
    // `freeMinor` subtracts the debts of all merchants, including this debt. All debts are therefore added
    // back.
    const ownMinor = books === undefined ? 0n : freeMinor(books) + books.receivableMinor
    if (ownMinor < owedMinor) {
      const lacking = formatDecimal(owedMinor - ownMinor, decimals)
      const detail = `Fund a hot wallet with ${lacking} ${symbol} first; the funds count once their block is final.`
      throw fail('insufficient-balance', detail)
    }
    const receivable = { name: 'receivable', ownerId: merchantId, asset } as const
    const lines = [debit({ name: 'capital', asset }, owedMinor), credit(receivable, owedMinor)]
    await post(tx, [journal({ kind: 'receivable.written_off', subject, lines })])
    const details = { asset, amountMinor: owedMinor.toString() }
    const by = accountId === undefined ? {} : { accountId }
    await recordAudit(tx, {
      ...by,
      merchantId,
      action: 'treasury.debt_written_off',
      subject: merchantId,
      details,
    })
    return owedMinor
  })
}

/**
 * Locks the merchant's accounts and returns its debt in the asset. The lock includes `available`, which a
 * repayment credits (`repayReceivable`). A concurrent repayment is therefore either booked already, or it
 * finds the debt written off.
 */
async function lockDebt(tx: Tx, merchantId: string, asset: string): Promise<bigint> {
  const owned = await lockOwned(tx, merchantId, ['available', 'receivable'])
  const debt = owned.find((account) => account.name === 'receivable' && account.asset === asset)
  return debt === undefined ? 0n : debt.debitsMinor - debt.creditsMinor
}
