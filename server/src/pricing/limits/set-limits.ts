import { failField } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { formatDecimal, parseDecimal, usdDecimals } from '../../core/money.ts'
import { lockMerchant } from '../../merchants/store.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethod, PaymentMethods } from '../payment-methods/payment-method.ts'
import { type LimitKey, type LimitOverride, type LimitType, limitTypes } from './limit.ts'
import { deleteOverride, lockOverride, saveOverride } from './store.ts'

export interface SetLimitsParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

export type LimitTarget = Omit<LimitKey, 'type'>

/** What an operator asks for, as typed: in USD for all methods, in the asset for one. */
export interface LimitWish extends LimitTarget {
  readonly minCollect: string | undefined
  readonly minWithdraw: string | undefined
}

/**
 * Stores one figure or both in place of what was set for exactly this target; a figure that is not given stays.
 * @param accountId who asks; absent from the server's own shell
 * @throws Problem invalid-request naming the field that cannot be
 */
export async function setLimits(
  { db, methods }: SetLimitsParts,
  accountId: string | undefined,
  wish: LimitWish,
): Promise<void> {
  const overrides = toOverrides(methods, wish)
  if (overrides.length === 0) throw failField('/minCollect', 'send minCollect, minWithdraw or both')
  await inTransaction(db, async (tx) => {
    if (wish.merchantId !== undefined && (await lockMerchant(tx, wish.merchantId)) === undefined) {
      throw failField('/merchantID', 'there is no such merchant')
    }
    for (const after of overrides) {
      const before = await lockOverride(tx, after)
      await saveOverride(tx, newId(), after)
      await audit(tx, accountId, 'limit.set', after, { before, after })
    }
  })
}

/** Takes back both figures set for exactly this target; false where nothing was. */
export function unsetLimits(
  { db }: SetLimitsParts,
  accountId: string | undefined,
  target: LimitTarget,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    let wasSet = false
    for (const type of limitTypes) {
      const key = { ...target, type }
      const before = await lockOverride(tx, key)
      if (before === undefined) continue
      wasSet = true
      await deleteOverride(tx, key)
      await audit(tx, accountId, 'limit.unset', key, { before, after: undefined })
    }
    return wasSet
  })
}

function toOverrides(methods: PaymentMethods, wish: LimitWish): readonly LimitOverride[] {
  const { merchantId, paymentMethodId } = wish
  const method = paymentMethodId === undefined ? undefined : methods.byId(paymentMethodId)
  if (paymentMethodId !== undefined && method === undefined) {
    throw failField('/paymentMethodID', `${paymentMethodId} is no payment method`)
  }
  const read = (type: LimitType, pointer: string, text: string | undefined): LimitOverride[] =>
    text === undefined
      ? []
      : [{ merchantId, paymentMethodId, type, minimum: readMinimum(method, pointer, text) }]
  return [
    ...read('collect', '/minCollect', wish.minCollect),
    ...read('withdraw', '/minWithdraw', wish.minWithdraw),
  ]
}

function readMinimum(
  method: PaymentMethod | undefined,
  pointer: string,
  text: string,
): LimitOverride['minimum'] {
  const { symbol, decimals } = method ?? { symbol: 'USD', decimals: usdDecimals }
  const minimum = parseDecimal(text, decimals)
  if (minimum === undefined) {
    throw failField(pointer, `must be a decimal of ${symbol} with at most ${decimals} places`)
  }
  return method === undefined ? { usd: minimum } : { minor: minimum }
}

async function audit(
  tx: Tx,
  accountId: string | undefined,
  action: 'limit.set' | 'limit.unset',
  { merchantId, paymentMethodId, type }: LimitKey,
  { before, after }: { before: LimitOverride | undefined; after: LimitOverride | undefined },
): Promise<void> {
  await recordAudit(tx, {
    ...(accountId !== undefined && { accountId }),
    ...(merchantId !== undefined && { merchantId }),
    action,
    subject: `${type}/${paymentMethodId ?? 'every method'}`,
    details: { before: before && figureOf(before), after: after && figureOf(after) },
  })
}

function figureOf({ minimum }: LimitOverride) {
  return 'usd' in minimum
    ? { usd: formatDecimal(minimum.usd, usdDecimals) }
    : { minor: minimum.minor.toString() }
}
