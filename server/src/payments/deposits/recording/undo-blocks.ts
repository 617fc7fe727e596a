import { dropCoinsAbove } from '../../../chains/outputs/store.ts'
import { type Claim, recoverForClaims } from '../../../ledger/forfeit.ts'
import type { Journal } from '../../../ledger/journal.ts'
import { OverdraftError, post, type Shortfall } from '../../../ledger/post.ts'
import { mirrorsOf } from '../../../ledger/reverse.ts'
import { lockDeleted } from '../../../merchants/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { appendEvents } from '../../../platform/outbox/append.ts'
import type { NewEvent } from '../../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Transaction } from '../deposit.ts'
import { restoredEvent, revertedEvent } from '../events.ts'
import { depositReversals, heldClaim } from '../journals.ts'
import { settleTouched } from '../settle-touched.ts'
import { lockAbove, takeOutOfBlocks } from '../store.ts'
import { type BookedAttributions, findAttributed } from '../unattributed/attribute-deposits.ts'
import { restoreReplaced } from '../waiting/store.ts'

export interface UndoBlocksParts {
  readonly methods: PaymentMethods
  /** Posts journals for which merchants lack what `shortfalls` say; the events to append. `withdrawals/` supplies it. */
  postCovered(
    methods: PaymentMethods,
    tx: Tx,
    journals: readonly Journal[],
    shortfalls: readonly Shortfall[],
  ): Promise<readonly NewEvent[]>
}

/**
 * Takes back what the blocks above `height` meant, inside the transaction that also cuts the cursor back: credits
 * by mirror journals, never by deletion; transactions to pending without a block; invoices derived anew.
 * @returns how many transactions left their blocks
 */
export async function undoBlocksAbove(
  parts: UndoBlocksParts,
  tx: Tx,
  network: string,
  height: number,
): Promise<number> {
  const { methods } = parts
  await dropCoinsAbove(tx, network, height)
  const undone = await lockAbove(tx, network, height)
  const restoredEvents = await restore(methods, tx, network, height)
  if (undone.length === 0) {
    await appendEvents(tx, restoredEvents)
    return 0
  }
  const now = await takeOutOfBlocks(tx, network, height)
  const invoiceEvents = await settleTouched(methods, tx, undone)
  const attributed = await findAttributed(tx, undone)
  await returnForfeited(tx, undone, attributed)
  const coverEvents = await takeBack(parts, tx, undone, attributed)
  await appendEvents(tx, [
    ...undone.flatMap((transaction) => revertedEvent(methods, transaction, now)),
    ...invoiceEvents,
    ...coverEvents,
    ...restoredEvents,
  ])
  return undone.length
}

/** What was replaced by a transaction in a dropped block waits again. */
async function restore(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  height: number,
): Promise<readonly NewEvent[]> {
  const { restored, at } = await restoreReplaced(tx, network, height)
  return restored.flatMap((transaction) => restoredEvent(methods, transaction, at))
}

/** Reverses what was booked, whatever the merchants did with it since. */
async function takeBack(
  { methods, postCovered }: UndoBlocksParts,
  tx: Tx,
  undone: readonly Transaction[],
  { reversals }: BookedAttributions,
): Promise<readonly NewEvent[]> {
  const confirmed = undone.filter(({ state }) => state === 'confirmed')
  const mirrors = await mirrorsOf(tx, [...reversals, ...confirmed.flatMap(depositReversals)])
  try {
    await post(tx, mirrors)
    return []
  } catch (error) {
    if (!(error instanceof OverdraftError)) throw error
    return postCovered(methods, tx, mirrors, error.shortfalls)
  }
}

/** What a deleted merchant was credited lies on its forfeited account, from where it comes back to be taken. */
async function returnForfeited(
  tx: Tx,
  undone: readonly Transaction[],
  attributed: BookedAttributions,
): Promise<void> {
  const own = undone.flatMap((transaction): readonly Claim[] => {
    const { id, inclusion, merchantId, asset, netMinor } = transaction
    if (merchantId === undefined || netMinor === undefined) return heldClaim(transaction)
    return [{ ownerId: merchantId, asset, amountMinor: netMinor, subject: `recovered:${id}:${inclusion}` }]
  })
  const credits = [...own, ...attributed.credits]
  const deleted = await lockDeleted(tx, [...new Set(credits.map(({ ownerId }) => ownerId))])
  await recoverForClaims(
    tx,
    credits.filter(({ ownerId }) => deleted.has(ownerId)),
  )
}
