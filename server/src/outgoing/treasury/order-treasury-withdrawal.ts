import { fail, failField } from '../../core/errors.ts'
import { formatDecimal, parseDecimal } from '../../core/money.ts'
import { lockOwnMoney } from '../../ledger/lock-own-money.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readBooks } from './books-store.ts'
import { type TreasuryWithdrawalSource, withdrawableMinor } from './own-money.ts'
import type { TreasuryWithdrawal } from './treasury-withdrawal.ts'
import { findTreasuryWithdrawal, insertTreasuryWithdrawal } from './treasury-withdrawal-store.ts'

export interface TreasuryWithdrawalParts {
  readonly db: Db
  readonly methods: PaymentMethods
  /** The cold addresses that are set, by network. */
  readonly coldAddresses: ReadonlyMap<string, string>
}

export interface TreasuryWithdrawalInput {
  readonly id: string
  readonly paymentMethodId: number
  readonly source: TreasuryWithdrawalSource
  /** The amount in whole units, as the operator typed it. */
  readonly amount: string
}

/**
 * Orders a transfer of the operator's own money to the cold address. The order reserves the amount, so
 * neither another order nor gas can use it. A repeated call with the same id returns the first order.
 * @param accountId the operator's account; undefined if the order comes from the server's own shell
 * @throws Problem invalid-request, cold-address-missing, insufficient-balance
 */
export async function orderTreasuryWithdrawal(
  { db, methods, coldAddresses }: TreasuryWithdrawalParts,
  accountId: string | undefined,
  { id, paymentMethodId, source, amount }: TreasuryWithdrawalInput,
): Promise<TreasuryWithdrawal> {
  const method = methods.byId(paymentMethodId)
  if (method === undefined) throw failField('/paymentMethodID', 'is not the number of a payment method')
  const { asset, network, decimals, symbol } = method
  const amountMinor = parseDecimal(amount, decimals)
  if (amountMinor === undefined || amountMinor <= 0n) {
    throw failField('/amount', `must be a decimal above 0 with at most ${decimals} decimal places`)
  }
  return inTransaction(db, async (tx) => {
    const made = await findTreasuryWithdrawal(tx, id)
    if (made !== undefined) return made
    if (!coldAddresses.has(network)) {
      const setting = `COLD_ADDRESS_${network.toUpperCase()}`
      throw fail(
        'cold-address-missing',
        `Set ${setting} here and at the signer, then order the withdrawal again.`,
      )
    }
    await lockOwnMoney(tx, asset)
    const [books] = await readBooks(methods, tx, [method])
    const most = books === undefined ? 0n : withdrawableMinor(books, source)
    if (amountMinor > most) {
      const detail = `Insufficient balance: at most ${formatDecimal(most, decimals)} ${symbol} can be withdrawn from ${source} now.`
      throw fail('insufficient-balance', detail)
    }
    const treasuryWithdrawal = await insertTreasuryWithdrawal(tx, {
      id,
      network,
      asset,
      paymentMethodId,
      source,
      amountMinor,
    })
    const details = { asset, source, amountMinor: amountMinor.toString() }
    const by = accountId === undefined ? {} : { accountId }
    await recordAudit(tx, { ...by, action: 'treasury.withdrawal_ordered', subject: id, details })
    return treasuryWithdrawal
  })
}
