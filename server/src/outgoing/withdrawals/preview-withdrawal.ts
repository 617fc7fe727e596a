import { type FieldError, Problem } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { formatDecimal } from '../../core/money.ts'
import { balancesOf } from '../../ledger/balance.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import {
  admitDestination,
  chargeFee,
  readWithdrawalMethod,
  type WithdrawalParts,
  type WithdrawalRequest,
} from './create-withdrawal.ts'
import { readWithdrawalTerms } from './read-terms.ts'
import { findLookalike } from './store.ts'
import { readAmount } from './withdrawal.ts'

export type PreviewedRequest = Pick<
  WithdrawalRequest,
  'merchantId' | 'address' | 'amount' | 'paymentMethodId'
>

/** What a withdrawal would come to if it were ordered now. */
export interface WithdrawalPreview {
  readonly method: PaymentMethod
  /** As it is to be shown; undefined where money cannot go there. */
  readonly address: string | undefined
  /** Undefined where the amount cannot be withdrawn. */
  readonly charged: { readonly amountMinor: bigint; readonly feeMinor: bigint } | undefined
  readonly availableMinor: bigint
  /** An address that was paid before, begins and ends alike, and is another. */
  readonly lookalike: string | undefined
  /** All that is wrong with it, by field; empty where it can be ordered. */
  readonly faults: readonly FieldError[]
}

/**
 * Judges a withdrawal by the rules of an order, and writes nothing. An order is judged again: the balance may be another by
 * then, and whether the address is on a sanctions list is only asked there, where the answer is written down.
 * @throws Problem invalid-request for a method that is not enabled
 */
export async function previewWithdrawal(
  parts: Omit<WithdrawalParts, 'orders' | 'screening'> & { readonly db: Db },
  request: PreviewedRequest,
): Promise<WithdrawalPreview> {
  const { db, codecOf } = parts
  const { merchantId } = request
  const method = readWithdrawalMethod(parts, request.paymentMethodId)
  const wanted = { id: newId(), merchantId, address: request.address }
  const destination = await judged('/address', async () => admitDestination(parts, db, wanted, method))
  const terms = await readWithdrawalTerms(parts, db, merchantId, method)
  const available = await balancesOf(db, [merchantId], 'available')
  const availableMinor = available.get(merchantId)?.get(method.asset) ?? 0n
  const charged = await judged('/amount', async () => {
    const amountMinor = requireAmount(request.amount, method, availableMinor)
    return { amountMinor, feeMinor: chargeFee(amountMinor, terms, method) }
  })
  const { display } = codecOf(method.network)
  const address = 'fault' in destination ? undefined : destination.value.address
  const lookalike = address === undefined ? undefined : await findLookalike(db, merchantId, address)
  return {
    method,
    address: address && display(address),
    charged: 'fault' in charged ? undefined : charged.value,
    availableMinor,
    lookalike: lookalike && display(lookalike),
    faults: [destination, charged].flatMap((part) => ('fault' in part ? [part.fault] : [])),
  }
}

/** @throws Problem invalid-request, insufficient-balance */
function requireAmount(text: string, method: PaymentMethod, availableMinor: bigint): bigint {
  const { decimals, symbol } = method
  const amount = readAmount(text, decimals)
  if ('fault' in amount) throw new Problem('invalid-request', `The amount ${amount.fault}.`)
  if (amount.amountMinor <= availableMinor) return amount.amountMinor
  const written = `${formatDecimal(availableMinor, decimals)} ${symbol}`
  throw new Problem('insufficient-balance', `The balance is too small: ${written} available.`)
}

/** What a rule gives, or its refusal as what is wrong with one field. */
async function judged<T>(
  pointer: string,
  rule: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly fault: FieldError }> {
  try {
    return { value: await rule() }
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return { fault: { pointer, detail: error.message } }
  }
}
