import { required } from '../../../core/assert.ts'
import type { Claim } from '../../../ledger/forfeit.ts'
import type { Journal } from '../../../ledger/journal.ts'
import type { Reversal } from '../../../ledger/reverse.ts'
import { findJournals } from '../../../ledger/store.ts'
import { lockDeleted } from '../../../merchants/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Transaction } from '../deposit.ts'
import { attributionJournal, attributionReversal, subjectOf } from '../journals.ts'
import { leaveOutForgedAttributions } from './attribution-mac.ts'
import { attributeCapital, readAttributions } from './attribution-store.ts'

/**
 * What to post, in the transaction that books deposits as unattributed, for those whose owner is known: funds of our own,
 * and what an operator assigned before a reorganisation took it back. A merchant that was deleted since gets nothing.
 */
export async function attributeConfirmed(
  methods: PaymentMethods,
  tx: Tx,
  unattributed: readonly Transaction[],
): Promise<readonly Journal[]> {
  if (unattributed.length === 0) return []
  const ids = unattributed.map(({ id }) => id)
  await attributeCapital(tx, ids)
  const attributions = await leaveOutForgedAttributions(tx, await readAttributions(tx, ids))
  const deleted = await lockDeleted(tx, [
    ...new Set(attributions.flatMap(({ merchantId }) => merchantId ?? [])),
  ])
  const byId = new Map(unattributed.map((transaction) => [transaction.id, transaction]))
  return attributions
    .filter(({ merchantId }) => merchantId === undefined || !deleted.has(merchantId))
    .map((attribution) => {
      const transaction = required(byId.get(attribution.transactionId), 'an attributed transaction')
      const { decimals } = required(methods.byId(transaction.paymentMethodId), 'the method of a transaction')
      return attributionJournal(transaction, attribution, decimals)
    })
}

/** What attributions of deposits that leave their blocks have booked. */
export interface BookedAttributions {
  readonly reversals: readonly Reversal[]
  /** What merchants got by them. */
  readonly credits: readonly Claim[]
}

export async function findAttributed(tx: Tx, undone: readonly Transaction[]): Promise<BookedAttributions> {
  const unattributed = undone.filter(
    ({ state, netMinor, belowMinimum }) => state === 'confirmed' && netMinor === undefined && !belowMinimum,
  )
  if (unattributed.length === 0) return { reversals: [], credits: [] }
  const subjects = unattributed.map((transaction) => subjectOf('attributed', transaction))
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
