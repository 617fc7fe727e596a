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

export interface WriteOffWish {
  readonly id: string
  readonly merchantId: string
  readonly paymentMethodId: number
  /** What it was shown to owe, in whole units, as typed: no more than that is borne. */
  readonly amount: string
}

/**
 * The operator bears what a merchant owes in one asset, all of it, out of its capital; the merchant's payouts are free
 * again once it owes nothing more. Where it owes more by now than was shown, nothing is borne.
 * @returns how much, in the asset's smallest unit
 * @throws Problem invalid-request, nothing-owed, owes-more, insufficient-balance
 */
export async function writeOffDebt(
  { db, methods }: WriteOffParts,
  accountId: string | undefined,
  { id, merchantId, paymentMethodId, amount }: WriteOffWish,
): Promise<bigint> {
  const method = methods.byId(paymentMethodId)
  if (method === undefined) throw failField('/paymentMethodID', 'there is no such payment method')
  const { asset, decimals, symbol } = method
  const shownMinor = parseDecimal(amount, decimals)
  if (shownMinor === undefined)
    throw failField('/amount', `must be a decimal with at most ${decimals} places`)
  const subject = `written-off:${id}`
  return inTransaction(db, async (tx) => {
    const [made] = await findJournals(tx, [subject])
    if (made !== undefined) return made.lines[0]?.debitMinor ?? 0n
    const owedMinor = await lockDebt(tx, merchantId, asset)
    if (owedMinor <= 0n) throw fail('nothing-owed', `This merchant owes no ${symbol}.`)
    if (owedMinor > shownMinor) {
      const now = formatDecimal(owedMinor, decimals)
      throw fail('owes-more', `This merchant owes ${now} ${symbol} by now, not ${amount}. Look at it again.`)
    }
    await lockOwnMoney(tx, asset)
    const [books] = await readBooks(methods, tx, [method])
    // What merchants owe is taken off what is free, this debt among it.
    const ownMinor = books === undefined ? 0n : freeMinor(books) + books.suspenseMinor
    if (ownMinor < owedMinor) {
      const lacking = formatDecimal(owedMinor - ownMinor, decimals)
      const detail = `Fund a hot wallet with ${lacking} ${symbol} first; what came in counts once its block is final.`
      throw fail('insufficient-balance', detail)
    }
    const suspense = { name: 'suspense', ownerId: merchantId, asset } as const
    const lines = [debit({ name: 'capital', asset }, owedMinor), credit(suspense, owedMinor)]
    await post(tx, [journal({ kind: 'suspense.written_off', subject, lines })])
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
 * Whatever comes to the merchant repays its debt in the transaction that credits `available` (`repaySuspense`): with that
 * locked too, a repayment has either been made or finds the debt written off.
 */
async function lockDebt(tx: Tx, merchantId: string, asset: string): Promise<bigint> {
  const owned = await lockOwned(tx, merchantId, ['available', 'suspense'])
  const debt = owned.find((account) => account.name === 'suspense' && account.asset === asset)
  return debt === undefined ? 0n : debt.debitsMinor - debt.creditsMinor
}
