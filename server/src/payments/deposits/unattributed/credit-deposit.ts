import { AlertError, fail } from '../../../core/errors.ts'
import { lockAnyMerchant } from '../../../merchants/store.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import { type Db, macsOf } from '../../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import type { Caller } from '../../../platform/http/auth.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Deposit } from '../deposit.ts'
import { requireGenuine } from '../genuine-deposits.ts'
import { lockDeposits } from '../quarantine/store.ts'
import { findDeposit } from '../store.ts'
import { isBookedUnattributed, isOnWrongNetwork, mayBeCredited } from '../wrong-network.ts'
import { bookAttributions } from './attribute-deposits.ts'
import { hasAttributionMac } from './attribution-mac.ts'
import { insertAttributions, readAttributions } from './attribution-store.ts'

export interface CreditDepositParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

/** A merchant's decision to have a payment on the wrong network credited. */
export interface CreditDecision {
  readonly caller: Caller
  readonly merchantId: string
  readonly depositId: string
}

/**
 * Credits a merchant with a confirmed payment on the wrong network, less the fee that was agreed when the payment
 * was first seen. The invoice is not paid by it. The decision is stored as an attribution, so it applies again
 * if a reorganisation moves the payment to another block. Repeating the decision changes nothing.
 * @throws Problem not-found, transaction-not-creditable
 * @throws AlertError if the deposit or its attribution has no valid MAC
 */
export function creditDeposit(
  { db, methods }: CreditDepositParts,
  { caller, merchantId, depositId }: CreditDecision,
): Promise<Deposit> {
  return inTransaction(db, async (tx) => {
    const shown = await findDeposit(tx, merchantId, depositId)
    const [deposit] = shown === undefined ? [] : await lockDeposits(tx, [shown.id])
    if (deposit === undefined || deposit.merchantId !== merchantId) {
      throw fail('not-found', 'No such transaction.')
    }
    if (await isAttributed(tx, deposit, merchantId)) return deposit
    requireCreditable(methods, deposit)
    requireGenuine(tx, deposit)
    const merchant = await lockAnyMerchant(tx, merchantId)
    if (merchant === undefined || merchant.deletedAt !== undefined) {
      throw fail('not-found', 'No such merchant.')
    }
    const terms = { percentBasisPoints: deposit.feePercentBasisPoints, flatMinor: deposit.feeFlatMinor }
    const attribution = { depositId: deposit.id, merchantId, terms }
    await insertAttributions(tx, [attribution])
    await bookAttributions(methods, tx, [{ deposit, attribution }])
    await recordAudit(tx, {
      ...(caller.type === 'account' && { accountId: caller.accountId }),
      merchantId,
      action: 'transaction.credited',
      subject: deposit.id,
      details: { network: deposit.network, txHash: deposit.txHash },
    })
    return deposit
  })
}

/**
 * Returns whether the deposit is already attributed to its merchant.
 * @throws Problem transaction-not-creditable if an operator attributed it to somebody else
 */
async function isAttributed(tx: Tx, deposit: Deposit, merchantId: string): Promise<boolean> {
  const [attribution] = await readAttributions(tx, [deposit.id])
  if (attribution === undefined) return false
  if (!hasAttributionMac(macsOf(tx), attribution)) {
    const detail = `the attribution of transaction ${deposit.id} has no valid MAC of BOOKS_KEY_FILE: no process of Coffer wrote it`
    throw new AlertError('attribution-tampered', detail)
  }
  if (attribution.merchantId === merchantId) return true
  throw refuse('An operator has already decided who owns this payment.')
}

function requireCreditable(methods: PaymentMethods, deposit: Deposit): void {
  if (!isOnWrongNetwork(methods, deposit)) {
    throw refuse('The payment is not on the wrong network: it is credited when it is confirmed.')
  }
  if (deposit.state !== 'confirmed') throw refuse('The payment is not confirmed yet.')
  if (deposit.quarantine === 'held' || deposit.quarantine === 'seized') {
    throw refuse('The payment is in quarantine, because its sender did not pass screening.')
  }
  if (!isBookedUnattributed(deposit)) throw refuse('The payment is already credited.')
  if (!mayBeCredited(methods, deposit)) {
    throw refuse('The payment is below the minimum or in an asset that only an operator can attribute.')
  }
}

function refuse(detail: string) {
  return fail('transaction-not-creditable', detail)
}
