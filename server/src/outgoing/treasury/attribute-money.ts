import { required } from '../../core/assert.ts'
import { AlertError, fail, failField } from '../../core/errors.ts'
import { type DeletedMerchant, lockAnyMerchant } from '../../merchants/store.ts'
import { type Deposit, isAmlOk } from '../../payments/deposits/deposit.ts'
import { leaveOutForged, requireGenuine } from '../../payments/deposits/genuine-deposits.ts'
import { bookAttributions } from '../../payments/deposits/unattributed/attribute-deposits.ts'
import {
  hasAttributionMac,
  leaveOutForgedAttributions,
  type MacedAttribution,
} from '../../payments/deposits/unattributed/attribution-mac.ts'
import {
  insertAttributions,
  readAttributions,
} from '../../payments/deposits/unattributed/attribution-store.ts'
import { findKeptApart } from '../../payments/deposits/unattributed/find-kept-apart.ts'
import { lockUnattributed, lockUnattributedOf } from '../../payments/deposits/unattributed/list-store.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import { type Db, macsOf } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import { type FeeDefaults, type FeeTerms, termsFor } from '../../pricing/fees/fee.ts'
import { findSchedules } from '../../pricing/fees/find-schedules.ts'
import type { PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'

export interface AttributeParts {
  readonly db: Db
  readonly methods: PaymentMethods
  readonly feeDefaults: FeeDefaults
}

export interface AttributionParams {
  readonly depositId: string
  /** The merchant that gets the money. Undefined if the money is the operator's own. */
  readonly merchantId: string | undefined
  /** The operator's reason, for the audit log. Required if the sender did not pass screening. */
  readonly reason?: string | undefined
}

/**
 * Attributes the money of an unattributed deposit to a merchant or to the operator. A confirmed deposit is
 * booked at once. A deposit that is not confirmed yet is booked when it is confirmed. Repeating the same
 * attribution changes nothing.
 * @param accountId the operator's account; undefined if the request comes from the server's own shell
 * @throws Problem not-found, invalid-request, already-attributed
 * @throws AlertError if the deposit or its attribution has no valid MAC, so that no process of ours wrote it
 */
export async function attributeMoney(
  parts: AttributeParts,
  accountId: string | undefined,
  { depositId, merchantId, reason }: AttributionParams,
): Promise<Deposit> {
  return inTransaction(parts.db, async (tx) => {
    const deposit = await lockUnattributed(tx, depositId)
    if (deposit === undefined) throw fail('not-found', 'No unattributed transaction has this id.')
    const [said] = await readAttributions(tx, [depositId])
    if (said !== undefined) {
      requireGenuineAttribution(tx, said)
      if (said.merchantId === merchantId) return deposit
      const owner = said.merchantId === undefined ? 'the operator' : `merchant ${said.merchantId}`
      throw fail('already-attributed', `The transaction is already attributed to ${owner}.`)
    }
    requireGenuine(tx, deposit)
    requireReason(deposit, reason)
    if (merchantId !== undefined) await requireMerchant(tx, merchantId)
    const terms = await termsOf(parts, tx, deposit, merchantId)
    const attribution = { depositId, merchantId, terms }
    await insertAttributions(tx, [attribution])
    await bookAttributions(parts.methods, tx, [{ deposit, attribution }])
    await recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      ...(merchantId !== undefined && { merchantId }),
      action: 'treasury.attributed',
      subject: depositId,
      details: {
        to: merchantId === undefined ? 'capital' : 'merchant',
        ...(!isAmlOk(deposit) && { verdict: deposit.verdict, sender: deposit.sender }),
        ...(reason !== undefined && { reason }),
      },
    })
    return deposit
  })
}

/**
 * Attributes deposits to a merchant that was deleted and is now restored. The deposits came to the merchant's
 * addresses while the merchant was deleted. Their fees are those that applied when they came. The function
 * also books deposits that an operator attributed to the deleted merchant, which could not be booked at that
 * time. Deposits on the wrong network stay unattributed, as they would be without the deletion.
 * @returns how many deposits were attributed
 */
