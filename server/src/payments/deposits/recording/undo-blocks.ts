import { dropOutputsAbove } from '../../../chains/outputs/store.ts'
import { type Claim, recoverForClaims } from '../../../ledger/forfeit.ts'
import type { Journal } from '../../../ledger/journal.ts'
import { OverdraftError, post, type Shortfall } from '../../../ledger/post.ts'
import { mirrorsOf } from '../../../ledger/reverse.ts'
import { lockDeleted } from '../../../merchants/store.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { appendEvents } from '../../../platform/outbox/append.ts'
import type { NewEvent } from '../../../platform/outbox/event.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import type { Deposit } from '../deposit.ts'
import { restoredEvent, revertedEvent } from '../events.ts'
import { depositReversals, heldClaim } from '../journals.ts'
import { settleTouched } from '../settle-touched.ts'
import { lockAbove, removeFromBlocks } from '../store.ts'
import { type BookedAttributions, findAttributed } from '../unattributed/attribute-deposits.ts'
import { restoreReplaced } from '../waiting/store.ts'
import { dropOwnTransfersAbove } from './own-transfer-store.ts'

export interface UndoBlocksParts {
  readonly methods: PaymentMethods
  /**
   * Posts journals even if a merchant's balance is too small. `shortfalls` contains the missing amounts.
   * Returns the events to append. `withdrawals/` supplies this function.
   */
  postCovered(
    methods: PaymentMethods,
    tx: Tx,
    journals: readonly Journal[],
    shortfalls: readonly Shortfall[],
  ): Promise<readonly NewEvent[]>
}

/**
 * Undoes what the blocks above `height` changed, in the transaction that also moves the cursor back. Journals
 * are never deleted; each one is reversed by an opposite journal. Deposits become pending again, and the
 * status of their invoices is derived again.
 * @returns the number of deposits that left their blocks
 */
export async function undoBlocksAbove(
  parts: UndoBlocksParts,
  tx: Tx,
  network: string,
  height: number,
): Promise<number> {
  const { methods } = parts
  await dropOutputsAbove(tx, network, height)
  await dropOwnTransfersAbove(tx, network, height)
  const undone = await lockAbove(tx, network, height)
  const restoredEvents = await restore(methods, tx, network, height)
  if (undone.length === 0) {
    await appendEvents(tx, restoredEvents)
    return 0
  }
  const now = await removeFromBlocks(tx, network, height)
  const invoiceEvents = await settleTouched(methods, tx, undone)
  const attributed = await findAttributed(tx, undone)
  await returnForfeited(tx, undone, attributed)
  const coverEvents = await takeBack(parts, tx, undone, attributed)
  await appendEvents(tx, [
    ...undone.flatMap((deposit) => revertedEvent(methods, deposit, now)),
    ...invoiceEvents,
    ...coverEvents,
    ...restoredEvents,
  ])
  return undone.length
}

/**
 * Makes failed payments pending again if the transaction that replaced them was in a block above `height`.
 * Returns the events of these payments.
 */
async function restore(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  height: number,
): Promise<readonly NewEvent[]> {
  const { restored, at } = await restoreReplaced(tx, network, height)
  return restored.flatMap((deposit) => restoredEvent(methods, deposit, at))
}

/**
 * Reverses the journals of deposits that left their blocks, even if merchants have already spent the money.
 */
async function takeBack(
  { methods, postCovered }: UndoBlocksParts,
  tx: Tx,
  undone: readonly Deposit[],
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

/**
 * Moves the credits of deleted merchants back from the `forfeited` accounts, so that the credits can be
 * reversed.
 */
async function returnForfeited(
  tx: Tx,
  undone: readonly Deposit[],
  attributed: BookedAttributions,
): Promise<void> {
  const own = undone.flatMap((deposit): readonly Claim[] => {
    const { id, inclusion, merchantId, asset, netMinor } = deposit
    if (merchantId === undefined || netMinor === undefined) return heldClaim(deposit)
    return [{ ownerId: merchantId, asset, amountMinor: netMinor, subject: `recovered:${id}:${inclusion}` }]
  })
  const credits = [...own, ...attributed.credits]
  const deleted = await lockDeleted(tx, [...new Set(credits.map(({ ownerId }) => ownerId))])
  await recoverForClaims(
    tx,
    credits.filter(({ ownerId }) => deleted.has(ownerId)),
  )
}
