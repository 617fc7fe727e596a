import { required } from '../../../core/assert.ts'
import type { Claim } from '../../../ledger/forfeit.ts'
import type { Journal } from '../../../ledger/journal.ts'
import { post } from '../../../ledger/post.ts'
import { repayReceivable } from '../../../ledger/receivable.ts'
import type { Reversal } from '../../../ledger/reverse.ts'
import { findJournals } from '../../../ledger/store.ts'
import { lockDeleted } from '../../../merchants/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Deposit } from '../deposit.ts'
import { type Attribution, attributionJournal, attributionReversal, subjectOf } from '../journals.ts'
import { leaveOutForgedAttributions } from './attribution-mac.ts'
import { attributeCapital, readAttributions } from './attribution-store.ts'

/**
 * Returns the journals for unattributed deposits whose owner is already decided. The caller posts the
 * journals in the transaction that books the deposits. A deposit is the operator's capital if a registered
 * source sent it. An operator may also have attributed it earlier, for example before a reorganisation.
 * Deposits of a merchant that was deleted in the meantime get no journal.
 */
export async function attributeConfirmed(
  methods: PaymentMethods,
  tx: Tx,
  unattributed: readonly Deposit[],
): Promise<readonly Journal[]> {
  if (unattributed.length === 0) return []
  const ids = unattributed.map(({ id }) => id)
  await attributeCapital(tx, ids)
  const attributions = await leaveOutForgedAttributions(tx, await readAttributions(tx, ids))
  const deleted = await lockDeleted(tx, [
    ...new Set(attributions.flatMap(({ merchantId }) => merchantId ?? [])),
  ])
  const byId = new Map(unattributed.map((deposit) => [deposit.id, deposit]))
  return attributions
    .filter(({ merchantId }) => merchantId === undefined || !deleted.has(merchantId))
    .map((attribution) => {
      const deposit = required(byId.get(attribution.depositId), 'an attributed transaction')
      const { decimals } = required(methods.byId(deposit.paymentMethodId), 'the method of a transaction')
      return attributionJournal(deposit, attribution, decimals)
    })
}

/**
 * Posts the journals of attributions that were just decided. A deposit that is not confirmed is left out,
 * because its confirmation posts the journal.
 */
export async function bookAttributions(
  methods: PaymentMethods,
  tx: Tx,
  decided: readonly { readonly deposit: Deposit; readonly attribution: Attribution }[],
): Promise<void> {
  const journals = decided
    .filter(({ deposit }) => deposit.state === 'confirmed')
    .map(({ deposit, attribution }) => {
      const { decimals } = required(methods.byId(deposit.paymentMethodId), 'the method of a transaction')
      return attributionJournal(deposit, attribution, decimals)
    })
  await post(tx, journals)
  await repayReceivable(tx, journals)
}

/** The bookings of attributions, for deposits that leave their blocks. */
export interface BookedAttributions {
  readonly reversals: readonly Reversal[]
  /** The amounts that the attributions credited to merchants. */
  readonly credits: readonly Claim[]
}

export async function findAttributed(tx: Tx, undone: readonly Deposit[]): Promise<BookedAttributions> {
  const unattributed = undone.filter(
    ({ state, netMinor, belowMinimum }) => state === 'confirmed' && netMinor === undefined && !belowMinimum,
  )
  if (unattributed.length === 0) return { reversals: [], credits: [] }
  const subjects = unattributed.map((deposit) => subjectOf('attributed', deposit))
  const journals = await findJournals(tx, subjects)
  return {
    reversals: journals.map(attributionReversal),
    credits: journals.flatMap(({ subject, lines }) =>
      lines.flatMap(({ account: { name, ownerId, asset }, creditMinor }): Claim[] =>
        name === 'available' && ownerId !== undefined
          ? [{ ownerId, asset, amountMinor: creditMinor, subject: `recovered:${subject}` }]
          : [],
      ),
    ),
  }
}
