import type { Tx } from '../db/transaction.ts'
import { settleInvoices } from '../invoices/settle-invoices.ts'
import { type Claim, recoverForClaims } from '../ledger/forfeit.ts'
import { reverse } from '../ledger/reverse.ts'
import { lockDeleted } from '../merchants/store.ts'
import { appendEvents } from '../outbox/append.ts'
import type { PaymentMethods } from '../payment-methods/payment-method.ts'
import { revertedEvent } from './events.ts'
import { depositReversals } from './journals.ts'
import { readPayments } from './payments.ts'
import { invoiceIdsOf } from './record-blocks.ts'
import { lockAbove, takeOutOfBlocks } from './store.ts'
import type { Transaction } from './transaction.ts'

/**
 * Takes back what the blocks above `height` meant, inside the transaction that also cuts the cursor back: credits
 * by mirror journals, never by deletion; transactions to pending without a block; invoices derived anew.
 * @returns how many transactions left their blocks
 */
export async function undoBlocksAbove(
  methods: PaymentMethods,
  tx: Tx,
  network: string,
  height: number,
): Promise<number> {
  const undone = await lockAbove(tx, network, height)
  if (undone.length === 0) return 0
  const now = await takeOutOfBlocks(tx, network, height)
  const invoiceEvents = await settleInvoices(
    { methods, paymentsOf: (on, ids) => readPayments(methods, on, ids) },
    tx,
    invoiceIdsOf(undone),
    false,
  )
  await returnForfeited(tx, undone)
  await reverse(tx, undone.filter(({ state }) => state === 'confirmed').flatMap(depositReversals))
  await appendEvents(tx, [
    ...undone.flatMap((transaction) => revertedEvent(methods, transaction, now)),
    ...invoiceEvents,
  ])
  return undone.length
}

/** What a deleted merchant was credited lies on its forfeited account, from where it comes back to be taken. */
async function returnForfeited(tx: Tx, undone: readonly Transaction[]): Promise<void> {
  const credits = undone.flatMap(({ id, inclusion, merchantId, asset, netMinor }): Claim[] =>
    merchantId === undefined || netMinor === undefined
      ? []
      : [{ ownerId: merchantId, asset, amountMinor: netMinor, subject: `recovered:${id}:${inclusion}` }],
  )
  const deleted = await lockDeleted(tx, [...new Set(credits.map(({ ownerId }) => ownerId))])
  await recoverForClaims(
    tx,
    credits.filter(({ ownerId }) => deleted.has(ownerId)),
  )
}
