import { fail } from '../../../core/errors.ts'
import { forfeit, recoverForClaims } from '../../../ledger/forfeit.ts'
import { post } from '../../../ledger/post.ts'
import { repaySuspense } from '../../../ledger/suspense.ts'
import { lockDeleted } from '../../../merchants/store.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import { appendEvents } from '../../../platform/outbox/append.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Transaction } from '../deposit.ts'
import { confirmedEvent } from '../events.ts'
import { requireGenuine } from '../genuine-deposits.ts'
import { heldClaim, releaseJournal, seizureJournal } from '../journals.ts'
import { type BookedDeposit, book, toConfirmation } from '../recording/book-deposits.ts'
import { settleTouched } from '../settle-touched.ts'
import { saveConfirmations } from '../store.ts'
import { lockTransactions, markSeized } from './store.ts'

export interface EndQuarantineParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

/** An operator's decision on one deposit. */
export interface QuarantineDecision {
  readonly transactionId: string
  readonly outcome: 'released' | 'seized'
  /** Absent from the server's shell. */
  readonly accountId?: string
  /** For the audit log. */
  readonly reason?: string | undefined
}

/**
 * Gives what is held to its merchant after all, less the fee agreed when it came in, or takes it for good. Deciding the
 * same again changes nothing.
 * @throws Problem not-found, quarantine-ended
 */
export async function endQuarantine(
  { db, methods }: EndQuarantineParts,
  { transactionId, outcome, accountId, reason }: QuarantineDecision,
): Promise<Transaction> {
  return inTransaction(db, async (tx) => {
    const [found] = await lockTransactions(tx, [transactionId])
    if (found?.quarantine === undefined) throw fail('not-found', 'No such transaction in quarantine.')
    if (found.quarantine === outcome) return found
    requireGenuine(tx, found)
    if (found.quarantine !== 'held') {
      throw fail('quarantine-ended', `The payment was ${found.quarantine} before.`)
    }
    const { merchantId } = found
    await recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      ...(merchantId !== undefined && { merchantId }),
      action: `quarantine.${outcome}`,
      subject: found.id,
      details: { verdict: found.verdict, sender: found.sender, ...(reason !== undefined && { reason }) },
    })
    if (outcome === 'released') await release(methods, tx, [found])
    else await seize(tx, found)
    return { ...found, quarantine: outcome }
  })
}

/**
 * Books locked deposits that are held as they would have been booked had their sender passed, and tells of it: the one
 * order of locks is that of a block, which confirms deposits the same way.
 */
export async function release(methods: PaymentMethods, tx: Tx, held: readonly Transaction[]): Promise<void> {
  if (held.length === 0) return
  const released = held.map((transaction): Transaction => ({ ...transaction, quarantine: 'released' }))
  const deleted = await lockDeleted(tx, [...new Set(held.flatMap(({ merchantId }) => merchantId ?? []))])
  const booked = await book(methods, tx, released, releaseJournal, () => false)
  await saveConfirmations(tx, booked.map(toConfirmation))
  const invoiceEvents = await settleTouched(methods, tx, released)
  await recoverHeld(tx, held, deleted)
  const journals = booked.map(({ journal }) => journal)
  await post(tx, journals)
  await repaySuspense(tx, journals)
  // What a deleted merchant is given is kept with all it left.
  for (const ownerId of deleted) {
    const last = released.findLast(({ merchantId }) => merchantId === ownerId)
    await forfeit(tx, { ownerId, subject: `released:${last?.id}:${last?.inclusion}` })
  }
  const splits = new Map(
    booked.map((one): [string, BookedDeposit['split']] => [one.transactionId, one.split]),
  )
  await appendEvents(tx, [
    ...invoiceEvents,
    ...released.flatMap((transaction) => {
      const split = splits.get(transaction.id)
      return confirmedEvent(methods, {
        ...transaction,
        feeMinor: split?.feeMinor,
        netMinor: split?.netMinor,
      })
    }),
  ])
}

async function seize(tx: Tx, held: Transaction): Promise<void> {
  await markSeized(tx, held.id)
  const owners = held.merchantId === undefined ? [] : [held.merchantId]
  await recoverHeld(tx, [held], await lockDeleted(tx, owners))
  await post(tx, [seizureJournal(held)])
}

/** Of deleted merchants, whose quarantine was forfeited with all they had. */
async function recoverHeld(
  tx: Tx,
  held: readonly Transaction[],
  deleted: ReadonlySet<string>,
): Promise<void> {
  const claims = held.flatMap(heldClaim)
  await recoverForClaims(
    tx,
    claims.filter(({ ownerId }) => deleted.has(ownerId)),
  )
}