export async function attributeToRestored(
  methods: PaymentMethods,
  tx: Tx,
  merchantId: string,
): Promise<number> {
  const locked = await leaveOutForged(tx, await lockUnattributedOf(tx, merchantId))
  const stored = await readAttributions(
    tx,
    locked.map(({ id }) => id),
  )
  const genuine = await leaveOutForgedAttributions(tx, stored)
  const said = new Map(genuine.map((one) => [one.depositId, one]))
  const forged = new Set(stored.filter((one) => !genuine.includes(one)).map((one) => one.depositId))
  const isKeptApart = await findKeptApart(methods, tx, locked)
  const returned = locked
    .filter((deposit) => !forged.has(deposit.id) && (said.has(deposit.id) || !isKeptApart(deposit)))
    .map((deposit) => {
      const own = { depositId: deposit.id, merchantId, terms: ownTerms(deposit) }
      return { deposit, attribution: said.get(deposit.id) ?? own }
    })
  const attributions = returned.map(({ attribution }) => attribution)
  await insertAttributions(tx, attributions)
  await bookAttributions(methods, tx, returned)
  return returned.length
}

/**
 * Requires a reason for the attribution of money whose sender did not pass screening. Money of such a sender
 * is put in quarantine if it comes to a merchant, and a release from quarantine needs a reason too.
 * @throws Problem invalid-request
 */
function requireReason(deposit: Deposit, reason: string | undefined): void {
  if (isAmlOk(deposit) || (reason ?? '') !== '') return
  const why = `is required, because the sender did not pass screening (${deposit.verdict}): give the reason for the attribution`
  throw failField('/reason', why)
}

/**
 * Checks the MAC of a stored attribution.
 * @throws AlertError if no process of ours wrote the attribution
 */
function requireGenuineAttribution(tx: Tx, said: MacedAttribution): void {
  if (hasAttributionMac(macsOf(tx), said)) return
  const detail = `the attribution of transaction ${said.depositId} has no valid MAC of BOOKS_KEY_FILE: no process of Coffer wrote it`
  throw new AlertError('attribution-tampered', detail)
}

/**
 * Returns the merchant and locks it, so that the merchant is not deleted before the money is booked.
 * @throws Problem invalid-request
 */
export async function requireMerchant(tx: Tx, merchantId: string): Promise<DeletedMerchant> {
  const merchant = await lockAnyMerchant(tx, merchantId)
  if (merchant === undefined) throw failField('/merchantID', 'is not the id of a merchant')
  if (merchant.deletedAt !== undefined) throw failField('/merchantID', 'names a merchant that is deleted')
  return merchant
}

function ownTerms({ feePercentBasisPoints, feeFlatMinor }: Deposit): FeeTerms {
  return { percentBasisPoints: feePercentBasisPoints, flatMinor: feeFlatMinor }
}

/**
 * Returns the fees of an attributed deposit. If the deposit came to an address of this merchant, these are
 * the fees that applied when it came. If it came to any other address, these are the fees that the merchant
 * pays now for `onetime` invoices. Money of the operator has no fees.
 */
async function termsOf(
  { methods, feeDefaults }: AttributeParts,
  tx: Tx,
  deposit: Deposit,
  merchantId: string | undefined,
): Promise<FeeTerms> {
  if (merchantId === undefined) return { percentBasisPoints: 0, flatMinor: 0n }
  if (merchantId === deposit.merchantId) return ownTerms(deposit)
  const method = required(methods.byId(deposit.paymentMethodId), 'the method of a transaction')
  const [schedule] = await findSchedules(tx, feeDefaults, [{ merchantId, method, type: 'onetime' }])
  const { priceUsd } = deposit
  return termsFor(required(schedule, 'a fee'), { assetDecimals: method.decimals, priceUsd })
}
