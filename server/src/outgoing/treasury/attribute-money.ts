import { required } from '../../core/assert.ts'
import { AlertError, fail, failField } from '../../core/errors.ts'
import { post } from '../../ledger/post.ts'
import { repaySuspense } from '../../ledger/suspense.ts'
import { lockAnyMerchant } from '../../merchants/store.ts'
import { isAmlOk, type Transaction } from '../../payments/deposits/deposit.ts'
import { leaveOutForged, requireGenuine } from '../../payments/deposits/genuine-deposits.ts'
import { type Attribution, attributionJournal } from '../../payments/deposits/journals.ts'
import {
  hasAttributionMac,
  leaveOutForgedAttributions,
  type MacedAttribution,
} from '../../payments/deposits/unattributed/attribution-mac.ts'
import {
  insertAttributions,
  readAttributions,
} from '../../payments/deposits/unattributed/attribution-store.ts'
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

export interface AttributionWish {
  readonly transactionId: string
  /** Undefined for the operator's own money. */
  readonly merchantId: string | undefined
  /** For the audit log; needed where the sender did not pass screening. */
  readonly reason?: string | undefined
}

/**
 * Says whose the money of an unattributed transaction is. It is booked at once where the transaction is confirmed, else
 * when it is. Said again it is done already.
 * @param accountId who says so; absent from the server's own shell
 * @throws Problem not-found, invalid-request, already-attributed
 * @throws AlertError where the deposit, or what is said of it, was written by no process of ours
 */
export async function attributeMoney(
  parts: AttributeParts,
  accountId: string | undefined,
  { transactionId, merchantId, reason }: AttributionWish,
): Promise<Transaction> {
  return inTransaction(parts.db, async (tx) => {
    const transaction = await lockUnattributed(tx, transactionId)
    if (transaction === undefined) throw fail('not-found', 'No unattributed transaction has this id.')
    const [said] = await readAttributions(tx, [transactionId])
    if (said !== undefined) {
      requireGenuineAttribution(tx, said)
      if (said.merchantId === merchantId) return transaction
      const whose = said.merchantId === undefined ? 'the operator' : `merchant ${said.merchantId}`
      throw fail('already-attributed', `It was said to belong to ${whose}.`)
    }
    requireGenuine(tx, transaction)
    requireReason(transaction, reason)
    if (merchantId !== undefined) await requireMerchant(tx, merchantId)
    const terms = await termsOf(parts, tx, transaction, merchantId)
    const attribution = { transactionId, merchantId, terms }
    await insertAttributions(tx, [attribution])
    await book(parts.methods, tx, [{ transaction, attribution }])
    await recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      ...(merchantId !== undefined && { merchantId }),
      action: 'treasury.attributed',
      subject: transactionId,
      details: {
        to: merchantId === undefined ? 'capital' : 'merchant',
        ...(!isAmlOk(transaction) && { verdict: transaction.verdict, sender: transaction.sender }),
        ...(reason !== undefined && { reason }),
      },
    })
    return transaction
  })
}

/**
 * What came to a merchant while it was deleted is its own again, under the fees that held when it came; so is what an
 * operator had assigned to it and could not be booked, as it was deleted.
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
  const said = new Map(genuine.map((one) => [one.transactionId, one]))
  const forged = new Set(stored.filter((one) => !genuine.includes(one)).map((one) => one.transactionId))
  const returned = locked
    .filter(({ id }) => !forged.has(id))
    .map((transaction) => {
      const own = { transactionId: transaction.id, merchantId, terms: ownTerms(transaction) }
      return { transaction, attribution: said.get(transaction.id) ?? own }
    })
  const attributions = returned.map(({ attribution }) => attribution)
  await insertAttributions(tx, attributions)
  await book(methods, tx, returned)
  return returned.length
}

async function book(
  methods: PaymentMethods,
  tx: Tx,
  said: readonly { readonly transaction: Transaction; readonly attribution: Attribution }[],
): Promise<void> {
  const journals = said
    .filter(({ transaction }) => transaction.state === 'confirmed')
    .map(({ transaction, attribution }) => {
      const { decimals } = required(methods.byId(transaction.paymentMethodId), 'the method of a transaction')
      return attributionJournal(transaction, attribution, decimals)
    })
  await post(tx, journals)
  await repaySuspense(tx, journals)
}

/** Such money would be in quarantine if it had come to a merchant: letting it go is a decision as there. */
function requireReason(transaction: Transaction, reason: string | undefined): void {
  if (isAmlOk(transaction) || (reason ?? '') !== '') return
  const why = `its sender did not pass screening (${transaction.verdict}): say why it may be given away`
  throw failField('/reason', why)
}

/** @throws AlertError */
function requireGenuineAttribution(tx: Tx, said: MacedAttribution): void {
  if (hasAttributionMac(macsOf(tx), said)) return
  const detail = `the attribution of transaction ${said.transactionId} carries no MAC of BOOKS_KEY_FILE: no process of ours wrote it`
  throw new AlertError('attribution-tampered', detail)
}

/** Held, so that it is not deleted before its money is booked. */
async function requireMerchant(tx: Tx, merchantId: string): Promise<void> {
  const merchant = await lockAnyMerchant(tx, merchantId)
  if (merchant === undefined) throw failField('/merchantID', 'there is no such merchant')
  if (merchant.deletedAt !== undefined) throw failField('/merchantID', 'this merchant is deleted')
}

function ownTerms({ feePercentBasisPoints, feeFlatMinor }: Transaction): FeeTerms {
  return { percentBasisPoints: feePercentBasisPoints, flatMinor: feeFlatMinor }
}

/** As for any single payment: what was agreed when it came, where it came for that merchant, else what holds now. */
async function termsOf(
  { methods, feeDefaults }: AttributeParts,
  tx: Tx,
  transaction: Transaction,
  merchantId: string | undefined,
): Promise<FeeTerms> {
  if (merchantId === undefined) return { percentBasisPoints: 0, flatMinor: 0n }
  if (merchantId === transaction.merchantId) return ownTerms(transaction)
  const method = required(methods.byId(transaction.paymentMethodId), 'the method of a transaction')
  const [schedule] = await findSchedules(tx, feeDefaults, [{ merchantId, method, type: 'onetime' }])
  const { priceUsd } = transaction
  return termsFor(required(schedule, 'a fee'), { assetDecimals: method.decimals, priceUsd })
}
