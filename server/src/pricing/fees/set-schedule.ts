import { failField } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { parseDecimal } from '../../core/money.ts'
import { lockMerchant } from '../../merchants/store.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { type FlatFee, parsePercent } from './fee.ts'
import { unitOf } from './quote-fee.ts'
import {
  deleteSchedule,
  lockSchedule,
  type ScheduleTarget,
  type StoredSchedule,
  saveSchedule,
} from './store.ts'
import { storedScheduleView } from './view.ts'

export interface SetScheduleParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

/** What an operator asks for, as typed. */
export interface ScheduleWish extends ScheduleTarget {
  /** "1.5" is 1.5 percent. */
  readonly percent: string
  readonly flat: string
  /** "USD" or the symbol of the method; by default the method's where one is named. */
  readonly currency: string | undefined
}

/**
 * Stores a schedule in place of the one for exactly this target; payments that were seen keep the terms they had.
 * @param accountId who asks; absent from the server's own shell
 * @throws Problem invalid-request naming the field that cannot be
 */
export async function setSchedule(
  { db, methods }: SetScheduleParts,
  accountId: string | undefined,
  wish: ScheduleWish,
): Promise<StoredSchedule> {
  const after = toStored(methods, wish)
  await inTransaction(db, async (tx) => {
    if (wish.merchantId !== undefined && (await lockMerchant(tx, wish.merchantId)) === undefined) {
      throw failField('/merchantID', 'there is no such merchant')
    }
    const before = await lockSchedule(tx, wish)
    await saveSchedule(tx, newId(), after)
    await audit(tx, methods, accountId, 'fee.set', wish, { before, after })
  })
  return after
}

/** Takes back what was set for exactly this target; false where nothing was. */
export function unsetSchedule(
  { db, methods }: SetScheduleParts,
  accountId: string | undefined,
  target: ScheduleTarget,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const before = await lockSchedule(tx, target)
    if (before === undefined) return false
    await deleteSchedule(tx, target)
    await audit(tx, methods, accountId, 'fee.unset', target, { before, after: undefined })
    return true
  })
}

function toStored(methods: PaymentMethods, wish: ScheduleWish): StoredSchedule {
  const { type, merchantId, paymentMethodId } = wish
  const percentBasisPoints = parsePercent(wish.percent)
  if (percentBasisPoints === undefined) {
    throw failField('/percent', 'must be a decimal from 0 to 100 with at most 2 places, such as "1.5"')
  }
  return {
    merchantId,
    paymentMethodId,
    schedule: { type, percentBasisPoints, flat: readFlat(methods, wish) },
  }
}

function readFlat(methods: PaymentMethods, { type, paymentMethodId, flat, currency }: ScheduleWish): FlatFee {
  const method = paymentMethodId === undefined ? undefined : methods.byId(paymentMethodId)
  if (paymentMethodId !== undefined && method === undefined) {
    throw failField('/paymentMethodID', `${paymentMethodId} is no payment method`)
  }
  const unit = unitOf(currency === 'USD' ? undefined : method)
  if (currency !== undefined && currency !== unit.currency) {
    throw failField('/currency', `must be ${method === undefined ? 'USD' : `${method.symbol} or USD`}`)
  }
  const amount = parseDecimal(flat, unit.decimals)
  if (amount === undefined) {
    throw failField('/flat', `must be a decimal of ${unit.currency} with at most ${unit.decimals} places`)
  }
  if (unit.paymentMethodId !== undefined) return { minor: amount }
  if (type === 'withdrawal' && amount > 0n) {
    const remedy = 'name a payment method and give the flat fee in its asset'
    throw failField('/flat', `a withdrawal needs no rate, so it has no flat fee in USD: ${remedy}`)
  }
  return { usd: amount }
}

async function audit(
  tx: Tx,
  methods: PaymentMethods,
  accountId: string | undefined,
  action: 'fee.set' | 'fee.unset',
  { merchantId, paymentMethodId, type }: ScheduleTarget,
  { before, after }: { before: StoredSchedule | undefined; after: StoredSchedule | undefined },
): Promise<void> {
  const shown = (stored: StoredSchedule | undefined) => stored && storedScheduleView(methods, stored)
  await recordAudit(tx, {
    ...(accountId !== undefined && { accountId }),
    ...(merchantId !== undefined && { merchantId }),
    action,
    subject: `${type}/${paymentMethodId ?? 'every method'}`,
    details: { before: shown(before), after: shown(after) },
  })
}
