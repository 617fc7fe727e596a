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

/** An operator's request, with the amounts as the operator typed them. */
export interface ScheduleParams extends ScheduleTarget {
  /** "1.5" is 1.5 percent. */
  readonly percent: string
  readonly flat: string
  /** "USD" or the symbol of the payment method. If a method is named, its symbol is the default. */
  readonly currency: string | undefined
}

/**
 * Stores a schedule. An existing schedule for exactly this target is replaced. Deposits that are already
 * detected keep the fee terms that were stored with them.
 * @param accountId The operator's account; undefined for a command from the server's own shell.
 * @throws Problem invalid-request with the name of the invalid field
 */
export async function setSchedule(
  { db, methods }: SetScheduleParts,
  accountId: string | undefined,
  params: ScheduleParams,
): Promise<StoredSchedule> {
  const after = toStored(methods, params)
  await inTransaction(db, async (tx) => {
    if (params.merchantId !== undefined && (await lockMerchant(tx, params.merchantId)) === undefined) {
      throw failField('/merchantID', 'is not the id of a merchant')
    }
    const before = await lockSchedule(tx, params)
    await saveSchedule(tx, newId(), after)
    await audit(tx, methods, accountId, 'fee.set', params, { before, after })
  })
  return after
}

/** Deletes the schedule of exactly this target. Returns false if there was none. */
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

function toStored(methods: PaymentMethods, params: ScheduleParams): StoredSchedule {
  const { type, merchantId, paymentMethodId } = params
  const percentBasisPoints = parsePercent(params.percent)
  if (percentBasisPoints === undefined) {
    throw failField(
      '/percent',
      'must be a decimal from 0 to 100 with at most 2 decimal places, such as "1.5"',
    )
  }
  return {
    merchantId,
    paymentMethodId,
    schedule: { type, percentBasisPoints, flat: readFlat(methods, params) },
  }
}

function readFlat(
  methods: PaymentMethods,
  { type, paymentMethodId, flat, currency }: ScheduleParams,
): FlatFee {
  const method = paymentMethodId === undefined ? undefined : methods.byId(paymentMethodId)
  if (paymentMethodId !== undefined && method === undefined) {
    throw failField('/paymentMethodID', `must be a payment method, not ${paymentMethodId}`)
  }
  const unit = unitOf(currency === 'USD' ? undefined : method)
  if (currency !== undefined && currency !== unit.currency) {
    throw failField('/currency', `must be ${method === undefined ? 'USD' : `${method.symbol} or USD`}`)
  }
  const amount = parseDecimal(flat, unit.decimals)
  if (amount === undefined) {
    throw failField(
      '/flat',
      `must be a decimal of ${unit.currency} with at most ${unit.decimals} decimal places`,
    )
  }
  if (unit.paymentMethodId !== undefined) return { minor: amount }
  if (type === 'withdrawal' && amount > 0n) {
    const remedy = 'set a paymentMethodID and give the flat fee in its asset'
    throw failField('/flat', `cannot be in USD for withdrawals, because they use no exchange rate: ${remedy}`)
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
