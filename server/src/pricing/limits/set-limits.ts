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

/**
 * An operator's request, with the amounts as the operator typed them. The amounts are in USD if the limit
 * applies to all methods, and in units of the asset if it applies to one method.
 */
export interface LimitParams extends LimitTarget {
  readonly minCollect: string | undefined
  readonly minWithdraw: string | undefined
}

/**
 * Stores one or both minimums. Existing minimums for exactly this target are replaced. A minimum that is not
 * given stays unchanged.
 * @param accountId The operator's account; undefined for a command from the server's own shell.
 * @throws Problem invalid-request with the name of the invalid field
 */
export async function setLimits(
  { db, methods }: SetLimitsParts,
  accountId: string | undefined,
  params: LimitParams,
): Promise<void> {
  const overrides = toOverrides(methods, params)
  if (overrides.length === 0) throw failField('/minCollect', 'is required if minWithdraw is absent')
  await inTransaction(db, async (tx) => {
    if (params.merchantId !== undefined && (await lockMerchant(tx, params.merchantId)) === undefined) {
      throw failField('/merchantID', 'is not the id of a merchant')
    }
    for (const after of overrides) {
      const before = await lockOverride(tx, after)
      await saveOverride(tx, newId(), after)
      await audit(tx, accountId, 'limit.set', after, { before, after })
    }
  })
}

/** Deletes both minimums of exactly this target. Returns false if there was none. */
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

function toOverrides(methods: PaymentMethods, params: LimitParams): readonly LimitOverride[] {
  const { merchantId, paymentMethodId } = params
  const method = paymentMethodId === undefined ? undefined : methods.byId(paymentMethodId)
  if (paymentMethodId !== undefined && method === undefined) {
    throw failField('/paymentMethodID', `must be a payment method, not ${paymentMethodId}`)
  }
  const read = (type: LimitType, pointer: string, text: string | undefined): LimitOverride[] =>
    text === undefined
      ? []
      : [{ merchantId, paymentMethodId, type, minimum: readMinimum(method, pointer, text) }]
  return [
    ...read('collect', '/minCollect', params.minCollect),
    ...read('withdraw', '/minWithdraw', params.minWithdraw),
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
    throw failField(pointer, `must be a decimal of ${symbol} with at most ${decimals} decimal places`)
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
