import { fail, failField } from '../../core/errors.ts'
import { formatDecimal, parseDecimal } from '../../core/money.ts'
import { lockOwnMoney } from '../../ledger/lock-own-money.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import { readBooks } from './books-store.ts'
import { type TakeOutSource, takeableMinor } from './own-money.ts'
import type { TakeOut } from './take-out.ts'
import { findTakeOut, insertTakeOut } from './take-out-store.ts'

export interface TakeOutParts {
  readonly db: Db
  readonly methods: PaymentMethods
  /** By network, where there is one. */
  readonly coldAddresses: ReadonlyMap<string, string>
}

export interface TakeOutWish {
  readonly id: string
  readonly paymentMethodId: number
  readonly source: TakeOutSource
  /** In whole units, as typed. */
  readonly amount: string
}

/**
 * Orders some of the operator's own money to the cold address. From now on it is spoken for: neither another order nor
 * gas can have it.
 * @param accountId who asks; absent from the server's own shell
 * @throws Problem invalid-request, cold-address-missing, insufficient-balance
 */
export async function orderTakeOut(
  { db, methods, coldAddresses }: TakeOutParts,
  accountId: string | undefined,
  { id, paymentMethodId, source, amount }: TakeOutWish,
): Promise<TakeOut> {
  const method = methods.byId(paymentMethodId)
  if (method === undefined) throw failField('/paymentMethodID', 'there is no such payment method')
  const { asset, network, decimals, symbol } = method
  const amountMinor = parseDecimal(amount, decimals)
  if (amountMinor === undefined || amountMinor <= 0n) {
    throw failField('/amount', `must be a decimal above 0 with at most ${decimals} places`)
  }
  return inTransaction(db, async (tx) => {
    const made = await findTakeOut(tx, id)
    if (made !== undefined) return made
    if (!coldAddresses.has(network)) {
      const setting = `COLD_ADDRESS_${network.toUpperCase()}`
      throw fail('cold-address-missing', `Set ${setting}, here and at the signer, then order it again.`)
    }
    await lockOwnMoney(tx, asset)
    const [books] = await readBooks(methods, tx, [method])
    const most = books === undefined ? 0n : takeableMinor(books, source)
    if (amountMinor > most) {
      const detail = `At most ${formatDecimal(most, decimals)} ${symbol} can be taken out of ${source} now.`
      throw fail('insufficient-balance', detail)
    }
    const takeOut = await insertTakeOut(tx, { id, network, asset, paymentMethodId, source, amountMinor })
    const details = { asset, source, amountMinor: amountMinor.toString() }
    const by = accountId === undefined ? {} : { accountId }
    await recordAudit(tx, { ...by, action: 'treasury.take_out_ordered', subject: id, details })
    return takeOut
  })
}
