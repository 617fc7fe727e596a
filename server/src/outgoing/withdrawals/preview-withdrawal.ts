import { type FieldError, Problem } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { formatDecimal } from '../../core/money.ts'
import { balancesOf } from '../../ledger/balance.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import { admitDestination } from './admit-destination.ts'
import {
  chargeFee,
  readWithdrawalMethod,
  type WithdrawalParts,
  type WithdrawalRequest,
} from './create-withdrawal.ts'
import { type ForeignContract, noForeignContract } from './foreign-contracts/foreign-contract.ts'
import { readWithdrawalTerms } from './read-terms.ts'
import { findLookalike } from './store.ts'
import { readAmount } from './withdrawal.ts'

export type PreviewedRequest = Pick<
  WithdrawalRequest,
  'merchantId' | 'address' | 'amount' | 'paymentMethodId'
>

/** The result that a withdrawal would have if it were ordered now. */
export interface WithdrawalPreview {
  readonly method: PaymentMethod
  /** The address in display form. Undefined if money cannot be sent to it. */
  readonly address: string | undefined
  /** The amount and the fee. Undefined if the amount cannot be withdrawn. */
  readonly charged: { readonly amountMinor: bigint; readonly feeMinor: bigint } | undefined
  readonly availableMinor: bigint
  /** A different address that the merchant has paid and that begins and ends like this one. */
  readonly lookalike: string | undefined
  /** The networks on which the address is a contract, or may be one, although it is none on its own. */
  readonly foreignContract: ForeignContract
  /** All errors by field. Empty if the withdrawal can be ordered. */
  readonly errors: readonly FieldError[]
}

/**
 * Checks a withdrawal by the rules of an order, and writes nothing. When the withdrawal is ordered,
 * everything is checked again, because the balance may have changed by then. Sanctions lists are asked only
 * when the withdrawal is ordered, because the answer is recorded then.
 * @throws Problem invalid-request, if the payment method is not enabled
 */
export async function previewWithdrawal(
  parts: Omit<WithdrawalParts, 'orders' | 'screening'> & { readonly db: Db },
  request: PreviewedRequest,
): Promise<WithdrawalPreview> {
  const { db, codecOf } = parts
  const { merchantId } = request
  const method = readWithdrawalMethod(parts, request.paymentMethodId)
  const wanted = { id: newId(), merchantId, address: request.address }
  const destination = await evaluated('/address', async () => admitDestination(parts, db, wanted, method))
  const terms = await readWithdrawalTerms(parts, db, merchantId, method)
  const available = await balancesOf(db, [merchantId], 'available')
  const availableMinor = available.get(merchantId)?.get(method.asset) ?? 0n
  const charged = await evaluated('/amount', async () => {
    const amountMinor = requireAmount(request.amount, method, availableMinor)
    return { amountMinor, feeMinor: chargeFee(amountMinor, terms, method) }
  })
  const { display } = codecOf(method.network)
  const address = 'error' in destination ? undefined : destination.value.address
  const lookalike = address === undefined ? undefined : await findLookalike(db, merchantId, address)
  const foreignContract =
    address === undefined ? noForeignContract : await parts.foreignContracts.find(method.network, address)
  return {
    method,
    address: address && display(address),
    charged: 'error' in charged ? undefined : charged.value,
    availableMinor,
    lookalike: lookalike && display(lookalike),
    foreignContract,
    errors: [destination, charged].flatMap((part) => ('error' in part ? [part.error] : [])),
  }
}

/** @throws Problem invalid-request, insufficient-balance */
function requireAmount(text: string, method: PaymentMethod, availableMinor: bigint): bigint {
  const { decimals, symbol } = method
  const amount = readAmount(text, decimals)
  if ('error' in amount) throw new Problem('invalid-request', `The amount ${amount.error}.`)
  if (amount.amountMinor <= availableMinor) return amount.amountMinor
  const written = `${formatDecimal(availableMinor, decimals)} ${symbol}`
  throw new Problem('insufficient-balance', `Insufficient balance: ${written} available.`)
}

/**
 * Returns the result of a rule. If the rule throws a problem, returns this problem as an error of one field.
 * Errors of status 500 and above are rethrown.
 */
async function evaluated<T>(
  pointer: string,
  rule: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: FieldError }> {
  try {
    return { value: await rule() }
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return { error: { pointer, detail: error.message } }
  }
}
