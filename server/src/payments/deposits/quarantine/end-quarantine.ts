import { fail } from '../../../core/errors.ts'
import { forfeit, recoverForClaims } from '../../../ledger/forfeit.ts'
import { post } from '../../../ledger/post.ts'
import { repayReceivable } from '../../../ledger/receivable.ts'
import { lockDeleted } from '../../../merchants/store.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../../platform/db/transaction.ts'
import { appendEvents } from '../../../platform/outbox/append.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Deposit } from '../deposit.ts'
import { confirmedEvent } from '../events.ts'
import { requireGenuine } from '../genuine-deposits.ts'
import { heldClaim, releaseJournal, seizureJournal } from '../journals.ts'
import { type BookedDeposit, book, toConfirmation } from '../recording/book-deposits.ts'
import { settleTouched } from '../settle-touched.ts'
import { saveConfirmations } from '../store.ts'
import { attributeConfirmed } from '../unattributed/attribute-deposits.ts'
import { findKeptApart } from '../unattributed/find-kept-apart.ts'
import { lockDeposits, markSeized } from './store.ts'

export interface EndQuarantineParts {
  readonly db: Db
  readonly methods: PaymentMethods
}

/** An operator's decision about one deposit in quarantine. */
export interface QuarantineDecision {
  readonly depositId: string
  readonly outcome: 'released' | 'seized'
  /** The operator's account. Absent if the decision was made with a command on the server. */
  readonly accountId?: string
  /** The reason that is written to the audit log. */
  readonly reason?: string | undefined
}

/**
 * Releases a held deposit to its merchant, or seizes it permanently. A release charges the fee that was
 * agreed when the deposit was recorded. Repeating the same decision changes nothing.
 * @throws Problem not-found, quarantine-ended
 */
export async function endQuarantine(
  { db, methods }: EndQuarantineParts,
  { depositId, outcome, accountId, reason }: QuarantineDecision,
): Promise<Deposit> {
  return inTransaction(db, async (tx) => {
    const [found] = await lockDeposits(tx, [depositId])
    if (found?.quarantine === undefined) throw fail('not-found', 'No such transaction in quarantine.')
    if (found.quarantine === outcome) return found
    requireGenuine(tx, found)
    if (found.quarantine !== 'held') {
      throw fail('quarantine-ended', `The payment was already ${found.quarantine}.`)
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
 * Books held deposits as if their payers had passed screening, and appends the events. The caller must have
 * locked the deposits. To avoid deadlocks, other locks are taken in the same order as when a block confirms
 * deposits.
 */
export async function release(methods: PaymentMethods, tx: Tx, held: readonly Deposit[]): Promise<void> {
  if (held.length === 0) return
  const released = held.map((deposit): Deposit => ({ ...deposit, quarantine: 'released' }))
  const deleted = await lockDeleted(tx, [...new Set(held.flatMap(({ merchantId }) => merchantId ?? []))])
  const isKeptApart = await findKeptApart(methods, tx, released)
  const booked = await book(methods, tx, released, releaseJournal, isKeptApart)
  await saveConfirmations(tx, booked.map(toConfirmation))
  const invoiceEvents = await settleTouched(methods, tx, released)
  await recoverHeld(tx, held, deleted)
  const attributed = await attributeConfirmed(
    methods,
    tx,
    released.filter((deposit) => isKeptApart(deposit)),
  )
  const journals = [...booked.map(({ journal }) => journal), ...attributed]
  await post(tx, journals)
  await repayReceivable(tx, journals)
  // Money that is credited to a deleted merchant moves on to its `forfeited` account.
  for (const ownerId of deleted) {
    const last = released.findLast(({ merchantId }) => merchantId === ownerId)
    await forfeit(tx, { ownerId, subject: `released:${last?.id}:${last?.inclusion}` })
  }
  const splits = new Map(booked.map((one): [string, BookedDeposit['split']] => [one.depositId, one.split]))
  await appendEvents(tx, [
    ...invoiceEvents,
    ...released.flatMap((deposit) => {
      const split = splits.get(deposit.id)
      return confirmedEvent(methods, {
        ...deposit,
        feeMinor: split?.feeMinor,
        netMinor: split?.netMinor,
      })
    }),
  ])
}

async function seize(tx: Tx, held: Deposit): Promise<void> {
  await markSeized(tx, held.id)
  const owners = held.merchantId === undefined ? [] : [held.merchantId]
  await recoverHeld(tx, [held], await lockDeleted(tx, owners))
  await post(tx, [seizureJournal(held)])
}

/**
 * Moves the quarantined money of deleted merchants from their `forfeited` accounts back to quarantine. The
 * deletion of a merchant moves all its money to `forfeited`.
 */
async function recoverHeld(tx: Tx, held: readonly Deposit[], deleted: ReadonlySet<string>): Promise<void> {
  const claims = held.flatMap(heldClaim)
  await recoverForClaims(
    tx,
    claims.filter(({ ownerId }) => deleted.has(ownerId)),
  )
}
