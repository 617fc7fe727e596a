import type { AddressCodec } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { fail, failField } from '../../core/errors.ts'
import { formatDecimal } from '../../core/money.ts'
import type { Screening } from '../../payments/screening/screen.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { Caller } from '../../platform/http/auth.ts'
import { charge } from '../../pricing/fees/fee.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import type { OrderSigner } from '../../signing/order-signature.ts'
import { admitDestination } from './admit-destination.ts'
import type { ForeignContracts } from './foreign-contracts/find-foreign-contracts.ts'
import { refuseForeignContract } from './foreign-contracts/refuse-foreign-contract.ts'
import { orderWithdrawal } from './order-withdrawal.ts'
import { readWithdrawalTerms, type WithdrawalTerms, type WithdrawalTermsParts } from './read-terms.ts'
import { refuseListed } from './refuse-listed.ts'
import { refuseLookalike } from './refuse-lookalike.ts'
import { findWithdrawal } from './store.ts'
import { readAmount, type Withdrawal } from './withdrawal.ts'

export interface WithdrawalParts extends WithdrawalTermsParts {
  readonly db: Db
  readonly screening: Screening
  /** Signs new orders. */
  readonly orders: OrderSigner
  readonly foreignContracts: ForeignContracts
  codecOf(network: string): AddressCodec
}

export interface WithdrawalRequest {
  readonly id: string
  readonly merchantId: string
  /** The address as the user typed it. */
  readonly address: string
  readonly amount: string
  readonly paymentMethodId: number
  /** Whether the merchant confirms the address although it resembles an earlier one. */
  readonly confirmsLookalike?: boolean | undefined
  /** Whether the merchant confirms the address although it is a contract on another network only. */
  readonly confirmsNetwork?: boolean | undefined
}

/**
 * Stores a merchant's order to send an amount of its balance, less the fee. The amount is held from now on. A
 * repeated call with the same id returns the withdrawal that the first call created.
 * @throws Problem invalid-request, invalid-address, below-minimum, fee-exceeds-amount, listed-address,
 * lookalike-address, contract-elsewhere, insufficient-balance, payouts-frozen, too-many-withdrawals
 */
export async function createWithdrawal(
  parts: WithdrawalParts,
  caller: Caller,
  request: WithdrawalRequest,
): Promise<Withdrawal> {
  const { db, codecOf } = parts
  const { id, merchantId } = request
  const method = readWithdrawalMethod(parts, request.paymentMethodId)
  const amount = readAmount(request.amount, method.decimals)
  if ('error' in amount) throw failField('/amount', amount.error)
  const { amountMinor } = amount
  const destination = await admitDestination(parts, db, request, method)
  if (destination.isMade) return required(await findWithdrawal(db, merchantId, id), 'an existing withdrawal')
  const terms = await readWithdrawalTerms(parts, db, merchantId, method)
  const feeMinor = chargeFee(amountMinor, terms, method)
  const { address } = destination
  const wanted = { id, merchantId, address, amountMinor, feeMinor, invoiceId: undefined }
  const accountId = caller.type === 'account' ? caller.accountId : undefined
  await refuseListed(parts, method.network, { id, merchantId, address, accountId })
  const { display } = codecOf(method.network)
  const chosen = { id, merchantId, network: method.network, address, accountId }
  await refuseLookalike({ db, display }, { ...chosen, isConfirmed: request.confirmsLookalike === true })
  await refuseForeignContract(parts, { ...chosen, isConfirmed: request.confirmsNetwork === true })
  return inTransaction(db, (tx) => orderWithdrawal(parts, tx, method, wanted, accountId))
}

/**
 * Returns the enabled payment method with this id.
 * @throws Problem invalid-request, if there is no such method
 */
export function readWithdrawalMethod(
  { methods }: Pick<WithdrawalParts, 'methods'>,
  paymentMethodId: number,
): PaymentMethod {
  const method = methods.followedById(paymentMethodId)
  if (method !== undefined) return method
  const detail = `must be an enabled payment method, not ${paymentMethodId}; see GET /payment-methods`
  throw failField('/paymentMethodID', detail)
}

/**
 * Returns the fee of a withdrawal.
 * @throws Problem below-minimum, fee-exceeds-amount
 */
export function chargeFee(
  amountMinor: bigint,
  { fee, minimumMinor }: WithdrawalTerms,
  { decimals, symbol }: PaymentMethod,
): bigint {
  const written = (minor: bigint) => `${formatDecimal(minor, decimals)} ${symbol}`
  if (amountMinor < minimumMinor) {
    throw fail('below-minimum', `The minimum withdrawal is ${written(minimumMinor)}.`)
  }
  const { feeMinor, netMinor } = charge(amountMinor, fee, decimals)
  if (netMinor === 0n) {
    throw fail(
      'fee-exceeds-amount',
      `The fee would take the whole amount of ${written(amountMinor)}; withdraw more.`,
    )
  }
  return feeMinor
}
